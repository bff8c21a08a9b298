//! What `canvas_patch::strategies` promise of their patches, and what follows for patches of Markdown.

use std::collections::BTreeMap;
use std::ops::Range;

use canvas_patch::strategies::{Defect, NearMiss, markdown, near_miss_for, patch_for};
use canvas_patch::{Applied, ApplyOptions, Mode, Reason, apply, build, outline};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;

use crate::laws::strategies::is_uniform;
use crate::laws::{check_both, run, times};

fn with<S: Strategy>(of: impl Fn(&str) -> S) -> impl Strategy<Value = (String, S::Value)> {
    markdown().prop_flat_map(move |text| {
        let strategy = of(&text);
        (Just(text), strategy)
    })
}

fn contents(text: &str) -> Vec<&str> {
    let content = |line| str::strip_suffix(line, '\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    text.split_inclusive('\n').map(|line| content(line).unwrap_or(line)).collect()
}

/// The lines of the text before that each hunk quotes or lies between, from 0.
fn quoted(patch: &str) -> Vec<Range<usize>> {
    let headers = patch.lines().filter_map(|line| line.strip_prefix("@@ -"));
    let range = |header: &str| {
        let (old, _) = header.split_once(' ').expect("a header has two sides");
        let (start, count) = old.split_once(',').unwrap_or((old, "1"));
        let [start, count] = [start, count].map(|number| number.parse::<usize>().expect("it is a number"));
        let start = if count == 0 { start } else { start - 1 };
        start..start + count
    };
    headers.map(range).collect()
}

/// Whether nothing that one patch changes is, or borders on, what the other quotes.
fn apart(changes: &Applied<'_>, patch: &str) -> bool {
    let quoted = quoted(patch);
    let touch = |a: &Range<usize>, b: &Range<usize>| a.start <= b.end && b.start <= a.end;
    changes.spans().iter().all(|span| quoted.iter().all(|quoted| !touch(&span.old_lines, quoted)))
}

fn bare(patch: &str) -> String {
    let line = |line| if str::starts_with(line, "@@") { "@@\n" } else { line };
    patch.split_inclusive('\n').map(line).collect()
}

proptest! {
    #![proptest_config(times(3))]

    #[test]
    fn a_fitting_patch_leads_there_and_back((text, fitting) in with(patch_for)) {
        let patch = &fitting.built.patch;
        prop_assert_ne!(&fitting.after, &text);
        let applied = apply(&text, patch, &ApplyOptions::default())?;
        prop_assert_eq!(applied.text(), &fitting.after);
        prop_assert_eq!(run(Mode::Strict, &fitting.after, &applied.inverse()), Ok(text.clone()));
        check_both(&text, patch)?;
        check_both(&fitting.after, patch)?;
    }

    /// What is printed reads as the same hunks: applied again, it is printed as it was.
    #[test]
    fn a_printed_patch_reads_as_it_was_meant((text, fitting) in with(patch_for)) {
        let built = fitting.built;
        let applied = apply(&text, &built.patch, &ApplyOptions::default())?;
        prop_assert_eq!((applied.summary(), applied.spans()), (built.summary, built.spans.clone()));
        let printed = applied.patch();
        let again = apply(&text, &printed, &ApplyOptions::default())?;
        prop_assert_eq!(again.patch(), printed);
        prop_assert_eq!((again.spans(), again.text()), (built.spans, &*fitting.after));
        let inverse = applied.inverse();
        let back = apply(&fitting.after, &inverse, &ApplyOptions::default())?;
        prop_assert_eq!(back.patch(), inverse);
    }

    #[test]
    fn a_near_miss_does_what_its_fault_says((text, near_miss) in with(near_miss_for)) {
        let NearMiss { patch, fault, meant } = near_miss;
        let strict = run(Mode::Strict, &text, &patch).map_err(|refused| refused.reason());
        let expected: &[Reason] = match fault {
            Defect::Counts => &[Reason::CountMismatch, Reason::BadLine, Reason::Truncated],
            Defect::Starts => &[Reason::ContextMismatch, Reason::StartMismatch, Reason::Misordered, Reason::Overlap],
            Defect::Bare => &[Reason::BadHeader],
            Defect::Misquoted => &[Reason::ContextMismatch],
            Defect::Unprefixed => &[Reason::BadLine],
            Defect::Reordered => &[Reason::StartMismatch, Reason::Misordered],
        };
        prop_assert!(matches!(&strict, Err(reason) if expected.contains(reason)), "{:?}: {:?}", fault, strict);
        let anchored = run(Mode::Anchored, &text, &patch).map_err(|refused| refused.reason());
        let expected = match fault {
            Defect::Misquoted => Err(Reason::NotFound),
            Defect::Unprefixed => Err(Reason::BadLine),
            Defect::Reordered => Err(Reason::Misordered),
            Defect::Counts | Defect::Starts | Defect::Bare => Ok(meant.clone()),
        };
        prop_assert_eq!(fault.is_arithmetic(), expected.is_ok());
        if is_uniform(&text, &meant) || expected.is_err() {
            prop_assert_eq!(anchored, expected, "{:?}", fault);
        } else {
            match anchored {
                Ok(anchored) => prop_assert_eq!(contents(&anchored), contents(&meant)),
                Err(reason) => {
                    prop_assert_eq!(reason, Reason::NoEffect);
                    prop_assert_eq!(contents(&text), contents(&meant));
                }
            }
        }
    }

    /// Placed by their content alone, two patches that leave each other's lines alone may come in either order. The
    /// second is refused where the first has written what it quotes once more.
    #[test]
    fn disjoint_patches_commute(
        (above, above_after) in with(patch_for),
        (below, below_after) in with(patch_for),
        crlf in any::<bool>(),
        context in 1_usize..4,
    ) {
        let whole = |above: &str, below: &str| {
            let text = format!("{above}\n1\n2\n3\n4\n5\n6\n7\n{below}").replace("\r\n", "\n");
            if crlf { text.replace('\n', "\r\n") } else { text }
        };
        let text = whole(&above, &below);
        let (a, b) = (whole(&above_after.after, &below), whole(&above, &below_after.after));
        prop_assume!(text != a && text != b && is_uniform(&text, &a) && is_uniform(&text, &b));
        let (a, b) = (build(&text, &a, context), build(&text, &b, context));
        prop_assume!(!a.contains("\n--- ") && !b.contains("\n--- "));
        let (first, second) = (apply(&text, &a, &ApplyOptions::default())?, apply(&text, &b, &ApplyOptions::default())?);
        prop_assume!(apart(&first, &b) && apart(&second, &a));
        // As values they commute, whatever is there twice.
        let moved = [(&first, &second), (&second, &first)].map(|(one, other)| {
            other.delta().transform(&one.delta()).expect("they lie apart").apply(one.text())
        });
        prop_assert_eq!(&moved[0], &moved[1]);
        for (one, other, both) in [(&first, &b, &moved[0]), (&second, &a, &moved[1])] {
            match run(Mode::Anchored, one.text(), &bare(other)) {
                Ok(after) => prop_assert_eq!(Ok(&after), both.as_ref()),
                Err(refused) => prop_assert!(
                    refused.conflicts().iter().all(|conflict| conflict.reason == Reason::Ambiguous),
                    "{}",
                    refused
                ),
            }
        }
    }
}

/// A thousand near misses, the same ones each time.
fn near_misses() -> impl Iterator<Item = (String, NearMiss)> {
    let mut runner = TestRunner::deterministic();
    (0..1_000).map(move |_| with(near_miss_for).new_tree(&mut runner).expect("there is one").current())
}

#[test]
fn a_near_miss_has_one_place() {
    for (text, NearMiss { patch, fault, .. }) in near_misses() {
        assert!(run(Mode::Strict, &text, &patch).is_err(), "{fault:?} {text:?} {patch:?}");
        let anchored = run(Mode::Anchored, &text, &patch).err().map(|refused| refused.reason());
        let unplaced = matches!(anchored, Some(Reason::Ambiguous | Reason::NoAnchor));
        assert!(!unplaced, "{fault:?} {text:?} {patch:?}");
    }
}

/// Strategies that never yield a shape test nothing of it.
#[test]
fn every_shape_turns_up() {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (text, near_miss) in near_misses() {
        let lone = text.replace("\r\n", "\n").contains('\r');
        let lf = text.replace("\r\n", "").contains('\n');
        let outline = outline(&text);
        for (shape, is_there) in [
            ("front matter", outline.front_matter().is_some()),
            ("sections in sections", outline.sections().iter().any(|section| section.parent.is_some())),
            ("headings in quotes or items", !outline.containers().is_empty()),
            ("underlined headings", outline.sections().iter().any(|one| one.heading.start < one.heading.end)),
            ("fences", text.contains("```")),
            ("CRLF", text.contains("\r\n") && !lf && !lone),
            ("LF", lf && !text.contains('\r')),
            ("mixed", lf && text.contains("\r\n")),
            ("lone CR", lone),
            ("no last newline", !text.is_empty() && !text.ends_with('\n')),
            ("mark", text.starts_with('\u{feff}')),
            ("empty", text.is_empty()),
        ] {
            *seen.entry(shape.to_owned()).or_default() += usize::from(is_there);
        }
        *seen.entry(format!("{:?}", near_miss.fault)).or_default() += 1;
    }
    assert!(seen.len() == 18 && seen.values().all(|&times| times >= 10), "{seen:?}");
}
