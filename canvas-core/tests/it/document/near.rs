//! A stale base is answered with what the patch has to do with, and with the patch again where it still fits.

use canvas_core::document::{ApplyPatch, BaseRefusal, Fits, PatchRefusal, StaleBase};
use canvas_core::lease::LeaseId;
use canvas_core::text::{ApplyOptions, Mode, Suggestion, apply as apply_text};
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

/// A patch on `base`, or without one.
fn patch(lease: LeaseId, patch: &str, base: Option<RevisionId>) -> ApplyPatch {
    ApplyPatch { lease: Some(lease), patch: patch.into(), base: base.map(Base::Id), scope: None, shown: None }
}

#[test]
fn only_what_is_near_is_shown() {
    for named in [true, false] {
        let (world, base) = edited(Policy::default());
        let lease = world.check_out("model");
        let base = named.then_some(base);
        let refusal = stale(&world.ask("model", patch(lease, PATCH, base))).unwrap();
        let StaleBase { changes: Some(changes), near: Some(near), rebased: None, fits, .. } = refusal else {
            panic!("something is missing: {refusal:?}");
        };
        assert_eq!(near.diff, "@@ -10,7 +10,7 @@\n 10\n 11\n 12\n-13\n+thirteen\n 14\n 15\n 16\n");
        assert_eq!((near.left_out, changes.diff, fits), (1, None, Some(Fits::Touched)));
        assert_eq!(code(&world.ask("model", patch(lease, PATCH, Some(changes.to)))), "OK");
        assert!(world.text().contains("9\nten\n11\n12\nthirteen\n14\n"));
    }
}

/// The same call with the current revision, and nothing more.
#[test]
fn nothing_is_shown_of_changes_elsewhere() {
    for named in [true, false] {
        let (world, base) = edited(Policy::default());
        let lease = world.check_out("model");
        let far = "@@\n 29\n-30\n+thirty\n";
        let refusal = stale(&world.ask("model", patch(lease, far, named.then_some(base)))).unwrap();
        let StaleBase { changes: Some(changes), near: None, rebased: None, fits, .. } = refusal else {
            panic!("it is as it was: {refusal:?}");
        };
        assert_eq!((changes.is_shown(), fits), (false, Some(Fits::Untouched)));
        assert_eq!(code(&world.ask("model", patch(lease, far, Some(changes.to)))), "OK");
    }
}

#[test]
fn a_shown_part_is_not_the_document() {
    let (world, base) = edited(Policy::default());
    let lease = world.check_out("model");
    // However often a part is shown, an omitted base counts as known only once the whole was.
    let reported = [Some(base), Some(base), None, None, Some(world.snapshot().revision_id())]
        .map(|base| code(&world.ask("model", patch(lease, PATCH, base))));
    let stale = "PATCH_REJECTED/STALE_BASE";
    assert_eq!(reported, [stale, stale, stale, stale, "OK"]);
}

#[test]
fn what_is_near_serves_where_the_whole_is_too_large() {
    for (limit, shown) in [(1_000, true), (100, true), (10, false)] {
        for named in [true, false] {
            let (world, base) = edited(Policy { refusal_diff_bytes: limit, ..Policy::default() });
            let lease = world.check_out("model");
            let refused = world.ask("model", patch(lease, PATCH, named.then_some(base)));
            let refusal = stale(&refused).unwrap();
            let StaleBase { changes: Some(changes), near, rebased: None, fits, .. } = refusal else {
                panic!("the base is known: {refusal:?}");
            };
            // Nothing of what changed can be shown, so nothing is offered either.
            let found = (changes.diff.is_some(), near.is_some(), fits.is_some());
            assert_eq!(found, (false, shown, shown), "{limit} {named}");
        }
    }
}

#[test]
fn a_patch_that_no_longer_fits_is_not_offered() {
    let world = World::new("a\nb\nc\n");
    let base = Some(world.snapshot().revision_id());
    world.edit("a\nB\nc\n");
    let lease = world.check_out("model");
    for (sent, base, offered) in [
        ("@@\n-b\n+x\n", base, None),
        ("@@\n-c\n+x\n", base, Some(Fits::Touched)),
        ("@@\n-c\n+c\n", base, None),
        ("", base, None),
        // Without the changes, nobody could tell whether it still says what was meant.
        ("@@\n-c\n+x\n", "r7-00000000".parse().ok(), None),
    ] {
        let StaleBase { near, rebased, fits, .. } =
            stale(&world.ask("model", patch(lease, sent, base))).unwrap();
        assert_eq!((near, rebased, fits), (None, None, offered), "{sent:?}");
    }
}

/// It quotes a line that stands twice since: the patch is written out for the place that it means.
#[test]
fn a_patch_that_has_become_ambiguous_is_rebased() {
    let world = World::new(&text());
    let base = world.snapshot().revision_id();
    world.edit(&text().replace("50\n", "10\n"));
    let lease = world.check_out("model");
    let refusal = stale(&world.ask("model", patch(lease, "@@\n-10\n+ten\n", Some(base)))).unwrap();
    let (rebased, now) = (refusal.rebased.unwrap(), refusal.changes.unwrap().to);
    assert_eq!(rebased, "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
    assert_eq!(code(&world.ask("model", patch(lease, &rebased, Some(now)))), "OK");
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
        let anchored = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
        let expected = apply_text(&now, &patch, &anchored).map(|applied| applied.into_text()).ok();
        let outcome = send(&patch, named.then_some(base));
        let Some(StaleBase { changes: Some(changes), near, rebased, fits, .. }) = stale(&outcome) else {
            prop_assert_eq!(now, text());
            return Ok(());
        };
        let whole = canvas_core::text::build(&text(), &now, 3);
        let hunks = |diff: &str| diff.split("@@ -").skip(1).map(String::from).collect::<Vec<_>>();
        if let Some(near) = near {
            prop_assert!(near.left_out > 0 && changes.diff.is_none());
            let (whole, shown) = (hunks(&whole), hunks(&near.diff));
            prop_assert_eq!(whole.len() - shown.len(), near.left_out);
            prop_assert!(shown.iter().all(|hunk| whole.contains(hunk)));
            // Nothing is left out that could keep the patch from fitting.
            let touched = near.diff.lines().any(|line| line.starts_with('-'));
            prop_assert!(touched || rebased.is_some() || fits.is_some());
        } else if fits == Some(Fits::Untouched) {
            prop_assert!(!changes.is_shown() && rebased.is_none());
        }
        prop_assert!(rebased.is_some() || fits.is_some() || expected.is_none());
        // Where lines that it quotes have changed, it is moved to where its own line went.
        let expected = expected.or_else(|| {
            let lines = now.split_inclusive('\n');
            let own = format!("{at}\n");
            rebased.as_ref().map(|_| lines.map(|line| if line == own { "new\n" } else { line }).collect())
        });
        if let Some(again) = rebased.or_else(|| fits.map(|_| patch.clone())) {
            let done = send(&again, Some(changes.to));
            prop_assert_eq!(code(&done), "OK");
            prop_assert_eq!(Some(world.text()), expected);
        }
    }
}
