use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample;

use super::*;
use crate::diff::changed::MAX_EDITS;
use crate::markdown::outline::found::{Lead, RestartPoint};
use crate::markdown::outline::index::SPACING;
use crate::markdown::outline::labels::keep_firsts;
use crate::markdown::outline::parts::{scan, scan_in_parts, scan_whole};
use crate::markdown::outline::scan::BYTES_PARSED;
use crate::strategies::{hostile_line, hostile_lines, hostile_markdown};

/// Runs `usual` cases, or 100,000 if `CANVAS_LAWS` is `full`.
#[expect(clippy::disallowed_methods, reason = "a test is a host")]
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let full = std::env::var("CANVAS_LAWS").is_ok_and(|laws| laws == "full");
    ProptestConfig { cases: if full { 100_000 } else { usual }, ..ProptestConfig::default() }
}

/// Checks that all kept data equal the result of a fresh reading.
#[track_caller]
fn check(live: &LiveOutline) {
    let (text, index) = (live.text(), &live.index);
    let ScanResult { sections, containers, blocks, points, definitions, .. } =
        scan_whole::<true, true>(text, index.lead, SPACING);
    let outline = Outline { sections, containers, front_matter: index.lead.front_matter };
    assert_eq!(index.outline, outline, "{text:?}");
    assert_eq!(index.blocks, blocks, "{text:?}");
    // A reading in parts finds the same as one reading of the whole.
    assert_eq!(scan::<true>(text), (outline, blocks), "{text:?}");
    let fresh = Index::new(text);
    assert_eq!((&fresh.points, &fresh.definitions), (&points, &definitions), "{text:?}");
    assert_eq!(index.lead, fresh.lead);
    assert_eq!(index.points[0], fresh.points[0]);
    assert!(index.points.is_sorted_by(|a, b| a.byte < b.byte), "{text:?}");
    let is_point =
        |point: &RestartPoint| points.binary_search_by_key(&point.byte, |p| p.byte).map(|at| points[at]);
    assert!(index.points.iter().all(|point| is_point(point) == Ok(*point)), "{text:?}");
    assert!(index.definitions.is_sorted_by_key(|definition| definition.byte));
    let all =
        |index: &Index| index.definitions.iter().map(|d| d.label.to_lowercase()).collect::<BTreeSet<_>>();
    assert_eq!(all(index), all(&fresh), "{text:?}");
    assert!(definitions.iter().all(|definition| index.definitions.contains(definition)));
    assert_eq!(index.limits.brackets, fresh.limits.brackets);
    assert!(index.limits.longest_definition >= fresh.limits.longest_definition);
    assert!(index.limits.deep >= fresh.limits.deep);
}

pub(crate) fn text_edit(at: usize, old: &str, new: &str) -> TextEdit {
    TextEdit { at, old: old.to_owned(), new: new.to_owned() }
}

pub(crate) fn whole(live: &LiveOutline) -> Region {
    live.index.whole()
}

/// Makes an edit and returns whether only a part of the text was read again.
#[track_caller]
fn edit(live: &mut LiveOutline, after: &str, edits: &[TextEdit]) -> bool {
    let changes = changes(live.text(), after, edits);
    let in_part = live.index.plan(live.text(), after, &changes).is_some();
    live.edit(after.to_owned(), edits);
    assert_eq!(live.text(), after);
    check(live);
    in_part
}

/// Edits each text into the other and back, with each line ending and inside several surrounding texts.
#[track_caller]
fn check_table(rows: &[(&str, &str)]) {
    for (before, after) in rows {
        for ending in ["\n", "\r\n", "\r"] {
            for around in
                [("", ""), ("# A\n\na\n\n## B\n\n", "\n\n# C\n\nc\n\n### D\n"), ("- a\n", "- b\n\n# c\n")]
            {
                let whole = |text: &str| format!("{}{text}{}", around.0, around.1).replace('\n', ending);
                let (before, after) = (whole(before), whole(after));
                let mut live = LiveOutline::new(before.clone());
                check(&live);
                edit(&mut live, &after, &[]);
                edit(&mut live, &before, &[]);
                edit(&mut live, &after, &[text_edit(0, &before, &after)]);
            }
        }
    }
}

#[test]
fn what_reaches_far() {
    check_table(&[
        // Fences and HTML that open and close.
        ("a\n\n# b\n\nc\n", "a\n\n```\n# b\n\nc\n"),
        ("```\n# a\n```\n\n# b\n", "# a\n```\n\n# b\n"),
        ("````\n```\n# a\n````\n# b\n", "```\n```\n# a\n````\n# b\n"),
        ("~~~\n# a\n", "~~\n# a\n"),
        ("<!--\n\n# a\n\n-->\n# b\n", "<!-\n\n# a\n\n-->\n# b\n"),
        ("<div>\n# a\n\n# b\n", "<div>\n\n# a\n\n# b\n"),
        ("<pre>\n\n# a\n", "pre>\n\n# a\n"),
        // Underlines reach back.
        ("a\nb\n\n---\n", "a\nb\n---\n"),
        ("a\nb\nc\nd\ne\n", "a\nb\nc\nd\n===\n"),
        ("# a\nb\n", "# a\nb\n-\n"),
        ("- a\n---\n", "- a\n  ---\n"),
        // Lazy lines and indents.
        ("> a\n\nb\n", "> a\nb\n"),
        ("> a\nb\n===\n", "> a\n> b\n> ===\n"),
        ("- a\n\n  # b\n", "- a\n\n # b\n"),
        ("1. a\n\n   # b\n2. c\n", "10. a\n\n   # b\n2. c\n"),
        ("a\n    # b\n", "a\n\n    # b\n"),
        ("-\n\n  # a\n", "- \n  # a\n"),
        ("a\n2. # b\n", "a\n\n2. # b\n"),
        // Tables: the line below decides what a line is.
        ("a\n| b | c |\nd | e\n# f\n", "a\n| b | c |\n|---|---|\n# f\n"),
        ("a\n2. b|c\n   -|=\n", "a\n2. b|c\n   -|-\n"),
        ("a\n2. b|c\n-|-\n# d\n", "a\n2. b|c\n-|=\n# d\n"),
        ("a\n2. | b |\n|-|\n# d\n", "a\n2. | b |\n|=|\n# d\n"),
        ("a\n2. | b | c |\n|-|-|\n# d\n", "a\n2. | b | c |\n|=|-|\n# d\n"),
        ("| a |\n| - |\n| b |\n---\n", "| a |\n\n| b |\n---\n"),
        // Definitions.
        ("# [x]\n\na\n\n[x]: b\n", "# [x]\n\na\n\n[y]: b\n"),
        ("# [x]\n\n[x]: b\n\nc\n\n[X]: d\n", "# [x]\n\n[x]: b\n\nc\n\nd\n"),
        ("# [x]\n\n[x]: b\n\nc\n\n[x]: d\n", "# [x]\n\nb\n\nc\n\n[x]: d\n"),
        ("[x]: b\n'c\n# d\n'\n", "[x]: b\n'c\n\n'\n"),
        ("[x]: b\n'c\nd e\n\n# [x]\n", "[x]: b\n'c\nd'\n\n# [x]\n"),
        ("a\n\n# [x] [y][x] [x][]\n\nb\n\n[x]: c\n", "a\n\n# [x] [y][x] [z][]\n\nb\n\n[x]: c\n"),
        ("```\n[x]: a\n```\n# [x]\n", "``\n[x]: a\n```\n# [x]\n"),
        // Titles with labels defined elsewhere, on a line of their own, in containers, underlined, or indented below
        // definitions.
        (
            "# [x]\n\n> # [x]\n\n- # [x]\n\n[x]\n===\n\nb\n\n[x]: c\n",
            "# [x]\n\n> # [x]\n\n[X]\n---\n\nb\n\n[x]: d\n",
        ),
        ("a\n\n[y]: b\n    # [x] c\n===\n\nd\n\n[x]: e\n", "a\n\n[y]: b\n\n   # [x] c\n===\n\nd\n\n[x]: e\n"),
        ("#[x]\n===\n\n####### [x]\n---\n\na\n\n[x]: e\n", "#\t[x]\n\n###### [x] ##\n\na\n\n[x]: e\n"),
        ("# [ſ] [k] [ß]\n\na\n\n[S]: b\n\n[\u{212a}]: b\n\n[SS]: b\n", "# [ſ] [k] [ß]\n\na\n\n[t]: b\n"),
        // Parents, ends and text before the first heading.
        ("# a\n\n## b\n\n### c\n\n# d\n", "# a\n\n### c\n\n# d\n"),
        ("## a\n\nb\n\n## c\n", "# a\n\nb\n\n## c\n"),
        ("a\n\n- b\n\n## c\n", "### a\n\n- b\n\n## c\n"),
        ("> # a\n\n- # b\n\n# c\n", "# 0\n\n> # a\n\n- # b\n\n# c\n"),
        ("# a\n\nb\n\n\n\n\n# c\n", "# a\n\n\n\n\n# c\n"),
        // The last line, with and without its end.
        ("# a\n\nb", "# a\n\nb\n"),
        ("# a\n\n# b", "# a\n\n#b"),
        ("", "# a"),
        ("a\0b\n\n# \u{1F600}\n", "a\0\n\n# \u{1F600}c\n"),
    ]);
}

#[test]
fn front_matter_comes_and_goes() {
    let rest = "# b\n\nc\n\n# d\n\n- e\n";
    let heads = [
        "",
        "\u{feff}",
        "---\n",
        "---\n---\n",
        "---\na: b\n---\n",
        "---\na: bc\n---\n",
        "---\na: b\n...\n",
        "---\n\n---\n",
        "\u{feff}---\na: b\n---\n",
        "---\na: b\n--- \n\n",
        "--\na: b\n---\n",
        "---\na\n\n# x\n",
    ];
    for (before, after) in heads.iter().flat_map(|before| heads.map(|after| (before, after))) {
        for (middle, end) in [("", ""), ("", "\n---\n"), ("---\n\n", "\n---\n\n# z\n")] {
            let text = |head: &str, end: &str| format!("{head}{middle}{rest}{end}");
            let mut live = LiveOutline::new(text(before, end));
            edit(&mut live, &text(after, end), &[]);
            edit(&mut live, &text(before, ""), &[]);
            edit(&mut live, &text(before, end), &[]);
        }
    }
}

#[test]
fn wrong_edits_do_no_harm() {
    let (before, after) = ("# a\n\nb\n\n# c\n", "# a\n\nbc\n\n## c\n");
    for edits in [
        vec![],
        vec![text_edit(0, "", "")],
        vec![text_edit(5, "b\n", "bc\n")],
        vec![text_edit(5, "b\n", "bc\n"), text_edit(8, "# ", "## "), text_edit(90, "x", "y")],
        vec![text_edit(8, "#", "##"), text_edit(5, "b\n", "bc\n")],
        vec![text_edit(usize::MAX, "x", "y")],
        vec![text_edit(5, "x\n", "bc\n"), text_edit(8, "#", "##")],
        vec![text_edit(5, "b\n", "bd\n"), text_edit(8, "#", "##")],
        vec![text_edit(0, before, after)],
        vec![text_edit(5, "b\n", "bc\n"), text_edit(8, "#", "##")],
    ] {
        edit(&mut LiveOutline::new(before.to_owned()), after, &edits);
    }
    // Inside a character.
    let mut live = LiveOutline::new("# \u{e9}\n\n# b\n".to_owned());
    edit(&mut live, "# \u{e8}\n\n# b\n", &[text_edit(3, "", "")]);
}

/// Restart points are the start of the text and each line at which no block is open.
#[test]
fn where_reading_can_start_again() {
    for (text, lines) in [
        ("a\nb\n\nc\n\n\nd\n", &[1, 4, 7][..]),
        ("a\n# b\nc\n===\n", &[1, 2]),
        // A part that ended at the indented start of the text would never get further.
        ("   # a\n\nb\n\nc\n\nd\n\ne\n\nf\n", &[1, 3, 5, 7, 9, 11]),
        ("a\n   # b\n\n   c\n\n   - d\n", &[1, 2, 4, 6]),
        // Code by its indent.
        ("a\n\n    # b\n\n\tc\n", &[1]),
        ("- a\n- b\n  - c\n\n  # d\n\n1. e\n", &[1, 2, 7]),
        ("> a\n>\n> # b\n\n> c\n", &[1, 5]),
        ("```\n# a\n\nb\n```\n# c\n", &[1, 6]),
    ] {
        let live = LiveOutline::new(text.to_owned());
        assert_eq!(live.index.points.iter().map(|point| point.line).collect::<Vec<_>>(), lines, "{text:?}");
    }
}

#[test]
fn edits_far_apart_are_read_apart() {
    let (text, places) = ("a\n\n".repeat(1_000), [300, 1_500, 2_400]);
    let mut after = text.clone();
    for at in places {
        after.replace_range(at..at + 1, "b");
    }
    let edits = places.map(|at| text_edit(at, &text[at..at + 1], "b"));
    let live = LiveOutline::new(text);
    let changes = changes(live.text(), &after, &edits);
    let plan = live.index.plan(live.text(), &after, &changes).expect("a part will do");
    let read: Vec<_> = plan.reparses.iter().map(|reparse| reparse.found.points.len()).collect();
    assert!(read.len() == places.len() && read.iter().all(|&points| points < 8), "{read:?}");
}

#[test]
fn too_many_edits_count_as_one() {
    for (count, kept) in [(1, 1), (MAX_EDITS, MAX_EDITS), (MAX_EDITS + 1, 1), (2 * MAX_EDITS, 1)] {
        let edits: Vec<_> = (0..count).map(|at| text_edit(2 * at, "a", "b")).collect();
        let changes = changes(&"a\n".repeat(count), &"b\n".repeat(count), &edits);
        assert_eq!((changes.len(), changes[kept - 1].new.end), (kept, 2 * count - 1));
    }
}

#[test]
fn limits_of_the_parser() {
    // So many references that not all of them are resolved, until some are removed.
    let dense = format!("[x]: {}\n\n# [x]\n\n", "y".repeat(2_000)) + &"[x]\n\n".repeat(48) + "# [x]\n";
    let mut live = LiveOutline::new(dense.clone());
    for more in ["[x] [x] [x]\n", "[x]\n", ""] {
        edit(&mut live, &format!("{dense}\na\n\n{more}\n\n# [x]\n"), &[]);
    }
    // Few references for a long text, but too many for the part of it that is read again.
    let long = ("a".repeat(99) + "\n\n").repeat(1_000);
    let part = |link: &str| format!("[x]: {}\n\n{}# c{link}\n\n", link.repeat(2_000), "# [x]\n\n".repeat(60));
    let mut live = LiveOutline::new(format!("{long}{}{long}", part("y")));
    assert!(!edit(&mut live, &format!("{long}{}{long}", part("z")), &[]));
    assert!(edit(&mut live, &format!("{long}{}b\n\n{long}", part("z")), &[]));
    // Deep nesting that is read unchanged in a short text.
    let nested = "> ".repeat(200) + "a\n\nb\n\n# c\n";
    assert!(edit(&mut LiveOutline::new(nested.clone()), &(nested + "\nd\n"), &[]));
    // Deep nesting that is read as code in a long text only.
    let deep = "> ".repeat(100_000) + "a\n" + &"b\n".repeat(400) + "\n# c\n\n";
    let mut live = LiveOutline::new(deep.clone());
    edit(&mut live, &format!("{deep}d\n"), &[]);
    edit(&mut live, &format!("e\n\n{deep}d\n"), &[]);
    edit(&mut live, "e\n\n# d\n", &[]);
    edit(&mut live, &format!("e\n\n{deep}d\n"), &[]);
}

/// Generates ranges to replace, by lines or by characters.
pub(crate) fn made() -> impl Strategy<Value = Vec<(sample::Index, usize, bool, String)>> {
    let new = prop_oneof![4 => hostile_lines(0..3), 1 => Just(String::new()), 2 => hostile_line()];
    prop::collection::vec((any::<sample::Index>(), 0..4_usize, prop::bool::weighted(0.8), new), 1..4)
}

/// Applies the changes. Returns the new text and the edits that lead to it.
pub(crate) fn changed(
    before: &str,
    changes: &[(sample::Index, usize, bool, String)],
) -> (String, Vec<TextEdit>) {
    let lines: Vec<_> = lines::boundaries(before);
    let chars: Vec<_> = before.char_indices().map(|(at, _)| at).chain([before.len()]).collect();
    let mut ranges: Vec<_> = changes
        .iter()
        .map(|(at, length, by_line, new)| {
            let places = if *by_line { &lines } else { &chars };
            let at = at.index(places.len());
            (places[at]..places[(at + length).min(places.len() - 1)], new)
        })
        .collect();
    ranges.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut after, mut edits, mut at) = (String::new(), Vec::new(), 0);
    for (range, new) in ranges {
        if range.start >= at {
            after += &before[at..range.start];
            after += new;
            edits.push(text_edit(range.start, &before[range.clone()], new));
            at = range.end;
        }
    }
    (after + &before[at..], edits)
}

/// Checks that a reading in parts of some length finds the same as one reading of the whole.
#[track_caller]
fn check_parts(text: &str, part: usize) {
    let lead = Lead::of(text);
    let Some(mut parts) = scan_in_parts::<true>(text, lead, 0, part) else { return };
    keep_firsts(&mut parts.definitions);
    let whole = scan_whole::<true, true>(text, lead, 0);
    assert_eq!(parts.sections, whole.sections, "{part} {text:?}");
    assert_eq!((parts.containers, parts.blocks), (whole.containers, whole.blocks), "{part} {text:?}");
    assert_eq!((parts.points, parts.definitions), (whole.points, whole.definitions), "{part} {text:?}");
}

/// Generates definitions and references to them. There are few labels, so that they often match.
fn definition() -> impl Strategy<Value = String> {
    let places = ["", "", "", "> ", "- ", "  ", "> > ", "    "];
    let lines = [
        "[l]: a",
        "[L]: a 't'",
        "[m]: <a b>",
        "[M\nm]: a",
        "[l]: a\n't\nt'",
        "[m]: a\n(t",
        "[n]:\na",
        "[l",
        "[é]: a",
        "[É]: b",
        "# [l]",
        "## [m] [n]",
        "[l]\n===",
        "[É] [M m]\n---",
        "[n][l] ![m][]",
        "# [a][é] [l",
        "#[l]\n-",
    ];
    let label = (0..9_usize, prop::bool::ANY).prop_map(|(name, long)| {
        let name = format!("{}{name}", if long { "long ".repeat(60) } else { String::new() });
        format!("[{name}]: a\n\n# [{name}]\n")
    });
    let line = prop_oneof![6 => sample::select(lines.to_vec()).prop_map(str::to_owned), 1 => label];
    (sample::select(places.to_vec()), line, prop::bool::weighted(0.6))
        .prop_map(|(place, line, blank)| format!("{place}{line}\n{}", if blank { "\n" } else { "" }))
}

/// Checks that the parser gets at most `times` times the bytes of a text in parts of any length.
#[track_caller]
fn check_work(text: &str, part: usize, times: usize) {
    BYTES_PARSED.set(0);
    let _ = scan_in_parts::<true>(text, Lead::of(text), 0, part);
    let (parsed, most) = (BYTES_PARSED.get(), times * text.len());
    assert!(parsed <= most, "{parsed} of {} bytes in parts of {part}: {:.60?}", text.len(), text);
}

/// The definition decides whether the title has a link.
#[test]
fn a_footnote_in_the_link_of_a_title_is_read_with_its_definition() {
    check_table(&[
        ("## [[^1]: a](y)\n\nb\n", "## [[^1]: a](y)\n\n[^1]: x\n"),
        ("## [a](y)\n\n[^1]: x\n", "## [a [^1]](y)\n\n[^1]: x\n"),
        ("[a [^1]][r]\n===\n\n[r]: z\n\n[^1]: x\n", "[a [^1]][r]\n===\n\n[r]: z\n\n[^2]: x\n"),
    ]);
}

#[test]
fn long_blocks_after_short_ones_are_read_once() {
    let defined = |count: usize| (0..count).map(|i| format!("[label {i}]: b\n")).collect::<String>();
    for short in ["a\n\n", "# a\n", "- a\n", "a\n\n    b\n\n"] {
        for long in [
            format!("```\n{}```\n", "code\n".repeat(4_000)),
            "> quote\n".repeat(2_500),
            format!("|a|b|\n|-|-|\n{}", "|a|b|\n".repeat(2_500)),
            "prose\n".repeat(3_000),
            "prose ".repeat(3_000) + "\n",
            defined(1_000),
        ] {
            for end in ["", "\na\n"] {
                let text = short.repeat(300) + &long + end;
                check_work(&text, 1 << 13, 6);
                check_work(&(text.clone() + &text), 1 << 13, 6);
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn an_edited_outline_equals_a_fresh_one(before in hostile_markdown(), rounds in prop::collection::vec(made(), 1..4)) {
        let mut live = LiveOutline::new(before);
        check(&live);
        for made in rounds {
            let (after, edits) = changed(live.text(), &made);
            edit(&mut live, &after, &edits);
        }
    }
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn parts_cost_a_few_readings(text in prop::collection::vec(hostile_markdown(), 1..8), part in 64..512_usize) {
        check_work(&text.concat(), part, 24);
    }
}

proptest! {
    #![proptest_config(cases(1_000))]

    #[test]
    fn parts_find_what_the_whole_holds(
        lines in prop::collection::vec(prop_oneof![4 => definition(), 1 => hostile_lines(1..3)], 0..40),
        part in prop_oneof![0..40_usize, 64..512_usize],
    ) {
        let text = lines.concat();
        check_parts(&text, part);
        check(&LiveOutline::new(text));
    }
}
