//! What a refusal says of a place is true, and the place is the one that was meant.

use canvas_patch::{ApplyOptions, Conflict, Difference, Mode, Reason, RepairKind, StatedLines, apply};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::laws::run;

/// What a conflict shows of the text stands there, and what it says of a number holds.
pub(crate) fn check(text: &str, patch: &str, conflict: &Conflict) -> Result<(), TestCaseError> {
    let lines: Vec<&str> = text.split_inclusive('\n').map(content).collect();
    for quoted in conflict.nearby.iter().chain(conflict.places.iter().flat_map(|place| &place.nearby)) {
        let line = lines[quoted.line - 1];
        let is_whole = quoted.text == line;
        let part = quoted.text.trim_matches('…');
        let is_cut = part != quoted.text && (40..=200).contains(&part.chars().count()) && line.contains(part);
        prop_assert!(is_whole || is_cut, "{quoted:?} is not {line:?}");
    }
    if conflict.reason == Reason::Ambiguous {
        let shown: Vec<usize> = conflict.places.iter().map(|place| place.line).collect();
        prop_assert_eq!(shown.len(), conflict.candidates.len().min(Conflict::PLACES));
        prop_assert!(shown.is_sorted());
        let is_all = conflict.candidates.len() < Conflict::CANDIDATES;
        prop_assert!(!is_all || shown.iter().all(|line| conflict.candidates.contains(line)));
    }
    if let Some(line) = conflict.present_at {
        prop_assert!((1..=lines.len()).contains(&line));
    }
    for place in &conflict.places {
        let Some(header) = &place.header else { continue };
        let (first, count) = hunk_lines(patch, conflict.patch_line);
        let body: String = patch.split_inclusive('\n').skip(first).take(count).collect();
        let alone = format!("{header}\n{body}");
        let line = place.line - 1..place.line;
        let shown = std::slice::from_ref(&line);
        let by_number = ApplyOptions {
            mode: Mode::Anchored,
            stated_lines: StatedLines::Shown(shown),
            ..ApplyOptions::default()
        };
        let (strict, shown) = (run(Mode::Strict, text, &alone), apply(text, &alone, &by_number));
        // What it does may be nothing.
        match (strict, shown) {
            (Ok(strict), Ok(shown)) => prop_assert_eq!(strict, shown.text()),
            (strict, Err(e)) => {
                prop_assert_eq!((e.reason(), strict.is_err()), (Reason::NoEffect, true), "{}", alone)
            }
            // A blank line without prefix is no line of a strict patch, nor is a marker of the end that is out of
            // place; where such a marker follows such a line, both stand after the lines that the header counts.
            (Err(e), Ok(_)) => {
                let is_excused = match e.reason() {
                    Reason::BadLine | Reason::EofMarker => true,
                    Reason::UnexpectedText => {
                        let body: Vec<&str> = body.lines().collect();
                        body.windows(2).any(|pair| pair[0].is_empty() && pair[1].starts_with("\\ "))
                    }
                    _ => false,
                };
                prop_assert!(is_excused, "{:?}: {}", e, alone)
            }
        }
    }
    Ok(())
}

/// The lines of the patch, from 0, of the hunk whose header is at `header`, without blank ones at its end.
fn hunk_lines(patch: &str, header: usize) -> (usize, usize) {
    let body = patch.split_inclusive('\n').skip(header).take_while(|line| !line.starts_with("@@"));
    let body: Vec<&str> = body.collect();
    let trailing = body.iter().rev().take_while(|line| content(line).is_empty()).count();
    (header, body.len() - trailing)
}

fn content(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
}

/// Lines that are not like one another.
fn distinct_lines() -> impl Strategy<Value = Vec<String>> {
    let words = prop::collection::vec("[a-z]{5,8}", 3..7).prop_map(|words| words.join(" "));
    prop::collection::vec(words, 3..40)
}

fn written(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// A hunk that quotes lines, with a header that says nothing or anything.
fn quoting(header: &str, lines: &[String]) -> String {
    let body: String = lines.iter().map(|line| format!(" {line}\n")).collect();
    format!("{header}\n{body}+added\n")
}

fn header() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("@@".to_owned()),
        1 => (1..60_usize, 1..9_usize).prop_map(|(line, count)| format!("@@ -{line},{count} +{line},{count} @@")),
    ]
}

fn only(text: &str, patch: &str) -> Result<Conflict, TestCaseError> {
    let refused = run(Mode::Anchored, text, patch);
    let Err(refused) = refused else { return Err(TestCaseError::fail("it fits")) };
    let [conflict] = refused.conflicts() else { return Err(TestCaseError::fail("there is one hunk")) };
    check(text, patch, conflict)?;
    Ok(conflict.clone())
}

proptest! {
    #[test]
    fn a_misquoted_line_is_found(
        (lines, start, len) in distinct_lines().prop_flat_map(|lines| {
            let count = lines.len();
            (Just(lines), 0..count).prop_flat_map(move |(lines, start)| (Just(lines), Just(start), 1..=count - start))
        }),
        at in any::<Index>(),
        letter in any::<Index>(),
        header in header(),
    ) {
        let mut quoted = lines[start..start + len].to_vec();
        let at = at.index(len);
        let letter = letter.index(quoted[at].len());
        quoted[at].replace_range(letter..=letter, "Q");
        let found = only(&written(&lines), &quoting(&header, &quoted))?;
        prop_assert_eq!((found.reason, found.line, found.patch_line), (Reason::NotFound, Some(start + at + 1), at + 2));
        let mismatch = found.mismatch.expect("a line differs");
        prop_assert_eq!((mismatch.column, mismatch.actual.as_ref()), (letter + 1, Some(&lines[start + at])));
        prop_assert_eq!(found.nearby.len(), lines.len().min(start + at + 2) - (start + at).saturating_sub(1));
    }

    #[test]
    fn a_line_too_many_or_too_few_is_found(
        lines in distinct_lines(),
        at in any::<Index>(),
        extra in prop::option::of("[A-Z]{4,9}"),
        header in header(),
    ) {
        // Neither the first line nor the last one, which have neighbours on one side only.
        let at = 1 + at.index(lines.len() - 2);
        let mut quoted = lines.clone();
        let difference = match extra {
            Some(extra) => {
                quoted.insert(at, extra);
                Difference::Extra
            }
            None => {
                quoted.remove(at);
                Difference::LeftOut
            }
        };
        let found = only(&written(&lines), &quoting(&header, &quoted))?;
        prop_assert_eq!((found.line, found.patch_line), (Some(at + 1), at + 2));
        prop_assert_eq!(found.mismatch.map(|mismatch| mismatch.difference), Some(difference));
    }

    /// A blank line that has lost its plus is read as with it, unless it fits as context.
    #[test]
    fn a_blank_line_between_added_ones_is_one(
        text in prop::collection::vec("[ab]?", 0..12),
        hunk in prop::collection::vec(("[ +-]", "[ab]?"), 1..8),
    ) {
        let text = written(&text);
        let write = |blank: &str| {
            let mut patch = "@@\n".to_owned();
            for (i, (kind, line)) in hunk.iter().enumerate() {
                let is_added = |i: usize| hunk.get(i).is_some_and(|(kind, line)| kind == "+" && !line.is_empty());
                let is_between = kind == "+" && line.is_empty() && i > 0 && is_added(i - 1) && is_added(i + 1);
                patch += &if is_between { format!("{blank}\n") } else { format!("{kind}{line}\n") };
            }
            patch
        };
        let (meant, bare, context) = (write("+"), write(""), write(" "));
        let anchored = |patch: &str| {
            let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
            apply(&text, patch, &options).map(|applied| {
                let is_added = applied.repairs().iter().any(|repair| repair.kind == RepairKind::BlankAdded);
                (applied.into_text(), is_added)
            })
        };
        match (anchored(&bare), anchored(&context)) {
            (Ok((after, false)), in_context) => prop_assert_eq!(Ok((after, false)), in_context),
            (Ok((after, true)), in_context) => {
                prop_assert_eq!(Ok((after, false)), anchored(&meant));
                prop_assert_eq!(in_context.map_err(|e| e.reason()), Err(Reason::NotFound));
            }
            (Err(e), in_context) => {
                prop_assert!(in_context.is_err(), "{}", e);
                if in_context.is_err_and(|e| e.reason() == Reason::NotFound) && bare != context {
                    prop_assert_eq!(Some(e.reason()), anchored(&meant).err().map(|e| e.reason()));
                }
            }
        }
    }
}
