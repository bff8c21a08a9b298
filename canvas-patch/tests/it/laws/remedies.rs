//! What a refusal offers holds: it is recomputed here without the applier, or tried with it.

use canvas_patch::strategies::{Change, change};
use canvas_patch::{Mode, Reason, Suggestion, build};
use proptest::prelude::*;

use crate::laws::strategies::{Mutation, Sketch, is_uniform};
use crate::laws::{reference, run, times};

/// What a refused patch is offered; `None` too where it applies.
fn offered(mode: Mode, text: &str, patch: &str) -> Option<Suggestion> {
    run(mode, text, patch).err().and_then(|refused| refused.suggestion().cloned())
}

/// A hunk of a built patch or a sketch: its lines with their prefix.
fn hunks(patch: &str) -> Vec<Vec<&str>> {
    let mut hunks: Vec<Vec<&str>> = Vec::new();
    for line in patch.split_inclusive('\n') {
        match hunks.last_mut() {
            Some(hunk) if !line.starts_with("@@") => hunk.push(line),
            _ => hunks.push(Vec::new()),
        }
    }
    hunks
}

/// The lines of one side, without prefix and terminator.
fn side<'p>(hunk: &[&'p str], prefixes: [char; 2]) -> Vec<&'p str> {
    hunk.iter().filter_map(|line| line.strip_prefix(prefixes)).map(content).collect()
}

fn content(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

fn adds(hunk: &[&str]) -> bool {
    hunk.iter().any(|line| line.starts_with('+'))
}

/// The patch that takes a built one back, by exchanging its two sides.
fn exchanged(patch: &str) -> String {
    let exchange = |line: &str| match line.split_at(1) {
        ("+", rest) => format!("-{rest}"),
        ("-", rest) => format!("+{rest}"),
        ("@", _) => {
            let (old, new) =
                line.strip_prefix("@@ -").and_then(|rest| rest.split_once(" +")).expect("a header");
            let (new, rest) = new.split_once(" @@").expect("a header ends");
            format!("@@ -{new} +{old} @@{rest}")
        }
        _ => line.to_owned(),
    };
    patch.split_inclusive('\n').map(exchange).collect()
}

/// The hunks of a sketch with true counts and any starts.
fn with_starts(sketch: &Sketch, starts: &[(usize, usize)]) -> String {
    let hunk = |(hunk, (old, new)): (&Vec<(char, String)>, &(usize, usize))| {
        let count = |without: char| hunk.iter().filter(|(kind, _)| *kind != without).count();
        let lines: String = hunk.iter().map(|(kind, line)| format!("{kind}{line}\n")).collect();
        format!("@@ -{old},{} +{new},{} @@\n{lines}", count('+'), count('-'))
    };
    sketch.hunks.iter().zip(starts).map(hunk).collect()
}

/// A line of a text, from 0, and the hunk that is there.
type Placed = (usize, Vec<(char, String)>);

/// The hunks of a sketch in the order of the places where their pre-images stand, each with its place; `None` where
/// one has no pre-image, no change, or not one place.
fn in_order(sketch: &Sketch) -> Option<Vec<Placed>> {
    let text = sketch.text();
    let mut placed = Vec::new();
    for hunk in &sketch.hunks {
        let old: Vec<_> =
            hunk.iter().filter(|(kind, _)| *kind != '+').map(|(_, line)| line.as_str()).collect();
        if old.is_empty() || hunk.iter().all(|(kind, _)| *kind == ' ') {
            return None;
        }
        let [place] = reference::places(&text, &old)[..] else { return None };
        placed.push((place, hunk.clone()));
    }
    placed.sort_by_key(|(place, _)| *place);
    Some(placed)
}

/// The text with each hunk put at its place; `None` where two claim a line.
fn put(text: &str, placed: &[Placed]) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (mut after, mut at) = (String::new(), 0);
    for (place, hunk) in placed {
        after += &lines.get(at..*place)?.concat();
        at = place + hunk.iter().filter(|(kind, _)| *kind != '+').count();
        after.extend(hunk.iter().filter(|(kind, _)| *kind != '-').map(|(_, line)| format!("{line}\n")));
    }
    Some(after + &lines[at..].concat())
}

/// Sent again, a rebased patch gives the same in both modes, with nothing to repair.
fn sent_again(text: &str, patch: &str) -> Result<String, TestCaseError> {
    let strict = run(Mode::Strict, text, patch);
    prop_assert_eq!(&strict, &run(Mode::Anchored, text, patch));
    strict.map_err(|e| TestCaseError::fail(format!("{patch:?}: {e}")))
}

proptest! {
    #![proptest_config(times(4))]

    /// A strict patch is offered anew exactly where each hunk has one place and none claims another's lines.
    #[test]
    fn a_moved_patch_does_what_moving_each_hunk_does(
        sketch in Sketch::any(),
        starts in prop::collection::vec((1_usize..9, 1_usize..9), 3),
    ) {
        let (text, patch) = (sketch.text(), with_starts(&sketch, &starts));
        let Err(refused) = run(Mode::Strict, &text, &patch) else { return Ok(()) };
        let expected = in_order(&sketch).and_then(|placed| put(&text, &placed)).filter(|after| *after != text);
        match refused.suggestion() {
            Some(Suggestion::Rebased(patch)) => prop_assert_eq!(Some(sent_again(&text, patch)?), expected),
            Some(_) => {}
            None => prop_assert_eq!(None, expected, "{:?}: {}", patch, refused),
        }
    }

    /// An anchored patch is offered anew exactly where its hunks fit in another order.
    #[test]
    fn a_reordered_patch_does_what_its_hunks_do_in_order(sketch in Sketch::any()) {
        let text = sketch.text();
        let Err(refused) = run(Mode::Anchored, &text, &sketch.patch()) else { return Ok(()) };
        let expected = in_order(&sketch).and_then(|placed| {
            let mut sorted = sketch.clone();
            sorted.hunks = placed.into_iter().map(|(_, hunk)| hunk).collect();
            reference::anchored(&sorted).ok()
        });
        let expected = expected.filter(|after| *after != text);
        match refused.suggestion() {
            Some(Suggestion::Rebased(patch)) => prop_assert_eq!(Some(sent_again(&text, patch)?), expected),
            Some(_) => prop_assert_eq!(None, expected),
            None => prop_assert_eq!(None, expected, "{}", refused),
        }
    }

    /// Lines above a text move its patch, and nothing else.
    #[test]
    fn a_drifted_patch_still_does_its_work(change in change(), context in 0_usize..4, drift in 1_usize..4) {
        let Change { before, after } = change;
        let patch = build(&before, &after, context);
        let above = "other\n".repeat(drift);
        if let Some(Suggestion::Rebased(patch)) = offered(Mode::Strict, &(above.clone() + &before), &patch) {
            prop_assert_eq!(sent_again(&(above.clone() + &before), &patch)?, above + &after);
        }
    }

    #[test]
    fn reapplying_a_patch_reports_already_applied(change in change(), context in 0_usize..4) {
        let Change { before, after } = change;
        let patch = build(&before, &after, context);
        prop_assume!(before != after && hunks(&patch).iter().all(|hunk| adds(hunk)));
        if let Err(refused) = run(Mode::Strict, &after, &patch) {
            prop_assert_eq!(refused.suggestion(), Some(&Suggestion::AlreadyApplied), "{:?}: {}", patch, refused);
        }
        let once = |text: &str, prefixes| {
            let mut sides = hunks(&patch).into_iter().map(|hunk| side(&hunk, prefixes));
            sides.all(|side| !side.is_empty() && reference::places(text, &side).len() == 1)
        };
        let solid = |hunk: &Vec<&str>| {
            side(hunk, [' ', '+']).iter().filter(|line| !line.trim().is_empty()).count() > 1
        };
        let plain = is_uniform(&before, &after) && before.ends_with('\n') && after.ends_with('\n');
        let clear = once(&before, [' ', '-']) && once(&after, [' ', '+']) && hunks(&patch).iter().all(solid);
        if plain && clear {
            if let Err(refused) = run(Mode::Anchored, &after, &patch) {
                prop_assert_eq!(refused.suggestion(), Some(&Suggestion::AlreadyApplied), "{:?}: {}", patch, refused);
            }
        }
    }

    /// Whatever text it is: who learns that a patch is in it can take the patch back, and apply it again.
    #[test]
    fn applied_already_is_proven(
        change in change(),
        context in 0_usize..4,
        mutations in prop::collection::vec(Mutation::any(), 0..3),
        other in any::<bool>(),
    ) {
        let patch = build(&change.before, &change.after, context);
        let text = if other { change.before } else { change.after };
        let text = mutations.iter().fold(text, |text, mutation| mutation.apply(&text));
        let hunks = hunks(&patch);
        if offered(Mode::Strict, &text, &patch) == Some(Suggestion::AlreadyApplied) {
            prop_assert!(hunks.iter().all(|hunk| adds(hunk)), "{}", patch);
            let before = reference::apply(&text, &exchanged(&patch));
            prop_assert!(before.is_some(), "{:?} is not in {:?}", patch, text);
            prop_assert_eq!(reference::apply(&before.unwrap_or_default(), &patch), Some(text.clone()));
        }
        if offered(Mode::Anchored, &text, &patch) == Some(Suggestion::AlreadyApplied) {
            prop_assert!(hunks.iter().all(|hunk| adds(hunk)), "{}", patch);
            let mut end = 0;
            for hunk in &hunks {
                let new = side(hunk, [' ', '+']);
                let places = reference::places(&text, &new);
                prop_assert!(matches!(places[..], [place] if place >= end), "{:?} at {:?}", new, places);
                end = places[0];
            }
        }
    }

    /// A sketch's text has never had what its patch adds: the letters are others.
    #[test]
    fn what_was_never_applied_is_never_called_so(
        sketch in Sketch::any(),
        starts in prop::collection::vec((1_usize..9, 1_usize..9), 3),
    ) {
        let text = sketch.text();
        for (mode, patch) in [(Mode::Strict, with_starts(&sketch, &starts)), (Mode::Anchored, sketch.patch())] {
            prop_assert_ne!(offered(mode, &text, &patch), Some(Suggestion::AlreadyApplied));
        }
    }

    /// A remedy is offered for conflicts of place only.
    #[test]
    fn faults_of_the_patch_have_no_remedy(
        change in change(),
        context in 0_usize..4,
        mutations in prop::collection::vec(Mutation::any(), 1..4),
    ) {
        let before = change.before;
        let patch = build(&before, &change.after, context);
        let mutated = mutations.iter().fold(patch, |patch, mutation| mutation.apply(&patch));
        for mode in [Mode::Strict, Mode::Anchored] {
            let Err(refused) = run(mode, &before, &mutated) else { continue };
            let Some(remedy) = refused.suggestion() else { continue };
            let mended = |reason| {
                let misplaced =
                    [Reason::Misordered, Reason::Overlap, Reason::StartMismatch, Reason::ContextMismatch];
                misplaced.contains(&reason)
                    || *remedy == Suggestion::AlreadyApplied
                        && [Reason::NotFound, Reason::Ambiguous, Reason::NoAnchor].contains(&reason)
            };
            prop_assert!(refused.conflicts().iter().all(|conflict| mended(conflict.reason)), "{}", refused);
            if let Suggestion::Rebased(rebased) = remedy {
                let hunks = mutated.lines().filter(|line| line.starts_with("@@")).count();
                prop_assert!(rebased.len() <= 2 * mutated.len() + 64 * hunks + 1024);
                prop_assert_ne!(sent_again(&before, rebased)?, &*before);
            }
        }
    }
}
