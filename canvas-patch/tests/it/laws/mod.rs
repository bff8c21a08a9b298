//! What holds for every text and every patch.

mod building;
mod fitting;
mod outdated;
mod parts;
mod reference;
mod refusals;
mod remedies;
mod strategies;

use canvas_patch::{ApplyError, ApplyOptions, BuildOptions, Mode, Reason, apply, build, build_unique};
use proptest::prelude::*;

use canvas_patch::strategies::{Change, change};

use crate::laws::strategies::{Mutation, Sketch, is_uniform};

/// So many times the usual number of cases, which the environment sets by `PROPTEST_CASES`.
fn times(factor: u32) -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = usual.cases * factor;
    ProptestConfig { cases, max_global_rejects: cases, ..usual }
}

fn run(mode: Mode, text: &str, patch: &str) -> Result<String, ApplyError> {
    apply(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() }).map(|applied| applied.into_text())
}

/// A refusal names at least one conflict, each with a place in the patch, and what it shows is true.
fn check_refusal(text: &str, patch: &str, refusal: &ApplyError) -> Result<(), TestCaseError> {
    let (lines, hunks) = (patch.lines().count(), patch.lines().filter(|line| line.starts_with("@@")).count());
    prop_assert!(!refusal.conflicts().is_empty());
    for conflict in refusal.conflicts() {
        prop_assert!((1..=lines + 1).contains(&conflict.patch_line), "{conflict:?}");
        prop_assert!(conflict.hunk <= hunks, "{conflict:?}");
        prop_assert!(conflict.line.is_none_or(|line| line > 0), "{conflict:?}");
        prop_assert!(conflict.candidates.is_sorted(), "{conflict:?}");
        refusals::check(text, patch, conflict)?;
    }
    Ok(())
}

/// Strict mode does what the definition of the format says, and anchored mode never anything else.
fn check_both(text: &str, patch: &str) -> Result<(), TestCaseError> {
    let strict = run(Mode::Strict, text, patch);
    let defined = reference::apply(text, patch);
    match (&strict, defined) {
        (Ok(after), defined) => prop_assert_eq!(Some(after), defined.as_ref()),
        (Err(e), Some(after)) => {
            prop_assert_eq!(e.reason(), Reason::NoEffect, "{}", e);
            prop_assert_eq!(after, text);
        }
        // Only a hunk can be without effect and at fault, not the patch as a whole.
        (Err(e), None) => {
            prop_assert!(e.conflicts().iter().all(|c| c.hunk > 0 || c.reason != Reason::NoEffect))
        }
    }
    let anchored = apply(text, patch, &ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() });
    match (&strict, &anchored) {
        (Ok(strict), Ok(anchored)) => {
            prop_assert_eq!(strict, anchored.text());
            prop_assert_eq!(anchored.repairs(), []);
        }
        (Ok(_), Err(e)) => prop_assert!(e.conflicts().iter().any(|c| c.reason == Reason::NoAnchor), "{}", e),
        // What is not listed as repaired was right.
        (Err(e), Ok(anchored)) => {
            prop_assert!(!anchored.repairs().is_empty(), "{}", e);
        }
        _ => {}
    }
    for refusal in strict.as_ref().err().into_iter().chain(anchored.as_ref().err()) {
        check_refusal(text, patch, refusal)?;
    }
    if let Ok(anchored) = &anchored {
        prop_assert_eq!(run(Mode::Strict, anchored.text(), &anchored.inverse()), Ok(text.to_owned()));
        prop_assert_eq!(run(Mode::Strict, text, &anchored.patch()), Ok(anchored.text().to_owned()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(times(3))]

    #[test]
    fn built_patches_lead_there_and_back(change in change(), context in 0_usize..5) {
        let Change { before, after } = change;
        let patch = build(&before, &after, context);
        prop_assert_eq!(patch.is_empty(), before == after);
        prop_assume!(before != after);
        let applied = apply(&before, &patch, &ApplyOptions::default()).expect("a built patch applies");
        prop_assert_eq!(applied.text(), &after);
        prop_assert_eq!(run(Mode::Strict, &after, &applied.inverse()), Ok(before.clone()));
        prop_assert_eq!(run(Mode::Strict, &after, &build(&after, &before, context)), Ok(before.clone()));
        check_both(&before, &patch)?;
    }

    #[test]
    fn mutated_patches_do_what_the_format_says(
        change in change(),
        context in 0_usize..4,
        mutations in prop::collection::vec(Mutation::any(), 1..4),
    ) {
        let before = change.before;
        let patch = build(&before, &change.after, context);
        let mutated = mutations.iter().fold(patch, |patch, mutation| mutation.apply(&patch));
        check_both(&before, &mutated)?;
    }

    #[test]
    fn mutated_texts_are_distinguished(change in change(), context in 0_usize..4, mutation in Mutation::any()) {
        let patch = build(&change.before, &change.after, context);
        check_both(&mutation.apply(&change.before), &patch)?;
    }

    #[test]
    fn nothing_panics(text in strategies::noise(), patch in strategies::noise()) {
        for mode in [Mode::Strict, Mode::Anchored] {
            match run(mode, &text, &patch) {
                Ok(after) => prop_assert_ne!(after, &*text),
                Err(e) => {
                    check_refusal(&text, &patch, &e)?;
                    prop_assert!(!e.to_string().is_empty());
                }
            }
        }
    }

    #[test]
    fn arithmetic_is_no_more_than_a_hint(
        change in change(),
        context in 0_usize..4,
        headers in prop::collection::vec(strategies::header(), 12),
    ) {
        let Change { before, after } = change;
        let built = build_unique(&before, &after, &BuildOptions { context, widest_context: 8 });
        let patch = built.patch;
        prop_assume!(before != after && !patch.contains("\n--- ") && built.ambiguous.is_empty());
        let mut headers = headers.iter();
        let scrambled: String = patch
            .split_inclusive('\n')
            .map(|line| if line.starts_with("@@") { headers.next().map_or(line, String::as_str) } else { line })
            .collect();
        let anchored = run(Mode::Anchored, &before, &scrambled);
        if is_uniform(&before, &after) {
            prop_assert_eq!(anchored, Ok(after));
        } else {
            // Where endings are mixed, an inserted line takes its neighbour's, and may so become what it replaces.
            let content = |text: &str| text.replace("\r\n", "\n");
            match anchored {
                Ok(anchored) => prop_assert_eq!(content(&anchored), content(&after)),
                Err(e) => {
                    prop_assert_eq!(e.reason(), Reason::NoEffect, "{}", e);
                    prop_assert_eq!(content(&before), content(&after));
                }
            }
        }
    }

    #[test]
    fn spans_hold_every_change(change in change(), context in 1_usize..4) {
        let Change { before, after } = change;
        prop_assume!(before != after);
        let patch = build(&before, &after, context).replace("@@ -", "@@ ");
        let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
        let Ok(applied) = apply(&before, &patch, &options) else { return Ok(()) };
        let (text, line) = (applied.text(), |text: &str, at: usize| text[..at].split_inclusive('\n').count());
        let (mut old_at, mut new_at) = (0, 0);
        for span in applied.spans() {
            let (old, new) = (&span.old_bytes, &span.new_bytes);
            prop_assert_eq!(&before[old_at..old.start], &text[new_at..new.start]);
            prop_assert_eq!(span.old_lines, line(&before, old.start)..line(&before, old.end));
            prop_assert_eq!(span.new_lines, line(text, new.start)..line(text, new.end));
            (old_at, new_at) = (old.end, new.end);
        }
        prop_assert_eq!(&before[old_at..], &text[new_at..]);
    }

    #[test]
    fn hunks_stand_where_a_naive_search_finds_them(sketch in Sketch::any()) {
        let (text, patch) = (sketch.text(), sketch.patch());
        match (run(Mode::Anchored, &text, &patch), reference::anchored(&sketch)) {
            (Ok(after), Ok(expected)) => prop_assert_eq!(after, expected),
            (Err(e), expected) => {
                let found: Vec<_> = e.conflicts().iter().map(|c| (c.hunk, c.reason, c.candidates.clone())).collect();
                match expected {
                    Ok(after) => prop_assert_eq!((e.reason(), after), (Reason::NoEffect, text)),
                    Err(expected) => prop_assert_eq!(found, expected),
                }
            }
            (Ok(after), Err(expected)) => prop_assert!(false, "{:?} for {:?}", after, expected),
        }
    }
}
