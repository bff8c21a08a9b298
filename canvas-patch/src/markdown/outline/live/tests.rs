use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::markdown::outline::scan;
use crate::markdown::outline::scan::scan_whole;

/// Fewer in an ordinary run.
#[expect(clippy::disallowed_methods, reason = "a test is a host")]
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let full = std::env::var("CANVAS_LAWS").is_ok_and(|laws| laws == "full");
    ProptestConfig { cases: if full { 100_000 } else { usual }, ..ProptestConfig::default() }
}

/// Everything that is kept is what a fresh reading finds.
#[track_caller]
fn check(live: &LiveOutline) {
    let text = live.text();
    let (outline, blocks) = scan_whole::<true>(text, Lead::of(text));
    assert_eq!(live.outline, outline, "{text:?}");
    assert_eq!(live.blocks, blocks, "{text:?}");
    let fresh = LiveOutline::new(text.to_owned());
    // What is read in parts is what the parser finds at once.
    assert_eq!(scan::<true>(text), (outline, blocks), "{text:?}");
    let whole =
        piece(text, &depth::bounded(&text[live.lead.bytes..]), live.lead.end(text), SPACING, |_| false);
    assert_eq!((&fresh.points, &fresh.definitions), (&whole.points, &whole.definitions), "{text:?}");
    assert_eq!(fresh.limits.longest_definition, whole.longest_definition, "{text:?}");
    assert_eq!(live.lead, fresh.lead);
    assert_eq!(live.points[0], fresh.points[0]);
    assert!(live.points.is_sorted_by(|a, b| a.byte < b.byte), "{text:?}");
    let is_point = |point: &RestartPoint| {
        fresh.points.binary_search_by_key(&point.byte, |p| p.byte).map(|at| fresh.points[at])
    };
    assert!(live.points.iter().all(|point| is_point(point) == Ok(*point)), "{text:?}");
    assert!(live.definitions.is_sorted_by_key(|definition| definition.byte));
    let all =
        |live: &LiveOutline| live.definitions.iter().map(|d| d.label.to_lowercase()).collect::<BTreeSet<_>>();
    assert_eq!(all(live), all(&fresh), "{text:?}");
    assert!(fresh.definitions.iter().all(|definition| live.definitions.contains(definition)));
    assert_eq!(live.limits.brackets, fresh.limits.brackets);
    assert!(live.limits.longest_definition >= fresh.limits.longest_definition);
    assert!(live.limits.deep >= fresh.limits.deep);
}

fn span(old: Range<usize>, new: Range<usize>) -> Span {
    Span { old_lines: 0..0, new_lines: 0..0, old_bytes: old, new_bytes: new }
}

/// Whether the edit was read in part only.
#[track_caller]
fn edit(live: &mut LiveOutline, after: &str, spans: &[Span]) -> bool {
    let edits = edits(&live.text, after, spans);
    let in_part = live.plan(after, &edits).is_some();
    live.edit(after.to_owned(), spans);
    assert_eq!(live.text(), after);
    check(live);
    in_part
}

/// Replaces each place, given as `|`, by nothing or each of the texts, and back.
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
                edit(&mut live, &after, &[span(0..before.len(), 0..after.len())]);
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
        // Parents, ends and what stands before the first heading.
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
fn wrong_spans_do_no_harm() {
    let (before, after) = ("# a\n\nb\n\n# c\n", "# a\n\nbc\n\n## c\n");
    for spans in [
        vec![],
        vec![span(0..0, 0..0)],
        vec![span(5..7, 5..8)],
        vec![span(5..7, 5..8), span(8..10, 9..12), span(90..99, 90..99)],
        vec![span(8..9, 9..11), span(5..7, 5..8)],
        vec![span(Range { start: 7, end: 5 }, Range { start: 8, end: 5 })],
        vec![span(5..usize::MAX, 5..usize::MAX)],
        vec![span(0..before.len(), 0..after.len())],
        vec![span(5..7, 5..8), span(8..9, 9..11)],
    ] {
        edit(&mut LiveOutline::new(before.to_owned()), after, &spans);
    }
    // Inside a character.
    let mut live = LiveOutline::new("# \u{e9}\n\n# b\n".to_owned());
    edit(&mut live, "# \u{e8}\n\n# b\n", &[span(3..4, 3..4)]);
    // One side runs backwards, and all that is kept is the same.
    let (once, twice, backwards) = ("# a\n# b\n", "# a\n# b\n# b\n", Range { start: 8, end: 4 });
    edit(&mut LiveOutline::new(once.to_owned()), twice, &[span(backwards.clone(), 8..8)]);
    edit(&mut LiveOutline::new(twice.to_owned()), once, &[span(8..8, backwards)]);
}

/// The start of the text, and each line at which nothing is open.
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
        assert_eq!(live.points.iter().map(|point| point.line).collect::<Vec<_>>(), lines, "{text:?}");
    }
}

#[test]
fn edits_far_apart_are_read_apart() {
    let (text, places) = ("a\n\n".repeat(1_000), [300, 1_500, 2_400]);
    let mut after = text.clone();
    for at in places {
        after.replace_range(at..at + 1, "b");
    }
    let spans = places.map(|at| span(at..at + 1, at..at + 1));
    let live = LiveOutline::new(text);
    let plan = live.plan(&after, &edits(&live.text, &after, &spans)).expect("a part will do");
    let read: Vec<_> = plan.reparses.iter().map(|reparse| reparse.piece.points.len()).collect();
    assert!(read.len() == places.len() && read.iter().all(|&points| points < 8), "{read:?}");
}

#[test]
fn too_many_edits_count_as_one() {
    for (count, kept) in [(1, 1), (MAX_EDITS, MAX_EDITS), (MAX_EDITS + 1, 1), (2 * MAX_EDITS, 1)] {
        let spans: Vec<_> = (0..count).map(|at| span(2 * at..2 * at + 1, 2 * at..2 * at + 1)).collect();
        let edits = edits(&"a\n".repeat(count), &"b\n".repeat(count), &spans);
        assert_eq!((edits.len(), edits[kept - 1].new.end), (kept, 2 * count - 1));
    }
}

#[test]
fn limits_of_the_parser() {
    // So many references that not all of them are resolved, until one goes.
    let dense = format!("[x]: {}\n\n# [x]\n\n", "y".repeat(2_000)) + &"[x]\n\n".repeat(48) + "# [x]\n";
    let mut live = LiveOutline::new(dense.clone());
    for more in ["[x] [x] [x]\n", "[x]\n", ""] {
        edit(&mut live, &format!("{dense}\na\n\n{more}\n\n# [x]\n"), &[]);
    }
    // Few references for a long text, and too many for the part of it that is read again.
    let long = ("a".repeat(99) + "\n\n").repeat(1_000);
    let part = |link: &str| format!("[x]: {}\n\n{}# c{link}\n\n", link.repeat(2_000), "# [x]\n\n".repeat(60));
    let mut live = LiveOutline::new(format!("{long}{}{long}", part("y")));
    assert!(!edit(&mut live, &format!("{long}{}{long}", part("z")), &[]));
    assert!(edit(&mut live, &format!("{long}{}b\n\n{long}", part("z")), &[]));
    // Deep nesting that is read as it stands in a short text.
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

/// Lines that meet in all the ways that matter, rather than letters that hardly ever do.
fn line() -> impl Strategy<Value = String> {
    let rare = [
        "```",
        "```",
        "~~~",
        "````",
        "---",
        "===",
        "-",
        "<!--",
        "-->",
        "<div>",
        "<pre>",
        "</pre>",
        "<b>",
        "\u{feff}",
        "'t",
        "t'",
        "|-|",
        "| a |",
        "a | b",
        "-|-",
        "[x]: y",
        "[X]: 't",
        "[y]: z 't'",
        "[x]:",
        "[y",
        "...",
        "\0",
    ];
    let titles = ["# a", "## b", "### c", "# [x]", "## [y][x] é", "# [y]", "#", "###### d #", "# ` b"];
    let prefixes = [
        "", "", "", "", "", "", "> ", "- ", "* ", "1. ", "2. ", "  ", "    ", "   ", "\t", "> > ", "- - ",
        "-", "> - ",
    ];
    let content = prop_oneof![
        5 => Just(String::new()),
        5 => select(vec!["a", "b c", "*d*", "[x]", "`e"]).prop_map(str::to_owned),
        4 => select(titles.to_vec()).prop_map(str::to_owned),
        4 => select(rare.to_vec()).prop_map(str::to_owned),
    ];
    (select(prefixes.to_vec()), content).prop_map(|(prefix, content)| prefix.to_owned() + &content)
}

fn lines_of(count: Range<usize>) -> impl Strategy<Value = String> {
    let ending = prop_oneof![
        12 => Just(["\n"; 3]),
        2 => Just(["\r\n"; 3]),
        1 => Just(["\r"; 3]),
        3 => Just(["\n", "\r\n", "\r"]),
    ];
    // A blank line between is what makes a block of its own.
    let line = (line(), 0..3_usize, prop::bool::weighted(0.4));
    (prop::collection::vec(line, count), ending).prop_map(|(lines, endings)| {
        let one = |(line, ending, blank): (String, usize, bool)| {
            let ending = endings[ending];
            line + ending + if blank { ending } else { "" }
        };
        lines.into_iter().map(one).collect()
    })
}

pub(crate) fn document() -> impl Strategy<Value = String> {
    let head = prop_oneof![8 => Just(""), 1 => Just("---\nk: v\n---\n"), 1 => Just("\u{feff}"), 1 => Just("---\nk\n")];
    (head, lines_of(0..30)).prop_map(|(head, lines)| head.to_owned() + &lines)
}

/// Ranges that are replaced, by lines or by characters.
pub(crate) fn changes() -> impl Strategy<Value = Vec<(Index, usize, bool, String)>> {
    let new = prop_oneof![4 => lines_of(0..3), 1 => Just(String::new()), 2 => line()];
    prop::collection::vec((any::<Index>(), 0..4_usize, prop::bool::weighted(0.8), new), 1..4)
}

/// The text after the changes, with their spans.
pub(crate) fn changed(before: &str, changes: &[(Index, usize, bool, String)]) -> (String, Vec<Span>) {
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
    let (mut after, mut spans, mut at) = (String::new(), Vec::new(), 0);
    for (range, new) in ranges {
        if range.start >= at {
            after += &before[at..range.start];
            let start = after.len();
            after += new;
            spans.push(span(range.clone(), start..after.len()));
            at = range.end;
        }
    }
    (after + &before[at..], spans)
}

proptest! {
    #![proptest_config(cases(2_000))]

    #[test]
    fn an_edited_outline_equals_a_fresh_one(before in document(), edits in prop::collection::vec(changes(), 1..4)) {
        let mut live = LiveOutline::new(before);
        check(&live);
        for changes in edits {
            let (after, spans) = changed(live.text(), &changes);
            edit(&mut live, &after, &spans);
        }
    }
}
