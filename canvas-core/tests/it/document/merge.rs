//! People's edits of one line, merged by words.

use canvas_core::document::{Edit, Edited, StaleCause};
use canvas_core::history::{Undo, UndoScope};
use canvas_core::text::MergedLine;
use canvas_core::{Author, CallId, OpKey, PersonId, Policy, Refusal, RevisionId};

use crate::document::any::{Call, Outcome, code, dynamic};
use crate::document::world::World;
use crate::policy_with;

fn merging() -> Policy {
    policy_with(|policy| policy.writes.merge_words = true)
}

fn by(person: &str, base: RevisionId, markdown: &str) -> Call {
    let person = PersonId::new(person).unwrap();
    let operation = OpKey::person(person, CallId::new(&format!("{base} {markdown}")).unwrap());
    Call { operation, command: dynamic(Edit::on(base, markdown)) }
}

#[track_caller]
fn edited(outcome: Outcome) -> Edited {
    match outcome {
        Outcome::Edited(edited) => edited,
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_edits_of_one_line_are_merged_and_reported() {
    let world = World::with("# Plan\n\none two three\n", merging());
    let base = world.head().revision_id();
    edited(world.run(&by("anna", base, "# Plan\n\nONE two three\n")).outcome);
    let call = by("bert", base, "# Plan\n\none two THREE\n");
    let done = edited(world.run(&call).outcome);
    let line = MergedLine {
        line: 3,
        mine: "one two THREE".into(),
        theirs: "ONE two three".into(),
        now: "ONE two THREE".into(),
    };
    assert_eq!((done.moved, &done.merged), (true, &vec![line]));
    assert_eq!(world.text(), "# Plan\n\nONE two THREE\n");
    assert_eq!(edited(world.run(&call).outcome), done, "a retry has the same answer");
    assert_eq!(edited(world.peer().run(&call).outcome), done, "on another server, too");

    // Each can be undone without the other.
    let undo = |person: &str| Call {
        operation: OpKey::person(PersonId::new(person).unwrap(), CallId::new("undo").unwrap()),
        command: dynamic(Undo { by: Author::User, what: UndoScope::Steps(std::num::NonZeroU32::MIN) }),
    };
    assert_eq!(code(&world.run(&undo("bert")).outcome), "OK");
    assert_eq!(world.text(), "# Plan\n\nONE two three\n");
}

/// Anna's edit and then Bert's, of the same text.
#[test]
fn an_edit_that_cannot_be_merged_is_refused_with_the_change_in_the_way() {
    for (policy, theirs, mine) in [
        (Policy::default(), "ONE two three\n", "one two THREE\n"),
        (merging(), "ONE two three\n", "one TWO three\n"),
        (merging(), "*one two three\n", "one two three*\n"),
    ] {
        let world = World::with("one two three\n", policy);
        let base = world.head().revision_id();
        let first = edited(world.run(&by("anna", base, theirs)).outcome);
        let outcome = world.run(&by("bert", base, mine)).outcome;
        let Some(Refusal::StaleEdit(stale)) = outcome.refusal() else { panic!("{outcome:?}") };
        assert!(matches!(stale.cause, StaleCause::Conflict { with } if with.get() == 1), "{stale:?}");
        assert_eq!((stale.markdown.as_str(), world.text().as_str()), (mine, theirs));
        assert_eq!(world.head().revision_id(), first.revision);
    }
}

#[test]
fn lines_that_people_insert_at_one_place_are_all_kept() {
    let inserted = |line: &str| format!("a\n{line}z\n");
    let world = World::with("a\nz\n", merging());
    let base = world.head().revision_id();
    for (person, line) in [("anna", "1\n"), ("bert", "2\n"), ("carl", "3\n")] {
        let done = edited(world.run(&by(person, base, &inserted(line))).outcome);
        assert_eq!((done.moved, done.merged), (person != "anna", vec![]));
    }
    assert_eq!(world.text(), inserted("1\n2\n3\n"), "the earlier commit first");

    // A model's, alone or between those of people.
    for people in [false, true] {
        let world = World::with("a\nz\n", merging());
        let base = world.head().revision_id();
        if people {
            edited(world.run(&by("anna", base, &inserted("1\n"))).outcome);
        }
        let lease = world.check_out("model");
        if people {
            // The refusal shows anna's line.
            world.write("model", lease, "1>>m");
        }
        world.write("model", lease, if people { "1>>m" } else { "a>>m" });
        let now = world.text();
        assert!(now.contains("m\n"));
        let outcome = world.run(&by("bert", base, &inserted("2\n"))).outcome;
        assert_eq!((code(&outcome), world.text()), ("PATCH_REJECTED/STALE_BASE".to_owned(), now));
    }
}

/// The model's change is elsewhere, or in the same line.
#[test]
fn a_persons_edit_is_merged_with_a_models_by_words() {
    let world = World::with("one two three\n\nz\n", merging());
    let base = world.head().revision_id();
    let lease = world.check_out("model");
    world.write("model", lease, "one two three>ONE two three");
    let done = edited(world.run(&by("anna", base, "one two THREE\n\nz\n")).outcome);
    assert_eq!((world.text().as_str(), done.merged.len()), ("ONE two THREE\n\nz\n", 1));
}
