//! Patches that keep to a scope, and to what the host's policy says of side effects.

use canvas_core::document::{ApplyPatch, PatchRefusal, RangeHash, ReplaceLines, Replacement};
use canvas_core::text::{Address, EditPolicyError, build, outline};
use canvas_core::{Refusal, StoredAnswer};
use proptest::prelude::*;

use super::world::World;
use crate::document::any::{Answered, code, dynamic};
use crate::policy_with;

const TITLES: [&str; 3] = ["A", "B", "C"];

fn section(title: &str) -> Address {
    Address::Section { path: vec![title.to_owned()], ordinal: None, part: None }
}

/// Sections with the lines of each, among them some that reach further than they should.
fn body() -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(
        prop::sample::select(vec!["", "words", "- item", "## Inner", "```", "---", "<!--"]),
        0..5,
    )
}

fn text(bodies: &[Vec<&str>]) -> String {
    let section = |(title, lines): (&str, &Vec<&str>)| {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        format!("# {title}\n\nthe text of {title}\n{lines}\n")
    };
    TITLES.into_iter().zip(bodies).map(section).collect()
}

fn run(world: &World, call: &str, command: ApplyPatch) -> Answered {
    world.run(&crate::document::any::Call {
        operation: super::world::key("model", 0, call),
        command: dynamic(command),
    })
}

proptest! {
    /// With a scope no byte outside of its lines changes; where side effects are refused, the headings outside stay too.
    #[test]
    fn a_patch_changes_nothing_outside_of_its_scope(
        before in prop::collection::vec(body(), 3),
        after in prop::collection::vec(body(), 3),
        changed in prop::collection::vec(any::<bool>(), 3),
        scope in prop::sample::select(TITLES.to_vec()),
        refuse_side_effects in any::<bool>(),
    ) {
        let bodies: Vec<_> = (0..3).map(|i| if changed[i] { after[i].clone() } else { before[i].clone() }).collect();
        let (before, after) = (text(&before), text(&bodies));
        prop_assume!(before != after);
        let policy = policy_with(|policy| policy.writes.refuse_side_effects = refuse_side_effects);
        let world = World::with(&before, policy);
        let (lease, patch) = (Some(world.check_out("model")), build(&before, &after, 3));
        let command = ApplyPatch { lease, patch, base: None, scope: Some(section(scope)), shown: None };
        let answered = run(&world, "1", command);
        let now = world.text();
        if code(&answered.outcome) != "OK" {
            prop_assert_eq!(now, before);
            return Ok(());
        }
        prop_assert_eq!(&now, &after);
        let place = canvas_core::text::resolve(&before, &section(scope)).expect("it was a scope");
        // Blank lines right below belong to it.
        let rest = &before[place.bytes.end..];
        let below = rest.trim_start_matches('\n');
        prop_assert!(now.starts_with(&before[..place.bytes.start]), "{before:?} {now:?}");
        prop_assert!(now.ends_with(below), "{before:?} {now:?}");
        if refuse_side_effects {
            let outside = |text: &str, from: usize| {
                let line = text[..from].matches('\n').count();
                let headings = outline(text).sections().to_vec();
                let below = headings.into_iter().filter(|s| s.heading.start > line);
                below.map(|s| (s.title, s.level, s.heading.start - line)).collect::<Vec<_>>()
            };
            prop_assert_eq!(outside(&now, now.len() - below.len()), outside(&before, before.len() - below.len()));
        }
    }
}

#[test]
fn lines_that_are_replaced_have_no_side_effects_either() {
    for (refuse_side_effects, expected) in [(true, "PATCH_REJECTED/UNCLOSED_FENCE"), (false, "OK")] {
        let world = World::with(
            "a\n\n# B\n",
            policy_with(|policy| policy.writes.refuse_side_effects = refuse_side_effects),
        );
        let lease = Some(world.check_out("model"));
        let replacement =
            Replacement { start: 1, end: 1, expect: RangeHash::of("a\n"), text: "```\n".into() };
        let outcome = world
            .ask("model", ReplaceLines { lease, replacements: vec![replacement], base: None, shown: None });
        assert_eq!(code(&outcome), expected);
    }
}

#[test]
fn a_refusal_by_scope_is_answered_again_and_only_for_the_same_scope() {
    let world = World::new("# A\n\na\n\n# B\n\nb\n");
    let lease = Some(world.check_out("model"));
    let command = |scope| ApplyPatch { lease, patch: "@@\n-a\n+x\n".into(), base: None, scope, shown: None };
    let refused = run(&world, "1", command(Some(section("B"))));
    let error = match refused.outcome.refusal() {
        Some(Refusal::Patch(PatchRefusal::EditRefused { error })) => error.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(error.code(), "OUT_OF_SCOPE");
    assert!(matches!(error, EditPolicyError::OutOfScope { line: 3, .. }), "{error:?}");
    // Another server reads it out of the receipt.
    let again = run(&world.peer(), "1", command(Some(section("B"))));
    assert_eq!((&again.outcome, again.replayed), (&refused.outcome, true));
    let stored: StoredAnswer = again.stored;
    assert_eq!(stored, refused.stored);
    for scope in [None, Some(section("A")), Some(Address::Lines { start: 5, end: 7 })] {
        assert_eq!(code(&run(&world, "1", command(scope)).outcome), "CALL_ID_REUSED");
    }
    assert_eq!(code(&run(&world, "2", command(Some(section("C")))).outcome), "ADDRESS_NOT_FOUND");
    assert_eq!(world.text(), "# A\n\na\n\n# B\n\nb\n");
    assert_eq!(code(&run(&world, "3", command(Some(section("A")))).outcome), "OK");
}
