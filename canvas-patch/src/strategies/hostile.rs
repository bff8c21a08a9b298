//! Markdown that is hard to parse.

use std::ops::Range;

use proptest::prelude::*;
use proptest::sample::select;

/// Generates texts whose lines open, continue and break off each other's blocks. Unlike [`markdown`](super::markdown),
/// which resembles text that people write, they are meant to strain a parser.
///
/// Lines end in LF, in CRLF, in lone CRs or in a mixture. Some texts begin with a byte order mark or front matter.
pub fn hostile_markdown() -> impl Strategy<Value = String> {
    let head = prop_oneof![8 => Just(""), 1 => Just("---\nk: v\n---\n"), 1 => Just("\u{feff}"), 1 => Just("---\nk\n")];
    (head, hostile_lines(0..30)).prop_map(|(head, lines)| head.to_owned() + &lines)
}

/// Generates lines that interact in all relevant ways, because random letters hardly ever do.
pub(crate) fn hostile_line() -> impl Strategy<Value = String> {
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
        ":-",
        "[^1]: x",
        "[^x]: # n",
        "[^1]: a | b",
        "[x]: y",
        "[X]: 't",
        "[y]: z 't'",
        "[x]:",
        "[y",
        "...",
        "\0",
    ];
    let titles = [
        "# a",
        "## b",
        "### c",
        "# [x]",
        "## [y][x] é",
        "# [y]",
        "# [^1]",
        "## [^x](y)",
        "#",
        "###### d #",
        "# ` b",
    ];
    let prefixes = [
        "", "", "", "", "", "", "> ", "- ", "* ", "1. ", "2. ", "  ", "    ", "   ", "\t", "\t- ", "> > ",
        "- - ", "-", "> - ",
    ];
    let content = prop_oneof![
        5 => Just(String::new()),
        5 => select(vec!["a", "b c", "*d*", "[x]", "`e"]).prop_map(str::to_owned),
        4 => select(titles.to_vec()).prop_map(str::to_owned),
        4 => select(rare.to_vec()).prop_map(str::to_owned),
    ];
    (select(prefixes.to_vec()), content).prop_map(|(prefix, content)| prefix.to_owned() + &content)
}

pub(crate) fn hostile_lines(count: Range<usize>) -> impl Strategy<Value = String> {
    let ending = prop_oneof![
        12 => Just(["\n"; 3]),
        2 => Just(["\r\n"; 3]),
        1 => Just(["\r"; 3]),
        3 => Just(["\n", "\r\n", "\r"]),
    ];
    // A blank line in between makes the next line a block of its own.
    let line = (hostile_line(), 0..3_usize, prop::bool::weighted(0.4));
    (prop::collection::vec(line, count), ending).prop_map(|(lines, endings)| {
        let one = |(line, ending, blank): (String, usize, bool)| {
            let ending = endings[ending];
            line + ending + if blank { ending } else { "" }
        };
        lines.into_iter().map(one).collect()
    })
}
