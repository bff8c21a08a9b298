//! A user's edit names the revision that it was made on.

use canvas_core::document::{Base, Edit, Edited, StaleCause, StaleEdit};
use canvas_core::history::{ClearHistory, Undo, UndoScope};
use canvas_core::{Author, CodedError as _, Policy, Refusal, Revision, RevisionId, Role};
use proptest::prelude::*;

use crate::document::any::Outcome;
use crate::document::world::World;
use crate::policy_with;

const TEN: &str = "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n";

fn base(world: &World) -> RevisionId {
    world.head().revision_id()
}

#[track_caller]
fn edited(outcome: Outcome) -> Edited {
    match outcome {
        Outcome::Edited(edited) => edited,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn stale(outcome: &Outcome) -> StaleEdit {
    match outcome.refusal() {
        Some(Refusal::StaleEdit(stale)) => stale.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_edit_of_the_current_revision_replaces_the_text() {
    let world = World::new(TEN);
    let base = base(&world);
    let done = edited(world.ask("user", Edit::on(base, "x\n")));
    assert_eq!((done.moved, world.text().as_str()), (false, "x\n"));
}

#[test]
fn an_edit_of_an_older_revision_is_moved_past_later_changes() {
    let world = World::new(TEN);
    let base = base(&world);
    let lease = world.check_out("model");
    world.write("model", lease, "b>>B");
    world.write("model", lease, "h>H\n");
    world.edit(&world.text().replace("c\n", "C\n"));
    let epoch = world.head().lock().epoch().get();

    let done = edited(world.ask("user", Edit::on(base, TEN.replace("e\n", "E\n"))));
    assert!(done.moved);
    assert_eq!(world.text(), "a\nb\nB\nC\nd\nE\nf\ng\nH\ni\nj\n");
    assert_eq!(world.head().lock().epoch().get(), epoch + 1, "it preempts like any edit of a user");

    // It is a change of its own, which can be undone.
    world.ask("user", Undo { by: Author::User, what: UndoScope::Steps(1.try_into().unwrap()) });
    assert_eq!(world.text(), "a\nb\nB\nC\nd\ne\nf\ng\nH\ni\nj\n");
}

/// Creating a face makes a revision, but no entry in the journal.
#[cfg(feature = "board")]
#[test]
fn an_edit_of_the_text_before_a_face_was_created_is_moved() {
    use crate::document::board::workspace;
    use canvas_core::Blob;
    use canvas_core::board::CreateBoard;

    for is_numbered in [false, true] {
        let world = World::new(TEN);
        let base = base(&world);
        world.ask("host", CreateBoard { workspace: Box::new(workspace()) });
        assert_eq!(world.head().revision_id(), base);
        world.edit(&TEN.replace("b\n", "B\n"));
        let base = if is_numbered { Base::Number(base.revision()) } else { Base::Id(base) };
        let done = edited(world.ask("user", Edit::on(base, TEN.replace("h\n", "H\n"))));
        assert_eq!((done.moved, world.text()), (true, TEN.replace("b\n", "B\n").replace("h\n", "H\n")));
    }
    // A number says nothing about a text that came back before the history was cleared.
    let world = World::new("a\n");
    world.edit("b\n");
    let seen = base(&world);
    world.edit("a\n");
    world.ask("user", ClearHistory);
    world.edit("c\n");
    let refused = world.ask("user", Edit::on(Base::Number(seen.revision()), "b\nmore\n"));
    assert_eq!(stale(&refused).cause, StaleCause::OutOfReach);
    // Another text at that revision.
    let world = World::new(TEN);
    let other = RevisionId::new(base(&world).revision(), Blob::text("x\n".to_owned()).id());
    world.ask("host", CreateBoard { workspace: Box::new(workspace()) });
    world.edit("b\n");
    let refused = world.ask("user", Edit::on(other, "c\n"));
    assert_eq!(stale(&refused).cause, StaleCause::OutOfReach);
}

#[test]
fn a_text_that_was_not_changed_changes_nothing() {
    let world = World::new(TEN);
    let base = base(&world);
    world.edit("new\n");
    let before = world.head().revision_id();
    let done = edited(world.ask("user", Edit::on(base, TEN)));
    assert_eq!((done.revision, world.text().as_str()), (before, "new\n"));
}

#[test]
fn a_conflict_keeps_both_texts() {
    let world = World::new(TEN);
    let first = base(&world);
    let lease = world.check_out("model");
    world.write("model", lease, "a>A");
    world.write("model", lease, "e>model");
    let (before, epoch) = (world.head().revision_id(), world.head().lock().epoch().get());
    let mine = TEN.replace("e\n", "user\n");

    let call = world.fresh("user", Edit::on(first, mine.clone()));
    let refused = world.run(&call).outcome;
    let StaleEdit { base, current, cause, changes, markdown } = stale(&refused);
    assert_eq!((base, current, markdown), (Base::Id(first), before, mine));
    let StaleCause::Conflict { with } = cause else { panic!("{cause:?}") };
    assert_eq!(with.get(), 2, "the change of the same line");
    let diff = changes.and_then(|changes| changes.diff).expect("the changes are shown");
    assert!(diff.contains("-e\n+model\n") && diff.contains("-a\n+A\n"), "{diff}");
    let refusal = refused.refusal().unwrap();
    assert_eq!((refusal.code(), refusal.reason()), ("PATCH_REJECTED", Some("STALE_BASE")));

    // The text is what it was, and the user has the lock.
    assert_eq!(world.head().revision_id(), before);
    assert_eq!(world.head().lock().epoch().get(), epoch + 1);
    assert!(world.head().lock().lease().is_none());
    assert_eq!(world.run(&call).outcome, refused, "a retry has the same answer");
}

/// Bases that no text of this canvas belongs to, and those whose text is gone.
#[test]
fn a_base_that_cannot_be_reached_is_refused() {
    let off = policy_with(|policy| policy.history.changes = 0);
    let short = policy_with(|policy| policy.history.changes = 2);
    let near = policy_with(|policy| policy.history.reach = 2);
    let other = World::new("other\n").head().revision_id();
    let first = |world: &World| Base::Id(base(world));
    type Case = (&'static str, Policy, fn(&World) -> Base, StaleCause);
    let cases: [Case; 6] = [
        ("the future", Policy::default(), |_| Revision::new(5).unwrap().into(), StaleCause::UnknownBase),
        (
            "the largest number",
            Policy::default(),
            |_| Revision::new((1 << 53) - 1).unwrap().into(),
            StaleCause::UnknownBase,
        ),
        (
            "another canvas's",
            Policy::default(),
            |_| World::new("other\n").head().revision_id().into(),
            StaleCause::UnknownBase,
        ),
        ("no journal", off, first, StaleCause::OutOfReach),
        ("a short history", short, first, StaleCause::OutOfReach),
        ("a short reach", near, first, StaleCause::OutOfReach),
    ];
    for (name, policy, base, cause) in cases {
        let world = World::with("a\n", policy);
        let base = base(&world);
        for text in ["b\n", "c\n", "d\n"] {
            world.edit(text);
        }
        let refused = world.ask("user", Edit { markdown: "x\n".into(), base: Some(base) });
        let stale = stale(&refused);
        assert_eq!((stale.cause, stale.changes, world.text().as_str()), (cause, None, "d\n"), "{name}");
    }
    // The id of another canvas is not this revision's, current or not.
    let world = World::new("a\n");
    let refused = world.ask("user", Edit { markdown: "x\n".into(), base: Some(other.into()) });
    assert_eq!(stale(&refused).cause, StaleCause::UnknownBase);
    // A history that was cleared.
    let base = first(&world);
    world.edit("b\n");
    world.ask("host", ClearHistory);
    world.edit("c\n");
    let refused = world.ask("user", Edit { markdown: "x\n".into(), base: Some(base) });
    assert_eq!(stale(&refused).cause, StaleCause::OutOfReach);
}

/// Entries that keep both texts in place of an edit are passed too, and so are those that undo.
#[test]
fn large_changes_and_undone_ones_are_passed() {
    let world = World::with(TEN, policy_with(|policy| policy.history.entry_bytes = 0));
    let base = base(&world);
    world.edit(&TEN.replace("a\n", "A\n"));
    world.edit(&TEN.replace("a\n", "A\n").replace("h\n", "H\n"));
    world.ask("user", Undo { by: Author::User, what: UndoScope::Author { author: Role::User, since: None } });
    world.edit(&TEN.replace("c\n", "C\n"));
    edited(world.ask("user", Edit::on(base, TEN.replace("e\n", "E\n"))));
    assert_eq!(world.text(), TEN.replace("c\n", "C\n").replace("e\n", "E\n"));
}

/// The entries since the base are read in waves, by a server that knows none of them.
#[test]
fn an_edit_on_an_old_base_is_few_round_trips() {
    for (later, most) in [(1, 4), (10, 9), (100, 13), (256, 16)] {
        let world = World::new("mine\n\n0\n");
        let base = base(&world);
        (1..=later).for_each(|n| drop(world.edit(&format!("mine\n\n{n}\n"))));
        let peer = world.peer();
        edited(peer.ask("user", Edit::on(base, "edited\n\n0\n")));
        assert_eq!(peer.text(), format!("edited\n\n{later}\n"));
        let asked = peer.spy().asked().len();
        assert!(asked <= most, "{asked} round trips past {later}");
    }
}

/// A change that another has made too counts as done, while the other's still stands; whoever touches it again after that
/// is in the way of both.
#[test]
fn what_another_has_changed_in_the_same_way_is_taken_once() {
    let replaced = |lines: &[(&str, &str)]| {
        lines.iter().fold(TEN.to_owned(), |text, (line, new)| text.replace(&format!("{line}\n"), new))
    };
    let alike = replaced(&[("e", "E\n")]);
    // What others make of the text, one after the other; what the user does; what is in the document then.
    for (name, theirs, mine, expected) in [
        ("all of it", vec![alike.clone()], alike.clone(), Some(alike.clone())),
        (
            "a part",
            vec![alike.clone()],
            replaced(&[("b", "B\n"), ("e", "E\n")]),
            Some(replaced(&[("b", "B\n"), ("e", "E\n")])),
        ),
        ("a removal", vec![replaced(&[("e", "")])], replaced(&[("e", "")]), Some(replaced(&[("e", "")]))),
        (
            "an insertion",
            vec![replaced(&[("e", "e\nnew\n")])],
            replaced(&[("e", "e\nnew\n")]),
            Some(replaced(&[("e", "e\nnew\n")])),
        ),
        (
            "with others around it",
            vec![replaced(&[("a", "A\n"), ("e", "E\n"), ("j", "")])],
            alike.clone(),
            Some(replaced(&[("a", "A\n"), ("e", "E\n"), ("j", "")])),
        ),
        (
            "moved on since",
            vec![alike.clone(), replaced(&[("a", ""), ("e", "E\n")])],
            alike.clone(),
            Some(replaced(&[("a", ""), ("e", "E\n")])),
        ),
        ("more than theirs", vec![alike.clone()], replaced(&[("e", "E\nand more\n")]), None),
        ("less than theirs", vec![replaced(&[("e", "E\nand more\n")])], alike.clone(), None),
        ("changed again", vec![alike.clone(), replaced(&[("e", "other\n")])], alike.clone(), None),
        ("taken back", vec![alike.clone(), TEN.to_owned()], alike, None),
        ("a removal taken back", vec![replaced(&[("e", "")]), TEN.to_owned()], replaced(&[("e", "")]), None),
        (
            "a removal taken back beside another change",
            vec![replaced(&[("e", "")]), replaced(&[("d", "D\n")])],
            replaced(&[("e", "")]),
            None,
        ),
    ] {
        let world = World::new(TEN);
        let base = base(&world);
        theirs.iter().for_each(|text| drop(world.edit(text)));
        let before = world.head().revision_id();
        let outcome = world.ask("user", Edit::on(base, mine.clone()));
        match expected {
            Some(expected) => {
                let changed = edited(outcome).revision != before;
                assert_eq!((&world.text(), changed), (&expected, Some(&expected) != theirs.last()), "{name}");
            }
            None => {
                let stale = stale(&outcome);
                assert!(matches!(stale.cause, StaleCause::Conflict { .. }), "{name}: {stale}");
                assert_eq!((&world.text(), stale.markdown), (theirs.last().unwrap(), mine), "{name}");
            }
        }
    }
}

/// What both have changed alike is the other's change: it goes with the other's undo, and the user's own stays.
#[test]
fn undo_of_the_other_author_takes_back_what_both_have_changed() {
    let world = World::new(TEN);
    let base = base(&world);
    let lease = world.check_out("model");
    world.write("model", lease, "e>E");
    world.write("model", lease, "h>H");
    edited(world.ask("user", Edit::on(base, TEN.replace("b\n", "B\n").replace("e\n", "E\n"))));
    let both = TEN.replace("b\n", "B\n").replace("e\n", "E\n").replace("h\n", "H\n");
    assert_eq!(world.text(), both);
    for (author, expected) in
        [(Role::Assistant, TEN.replace("b\n", "B\n")), (Role::User, both.replace("B\n", "b\n"))]
    {
        let what = UndoScope::Author { author, since: None };
        world.ask("user", Undo { by: Author::User, what });
        assert_eq!(world.text(), expected, "{author:?}");
        world.ask("user", Undo { by: Author::User, what: UndoScope::Steps(1.try_into().unwrap()) });
        assert_eq!(world.text(), both, "{author:?}");
    }
}

/// A text of lines that all differ, with some of them changed, removed or added.
fn lines() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..4_u8, 8)
}

fn variant(edits: &[u8], who: &str) -> String {
    let line = |(i, edit): (usize, &u8)| match edit {
        1 => format!("{who} {i}\n"),
        2 => String::new(),
        3 => format!("line {i}\n{who} adds {i}\n"),
        _ => format!("line {i}\n"),
    };
    edits.iter().enumerate().map(line).collect()
}

proptest! {
    /// Where two windows save, the second edit is refused, or the document has each change of both.
    #[test]
    fn no_line_of_two_windows_is_lost(theirs in lines(), mine in lines()) {
        let start = variant(&[0; 8], "");
        let world = World::new(&start);
        let base = base(&world);
        let (theirs, mine) = (variant(&theirs, "theirs"), variant(&mine, "mine"));
        edited(world.ask("user", Edit::on(base, theirs.clone())));
        let before = world.head().revision_id();
        let outcome = world.ask("user", Edit::on(base, mine.clone()));
        let text = world.text();
        if outcome.refusal().is_some() {
            let stale = stale(&outcome);
            prop_assert_eq!((world.head().revision_id(), &text, stale.markdown), (before, &theirs, mine));
            return Ok(());
        }
        let has = |text: &str, line: &str| text.lines().any(|one| one == line);
        for line in theirs.lines().chain(mine.lines()) {
            // What one of them removed or replaced is gone; what one of them wrote is there.
            let expected = !has(&start, line) || (has(&theirs, line) && has(&mine, line));
            prop_assert_eq!(has(&text, line), expected, "{:?} in {:?}", line, text);
        }
    }
}
