//! A stale base is answered with what the patch has to do with, and with the patch again where it still fits.

use canvas_core::document::{ApplyPatch, BaseRefusal, PatchRefusal, StaleBase};
use canvas_core::text::{Mode, Options, Suggestion, apply as apply_text};
use canvas_core::{Base, Policy, Refusal, RevisionId};
use proptest::prelude::*;

use super::world::World;
use crate::document::any::{Outcome, code};

const PATCH: &str = "@@\n 9\n-10\n+ten\n 11\n";

fn text() -> String {
    (1..=60).map(|line| format!("{line}\n")).collect()
}

/// A document that the user has changed near the tenth line and in the fiftieth, and its revision before.
fn edited(policy: Policy) -> (World, RevisionId) {
    let world = World::with(&text(), policy);
    let base = world.snapshot().revision_id();
    world.edit(&text().replace("13\n", "thirteen\n").replace("50\n", "fifty\n"));
    (world, base)
}

fn stale(outcome: &Outcome) -> Option<StaleBase> {
    match outcome.refusal()? {
        Refusal::Base(BaseRefusal::StaleBase(stale)) => Some(StaleBase::clone(stale)),
        _ => None,
    }
}

#[test]
fn who_names_a_base_is_shown_what_is_near() {
    let (world, base) = edited(Policy::default());
    let lease = world.check_out("model");
    let send = |patch: &str, base: Option<RevisionId>| {
        world.ask(
            "model",
            ApplyPatch {
                lease: Some(lease),
                patch: patch.into(),
                base: base.map(Base::Id),
                scope: None,
                shown: None,
            },
        )
    };
    let refusal = stale(&send(PATCH, Some(base))).unwrap();
    assert!(refusal.to_string().ends_with(
        "look at the changes and send the rebased patch for the current revision if it still says what you mean, or \
         write the patch again, naming the current revision as its base (hunks of the changes elsewhere, not \
         shown: 1)"
    ));
    let StaleBase { changes: Some(changes), near: Some(near), rebased: Some(rebased), .. } = refusal else {
        panic!("something is missing: {refusal:?}");
    };
    assert_eq!(near.diff, "@@ -10,7 +10,7 @@\n 10\n 11\n 12\n-13\n+thirteen\n 14\n 15\n 16\n");
    assert_eq!((near.left_out, changes.from, changes.diff), (1, Some(base), None));
    assert_eq!(rebased, "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n thirteen\n");

    // A part is not the document: who names no base still gets every change.
    let refusal = stale(&send(&rebased, None)).unwrap();
    assert!(
        matches!(&refusal, StaleBase { changes: Some(all), near: None, .. }
            if all.diff.as_ref().is_some_and(|diff| diff.contains("+fifty") && diff.contains("+thirteen"))),
        "{refusal:?}"
    );
    assert_eq!(code(&send(&rebased, Some(changes.to))), "OK");
    assert!(world.text().contains("9\nten\n11\n12\nthirteen\n14\n"));
}

#[test]
fn a_shown_part_is_not_the_document() {
    let (world, base) = edited(Policy::default());
    let lease = world.check_out("model");
    let send = |base: Option<RevisionId>| {
        let outcome = world.ask(
            "model",
            ApplyPatch {
                lease: Some(lease),
                patch: PATCH.into(),
                base: base.map(Base::Id),
                scope: None,
                shown: None,
            },
        );
        code(&outcome)
    };
    // However often a part is shown, an omitted base counts as known only once the whole was.
    let reported = [Some(base), Some(base), None, None].map(send);
    let stale = "PATCH_REJECTED/STALE_BASE";
    assert_eq!(reported, [stale, stale, stale, "OK"]);
}

#[test]
fn what_is_near_serves_where_the_whole_is_too_large() {
    let check = |limit: usize, base_named: bool, shown: (bool, bool, bool)| {
        let (world, base) = edited(Policy { refusal_diff_bytes: limit, ..Policy::default() });
        let lease = world.check_out("model");
        let base = base_named.then_some(Base::Id(base));
        let refused = world.ask(
            "model",
            ApplyPatch { lease: Some(lease), patch: PATCH.into(), base, scope: None, shown: None },
        );
        let refusal = stale(&refused).unwrap();
        let StaleBase { changes: Some(changes), near, rebased, .. } = refusal else {
            panic!("the base is known: {refusal:?}");
        };
        let found = (changes.diff.is_some(), near.is_some(), rebased.is_some());
        assert_eq!(found, shown, "{limit} {base_named}");
    };
    check(1_000, false, (true, false, true));
    check(1_000, true, (false, true, true));
    check(100, false, (false, true, true));
    check(100, true, (false, true, true));
    // Nothing of what changed can be shown, so nothing is offered either.
    check(10, false, (false, false, false));
    check(10, true, (false, false, false));
}

#[test]
fn a_patch_that_no_longer_fits_is_not_offered() {
    let world = World::new("a\nb\nc\n");
    let base = Some(Base::Id(world.snapshot().revision_id()));
    world.edit("a\nB\nc\n");
    let lease = world.check_out("model");
    for (patch, base, offered) in [
        ("@@\n-b\n+x\n", base, false),
        ("@@\n-c\n+x\n", base, true),
        ("@@\n-c\n+c\n", base, false),
        ("", base, false),
        // Without the changes, nobody could tell whether it still says what was meant.
        ("@@\n-c\n+x\n", "r7-00000000".parse().ok().map(Base::Id), false),
    ] {
        let refused = world.ask(
            "model",
            ApplyPatch { lease: Some(lease), patch: patch.into(), base, scope: None, shown: None },
        );
        let StaleBase { near, rebased, .. } = stale(&refused).unwrap();
        assert_eq!((near, rebased.is_some()), (None, offered), "{patch:?}");
    }
}

#[test]
fn remedies_of_a_refused_patch_keep_to_the_limit() {
    let world = |limit| World::with(&text(), Policy { refusal_diff_bytes: limit, ..Policy::default() });
    let remedy = |world: &World, patch: &str| {
        let lease = world.check_out("model");
        let refused = world.ask(
            "model",
            ApplyPatch { lease: Some(lease), patch: patch.into(), base: None, scope: None, shown: None },
        );
        match refused.refusal() {
            Some(Refusal::Patch(PatchRefusal::PatchRejected(rejected))) => rejected.suggestion().cloned(),
            _ => panic!("the patch fits: {refused:?}"),
        }
    };
    let misordered = "@@\n-40\n+x\n@@\n-20\n+y\n";
    let rebased = "@@ -19,3 +19,3 @@\n 19\n-20\n+y\n 21\n@@ -39,3 +39,3 @@\n 39\n-40\n+x\n 41\n";
    assert_eq!(remedy(&world(rebased.len()), misordered), Some(Suggestion::Rebased(rebased.into())));
    assert_eq!(remedy(&world(rebased.len() - 1), misordered), None);
    let applied = "@@\n 1\n+x\n-y\n+2\n";
    assert_eq!(remedy(&world(0), applied), None);
    assert_eq!(remedy(&world(0), "@@\n 1\n-y\n+2\n"), Some(Suggestion::AlreadyApplied));
}

/// Receipts keep refusals.
#[test]
fn refusals_are_read_back() {
    let (world, base) = edited(Policy::default());
    let lease = world.check_out("model");
    for (patch, base) in [
        (PATCH, Some(Base::Id(base))),
        (PATCH, None),
        ("@@\n-40\n+x\n@@\n-20\n+y\n", None),
        ("@@\n 1\n-y\n+2\n", None),
        ("", None),
    ] {
        let call = world.fresh(
            "model",
            ApplyPatch { lease: Some(lease), patch: patch.into(), base, scope: None, shown: None },
        );
        let first = world.run(&call);
        assert!(first.stored.is_refusal(), "{patch:?}");
        assert_eq!(world.peer().run(&call).outcome, first.outcome, "{patch:?}");
    }
}

proptest! {
    /// A rebased patch gives what the first one would give now, and a part is part of the whole.
    #[test]
    fn a_stale_base_gets_the_changes_that_were_made(
        edits in prop::collection::vec((0_usize..60, prop::option::of("[a-z]{1,3}")), 0..8),
        at in 2_usize..58,
        named in any::<bool>(),
    ) {
        let world = World::new(&text());
        let base = world.snapshot().revision_id();
        let mut lines: Vec<String> = text().lines().map(|line| format!("{line}\n")).collect();
        for (line, new) in &edits {
            lines[*line] = new.as_ref().map_or_else(String::new, |new| format!("{new}\n"));
        }
        world.edit(&lines.concat());
        let lease = world.check_out("model");
        let patch = format!("@@\n {}\n-{at}\n+new\n {}\n", at - 1, at + 1);
        let send = |patch: &str, base: Option<RevisionId>| {
            world.ask("model", ApplyPatch { lease: Some(lease), patch: patch.into(), base: base.map(Base::Id), scope: None, shown: None })
        };
        let now = world.text();
        let anchored = Options { mode: Mode::Anchored, ..Options::default() };
        let expected = apply_text(&now, &patch, &anchored).map(|applied| applied.into_text()).ok();
        let outcome = send(&patch, named.then_some(base));
        let Some(StaleBase { changes: Some(changes), near, rebased, .. }) = stale(&outcome) else {
            prop_assert_eq!(now, text());
            return Ok(());
        };
        if let Some(near) = near {
            prop_assert!(named && near.left_out > 0 && changes.diff.is_none());
            let whole = canvas_core::text::build(&text(), &now, 3);
            let hunks = |diff: &str| diff.split("@@ -").skip(1).map(String::from).collect::<Vec<_>>();
            let (whole, shown) = (hunks(&whole), hunks(&near.diff));
            prop_assert_eq!(whole.len() - shown.len(), near.left_out);
            prop_assert!(shown.iter().all(|hunk| whole.contains(hunk)));
            // Nothing is left out that could keep the patch from fitting.
            let touched = near.diff.lines().any(|line| line.starts_with('-'));
            prop_assert!(touched || rebased.is_some());
        }
        prop_assert!(rebased.is_some() || expected.is_none());
        // Where lines that it quotes have changed, it is moved to where its own line went.
        let expected = expected.or_else(|| {
            let lines = now.split_inclusive('\n');
            let own = format!("{at}\n");
            rebased.as_ref().map(|_| lines.map(|line| if line == own { "new\n" } else { line }).collect())
        });
        if let Some(rebased) = rebased {
            let done = send(&rebased, Some(changes.to));
            prop_assert_eq!(code(&done), "OK");
            prop_assert_eq!(Some(world.text()), expected);
        }
    }
}
