//! Which headings an outline has, and the lines of their sections.

use std::ops::Range;

use canvas_patch::strategies::hostile_markdown;
use canvas_patch::{ContainerKind, LineRange, Outline, outline};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};

/// Checks the sections, each written as `## A/B 3 3-5`: level, path, heading lines, section lines, and
/// the containers around it (`>` quote, `-` list item) where there are some.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    assert_eq!(shown(&outline(text)), expected, "{text:?}");
}

#[track_caller]
fn check_front_matter(text: &str, expected: Option<(usize, usize)>, sections: &[&str]) {
    let found = outline(text).front_matter().map(|lines| (lines.start, lines.end));
    assert_eq!(found, expected, "{text:?}");
    check(text, sections);
}

fn shown(outline: &Outline) -> Vec<String> {
    let show = |index: usize| {
        let section = &outline.sections()[index];
        let level = "#".repeat(section.level.into());
        let path = outline.path(index).join("/");
        let LineRange { start, end } = section.heading;
        let heading = if start == end { start.to_string() } else { format!("{start}-{end}") };
        let LineRange { start, end } = section.lines;
        let mut shown = format!("{level} {path} {heading} {start}-{end}");
        let containers = outline.container_path(index);
        if !containers.is_empty() {
            shown.push(' ');
            shown.extend(containers.iter().map(|container| match container {
                ContainerKind::Quote => '>',
                ContainerKind::ListItem => '-',
                ContainerKind::Footnote => '^',
            }));
        }
        shown
    };
    (0..outline.sections().len()).map(show).collect()
}

#[test]
fn sections_end_before_the_next_of_their_level() {
    check("", &[]);
    check("\n\n", &[]);
    check("text\n", &[]);
    check("# A", &["# A 1 1-1"]);
    check("# A\n\n\n", &["# A 1 1-1"]);
    check("# A\ntext\n\n \t\n# B\n", &["# A 1 1-2", "# B 5 5-5"]);
    check("# A\n## B\nb\n\n## C\n# D", &["# A 1 1-5", "## A/B 2 2-3", "## A/C 5 5-5", "# D 6 6-6"]);
    check("### A\n# B\n### C\n## D\n", &["### A 1 1-1", "# B 2 2-4", "### B/C 3 3-3", "## B/D 4 4-4"]);
    check("text\n\n## A\n## A\n", &["## A 3 3-3", "## A 4 4-4"]);
}

#[test]
fn titles_are_plain_text() {
    check("# *a* `b` [c](d) ![e](f) ~~g~~ <b>h</b> &amp; \\# #\n", &["# a b c e g h & # 1 1-1"]);
    check("#   a  b  ##\n", &["# a  b 1 1-1"]);
    check("#\n##  \n", &["#  1 1-2", "## / 2 2-2"]);
    check("# a\tb\n", &["# a\tb 1 1-1"]);
    check("#\ta\n", &["# a 1 1-1"]);
    check("# &#32;a&nbsp;\n", &["# a 1 1-1"]);
    check("# [a]\n\n[a]: b\n", &["# a 1 1-3"]);
    check("# a {#id .class}\n", &["# a {#id .class} 1 1-1"]);
    check("# héading ☃\n", &["# héading ☃ 1 1-1"]);
    check("a\\\nb  \nc\nd\n===\n", &["# a b c d 1-5 1-5"]);
}

#[test]
fn underlined_headings() {
    check("A\n=\ntext\n\nB\nb\n---\n", &["# A 1-2 1-7", "## A/B b 5-7 5-7"]);
    check("A\n===", &["# A 1-2 1-2"]);
    check("[a]: b\nc\n===\n", &["# c 2-3 2-3"]);
    check("    code\n===\n", &[]);
    check("> a\n> ===\n", &["# a 1-2 1-2 >"]);
    check("> a\nb\n===\n", &[]);
    check("- step\n---\n", &[]);
    check("- step\n  ---\n", &["## step 1-2 1-2 -"]);
    check("| a |\n| - |\n| b |\n---\n", &[]);
}

/// GitHub's tables may follow the lines of a paragraph, without outer pipes or with one column.
#[test]
fn underlines_below_tables() {
    for (table, is_table) in [
        ("a | b\n--- | ---\n", true),
        ("a | b\n|---|---|\n", true),
        ("a | b |\n--- | ---\n", true),
        ("| a | b\n:-- | --:\n", true),
        ("|a|b|\n-|-\n", true),
        ("a\n:-\n", true),
        ("a\n-:\n", true),
        ("a\n:-:\n", true),
        ("a\n|-\n", true),
        ("a\n-|\n", true),
        ("| a |\n:-:\n", true),
        ("a |\n:---\n", true),
        ("||\n|-|\n", true),
        ("a \\| b\n:-\n", true),
        ("a \\| b\n:- | -\n", false),
        ("a | b\n:-\n", false),
        ("a\n:- | -:\n", false),
        ("a | b | c\n--- | ---\n", false),
        ("a | b\n--- | -- x\n", false),
        ("|\n|-|\n", false),
        // After a row that has other columns, no table begins.
        ("a\n:- | -\na\n:-\n", false),
    ] {
        for (rows, underline, level) in [("", "---", 2), ("1 | 2\n", "---", 2), ("1\n2\n", "===", 1)] {
            for (text, quote) in
                [("", ""), ("text\n", ""), ("text\nmore\n", ""), ("text\n", "> "), ("text\n", "- ")]
            {
                let made = format!("{text}{table}{rows}{underline}\n");
                let indent = if quote == "- " { "  " } else { quote };
                let made = quote.to_owned() + &made.trim_end().replace('\n', &format!("\n{indent}")) + "\n";
                let found: Vec<_> = outline(&made).sections().iter().map(|section| section.level).collect();
                let expected = if is_table { vec![] } else { vec![level] };
                assert_eq!(found, expected, "{made:?}");
            }
        }
    }
    // A line without the marker of the quote delimits nothing.
    check("> x\n> a | b\n--- | ---\n> ---\n", &["## x a | b --- | --- 1-4 1-4 >"]);
    // A row of `=` ends no table either, a heading with `#` does.
    check("x\na | b\n--- | ---\n===\ny\n---\n", &[]);
    check("x\na | b\n--- | ---\n===\n# y\nz\n---\n", &["# y 5 5-7", "## y/z 6-7 6-7"]);
    check("x\na | b\n--- | ---\n===\n\ny\n---\n", &["## y 6-7 6-7"]);
}

/// A tag that is alone on its line ends a table, and all up to the next blank line is HTML.
#[test]
fn tags_below_tables() {
    let table = "| a | b |\n| - | - |\n";
    for (tag, is_tag) in [
        ("<b>", true),
        ("</b>", true),
        ("  <b>", true),
        ("<img src=x>", true),
        ("<img src='x' alt=\"y\" />", true),
        ("<x-y z>  ", true),
        ("<a><b>", false),
        ("<b> x", false),
        ("<b> | x", false),
        ("< b>", false),
        ("<http://x>", false),
        ("x <b>", false),
        ("| <b> |", false),
        ("<div>", true),
        ("<!-- x", true),
    ] {
        for rows in ["", "1 | 2\n", "1\n2 | 3\n"] {
            let text = format!("{table}{rows}{tag}\n# A\n- # B\n> # C\n\n# D\n");
            let titles: Vec<_> =
                outline(&text).sections().iter().map(|section| section.title.clone()).collect();
            let expected: &[&str] = match (is_tag, tag) {
                (_, "<!-- x") => &[],
                (true, _) => &["D"],
                (false, _) => &["A", "B", "C", "D"],
            };
            assert_eq!(titles, expected, "{text:?}");
        }
    }
    check("- | a |\n  | - |\n  <b>\n  # A\n# B\n", &["# B 5 5-5"]);
    check("> | a |\n> | - |\n> <b>\n> - # A\n>\n> # B\n", &["# B 6 6-6 >"]);
}

#[test]
fn footnotes() {
    check("[^1]: note\n---\n", &[]);
    check("text\n[^1]: two words\n---\n", &[]);
    check("[^1]: note\nlazy\n===\n", &[]);
    check("[^1]: note\n    more\n    ===\n", &["# note more 1-3 1-3 ^"]);
    check("[^1]: # A\n\n    ## B\n\n# C\n", &["# A 1 1-3 ^", "## A/B 3 3-3 ^", "# C 5 5-5"]);
    check("# A\n[^1]: b\n\n    c\n\nd\n", &["# A 1 1-6"]);
    check("> [^1]: # A\n- [^2]: # B\n", &["# A 1 1-1 >^", "# B 2 2-2 -^"]);
    // With or without its definition, a reference stays in the title.
    check("# A[^1]\n\n[^1]: note\n", &["# A[^1] 1 1-3"]);
    check("# A[^1]\n", &["# A[^1] 1 1-1"]);
    check("\\[^1]: note\n---\n", &["## [^1]: note 1-2 1-2"]);
}

#[test]
fn what_is_no_heading() {
    check("#a\n", &[]);
    check("####### a\n", &[]);
    check("    # a\n", &[]);
    check("\t# a\n", &[]);
    check("   # a\n", &["# a 1 1-1"]);
    check("\\# a\n", &[]);
    check("```\n# a\n```\n# b\n", &["# b 4 4-4"]);
    check("~~~ x\n# a\n```\n~~~\n# b\n", &["# b 5 5-5"]);
    check("# a\n```\n# b\n\n", &["# a 1 1-3"]);
    check("> ```\n> # a\n\n# b\n", &["# b 4 4-4"]);
    check("<div>\n# a\n\n# b\n</div>\n", &["# b 4 4-5"]);
    check("<!--\n# a\n\n# b\n-->\n# c\n", &["# c 6 6-6"]);
    check("a\n# b\n", &["# b 2 2-2"]);
}

#[test]
fn headings_in_quotes_and_lists() {
    check("> # A\n> a\n>\n>\n\ntext\n", &["# A 1 1-2 >"]);
    check("> # A\n> a\n>\n> # B\n", &["# A 1 1-2 >", "# B 4 4-4 >"]);
    check("# A\n> # B\n> b\n\n## C\n", &["# A 1 1-5", "# A/B 2 2-3 >", "## A/C 5 5-5"]);
    check("## A\n- # B\n  b\n\n- c\n# D\n", &["## A 1 1-5", "# A/B 2 2-3 -", "# D 6 6-6"]);
    check("1. a\n\n   ## B\n\n   b\n2. # C\n", &["## B 3 3-5 -", "# C 6 6-6 -"]);
    check("- - > # A\n", &["# A 1 1-1 -->"]);
    check("> - # A\n>\n>   a\n> # B\n", &["# A 1 1-3 >-", "# B 4 4-4 >"]);
    check("> ## A\n> - # B\n> a\n", &["## A 1 1-3 >", "# A/B 2 2-2 >-"]);
    check("> # A\n>> # B\n> # C\n", &["# A 1 1-2 >", "# A/B 2 2-2 >>", "# C 3 3-3 >"]);
    check("- # A\n\n\n\ntext\n", &["# A 1 1-1 -"]);
    // A mark alone is blank in its quote, and not outside of it.
    check("# A\n> # B\n>\n", &["# A 1 1-3", "# A/B 2 2-2 >"]);
}

#[test]
fn byte_order_mark_and_line_ends() {
    check("\u{feff}# A\n", &["# A 1 1-1"]);
    check("\u{feff}A\n---\n", &["## A 1-2 1-2"]);
    check("# A\r\ntext\r\n\r\n## B\r\n", &["# A 1 1-4", "## A/B 4 4-4"]);
    check("A\r\nb\r\n===\r\n\r\n", &["# A b 1-3 1-3"]);
    check("> # A\r\n>\r\n> # B\r\n", &["# A 1 1-1 >", "# B 3 3-3 >"]);
    check("# A\rtext\r## B\r", &["# A 1 1-1", "## A/B 1 1-1"]);
    check("# A\rtext\r# B\r", &["# A 1 1-1", "# B 1 1-1"]);
    check("# A\na\r# B\n\nb\n", &["# A 1 1-1", "# B 2 2-4"]);
    check("# A\n## B\r# C\n", &["# A 1 1-2", "## A/B 2 2-2", "# C 2 2-2"]);
    check("A\r===\n", &["# A 1 1-1"]);
    check("A\n\r===\n", &[]);
}

#[test]
fn front_matter() {
    check_front_matter("---\na: b\n---\n# A\n", Some((1, 3)), &["# A 4 4-4"]);
    check_front_matter("\u{feff}---\r\na: b\r\n---\r\n# A\r\n", Some((1, 3)), &["# A 4 4-4"]);
    check_front_matter("--- \n# a\n\n# b\n... \n# A", Some((1, 5)), &["# A 6 6-6"]);
    check_front_matter("---\na: b\n---", Some((1, 3)), &[]);
    check_front_matter("---\r\na: b\r\n---\r\nA\r\n===\r\n", Some((1, 3)), &["# A 4-5 4-5"]);
    check_front_matter("---\na: b\n", None, &[]);
    check_front_matter("---\n\na: b\n---\n", None, &["## a: b 3-4 3-4"]);
    check_front_matter("---\n---\n# A\n", None, &["# A 3 3-3"]);
    check_front_matter("----\na\n----\n", None, &["## a 2-3 2-3"]);
    check_front_matter("\n---\na\n---\n", None, &["## a 3-4 3-4"]);
    check_front_matter(" ---\na\n---\n", None, &["## a 2-3 2-3"]);
    check_front_matter("# A\n\n---\n# B\n---\n", None, &["# A 1 1-3", "# B 4 4-5"]);
    check_front_matter("> ---\n> a\n> ---\n", None, &["## a 2-3 2-3 >"]);
}

#[test]
fn large_and_deep_texts_are_read_in_linear_time() {
    const MANY: usize = 100_000;
    let sections = |text: &str| outline(text).sections().len();
    assert_eq!(sections(&(">".repeat(MANY) + " # A")), 1);
    assert_eq!(sections(&("- ".repeat(MANY) + "# A")), 1);
    assert_eq!(sections(&("> + ".repeat(MANY) + "# A\n\n# B")), 2);
    assert_eq!(sections(&"# A\n".repeat(MANY)), MANY);
    assert_eq!(sections(&"# A\r".repeat(MANY)), MANY);
    assert_eq!(sections(&"- # A\r".repeat(MANY)), MANY);
    assert_eq!(sections(&("# ".to_owned() + &"a".repeat(100 * MANY))), 1);
    assert_eq!(sections(&("# A\n".to_owned() + &"\n".repeat(10 * MANY))), 1);
}

/// By the thousand: what takes more than linear time does not end here.
#[test]
fn definitions_and_references_without_end() {
    const MANY: usize = 4_000;
    let each = |line: fn(usize) -> String| (0..MANY).map(line).collect::<String>();
    let long = "label ".repeat(1_000);
    for (text, title) in [
        ("# [x]\n\n".to_owned() + &"[x]: y\n".repeat(MANY), "x"),
        (each(|i| format!("# [l{i}]\n")) + "\n" + &each(|i| format!("[L{i}]: y\n")), "l0"),
        (each(|i| format!("# [l{i}]\n\n")) + &each(|i| format!("> [l{i}]: y\n\n")), "l0"),
        (each(|i| format!("[l{i}]\n===\n\n")) + &each(|i| format!("- [l{i}]: y 't\n  t'\n\n")), "l0"),
        (each(|i| format!("[l{i}]: y\n")) + "\n# [l5] [l4000]\n", "l5 [l4000]"),
        ("# [x]\n\n".to_owned() + &"[x]: y '\n".repeat(MANY) + "\n[x]: y\n", "x"),
        ("# [x]\n\n".to_owned() + &"[x\n".repeat(MANY) + "\n[x]: y\n", "x"),
        (format!("# [x]\n\n[x]: {}\n\n", "y".repeat(MANY)) + &"[x]\n\n".repeat(MANY), "x"),
        (
            format!("# [{long}]\n\n") + &format!("[{long}]: y\n\n").repeat(MANY / 200),
            &format!("[{long}]")[..512],
        ),
    ] {
        let outline = outline(&text);
        assert_eq!(outline.sections()[0].title, title, "{:.60}", text);
        assert_eq!(canvas_patch::LiveOutline::new(text).outline(), &outline);
    }
}

#[test]
fn nesting_is_bounded_where_it_would_take_too_long() {
    // Each of them takes pulldown-cmark more than 10 s in a release build.
    let lazy = "b\n".repeat(100_000) + "\n# A\n";
    for marker in [">", "+ ", "> - "] {
        let text = marker.repeat(100_000) + "a\n" + &lazy;
        assert_eq!(shown(&outline(&text)), ["# A 100003 100003-100003"]);
    }
}

fn check_laws(text: &str) {
    let outline = outline(text);
    let line_count = text.split_inclusive('\n').count();
    let inside = |lines: LineRange| 1 <= lines.start && lines.start <= lines.end && lines.end <= line_count;
    assert!(outline.front_matter().is_none_or(|lines| lines.start == 1 && inside(lines)));
    let sections = outline.sections();
    for (index, section) in sections.iter().enumerate() {
        assert!(inside(section.heading) && inside(section.lines));
        assert_eq!(section.lines.start, section.heading.start);
        assert!(section.heading.end <= section.lines.end);
        assert!((1..=6).contains(&section.level));
        assert_eq!(section.title, section.title.trim());
        let last_line = text.split_inclusive('\n').nth(section.lines.end - 1).unwrap_or_default();
        assert!(!last_line.trim_matches([' ', '\t', '\r', '\n']).is_empty());
        assert_eq!(outline.path(index).last(), Some(&section.title.as_str()));
        assert_eq!(section.container.is_some(), !outline.container_path(index).is_empty());
        if let Some(parent) = section.parent {
            assert!(parent < index);
            let outer = &sections[parent];
            assert!(outer.lines.start <= section.lines.start && section.lines.end <= outer.lines.end);
            assert!(outer.container != section.container || outer.level < section.level);
        }
        if let Some(next) = sections.get(index + 1) {
            assert!(section.heading.start <= next.heading.start);
            let sibling = next.parent == section.parent && next.container == section.container;
            // A lone CR is the only way for two sections to meet in a line.
            if sibling && !text.contains('\r') {
                assert!(section.lines.end < next.lines.start);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn sections_are_ordered_and_nested(text in hostile_markdown()) {
        check_laws(&text);
    }

    #[test]
    fn front_matter_is_what_the_parser_takes_for_it(
        lines in prop::collection::vec("(---|\\.\\.\\.|----|a|#| )[ \t]{0,1}(\n|\n|\n|\r\n|\r|)", 0..6),
    ) {
        let text = "---".to_owned() + &lines.concat();
        let options = Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
        let expected = Parser::new_ext(&text, options).into_offset_iter().next();
        let expected = expected.filter(|(event, _)| matches!(event, Event::Start(Tag::MetadataBlock(_))));
        let end = |bytes: Range<usize>| text[..bytes.end].split_inclusive('\n').count();
        let found = outline(&text).front_matter().map(|lines| lines.end);
        prop_assert_eq!(found, expected.map(|(_, bytes)| end(bytes)));
    }

    #[test]
    fn any_text_has_an_outline(text in any::<String>()) {
        check_laws(&text);
    }
}

#[test]
fn a_title_without_end_is_cut() {
    let text = format!("# {}\n## x\n", "tü".repeat(1_000));
    let outline = outline(&text);
    let title = &outline.sections()[0].title;
    assert!(title.len() <= 512 && text[2..].starts_with(title.as_str()), "{title}");
    assert_eq!(outline.path(1), [title.as_str(), "x"]);
}

/// Texts longer than what the parser is given at once, with what reaches from one part of them into others.
#[test]
fn long_texts() {
    let prose = "Words of a line that says nothing, and of others.\n".repeat(20) + "\n";
    let sections = |count: usize| (0..count).map(|i| format!("## [x] {i}\n\n{prose}")).collect::<String>();
    let quoted = |text: &str| text.lines().map(|line| format!("> {line}\n")).collect::<String>();
    let fence = format!("```\n{}```\n\n", sections(700));
    let (some, many) = (sections(200), sections(700));
    // More than are remembered.
    let undefined: String = (0..40_000).map(|i| format!("[label {i}]\n\n")).collect();
    for (text, sections, title) in [
        (many.clone(), 700, "[x] 5"),
        (format!("{many}[x]: y\n"), 700, "x 5"),
        (format!("[x]: y\n\n{many}"), 700, "x 5"),
        (format!("{some}[X]: y\n\n{some}[z]: y\n\n{some}"), 600, "x 5"),
        (format!("{some}[z]: y\n\n{some}"), 400, "[x] 5"),
        (format!("{some}{fence}{some}[x]: y\n"), 400, "x 5"),
        (format!("{some}{}[x]: y\n", fence.trim_end().trim_end_matches('`')), 200, "[x] 5"),
        (format!("{some}{}\n{some}[x]: y\n", quoted(&many)), 1_100, "x 5"),
        (format!("{undefined}{some}{undefined}[x]: y\n"), 200, "x 5"),
    ] {
        let outline = outline(&text);
        let titles: Vec<_> = outline.sections().iter().map(|section| section.title.as_str()).collect();
        assert_eq!((titles.len(), titles[5]), (sections, title));
        let (lines, total): (Vec<_>, _) = (text.lines().collect(), text.lines().count());
        for section in outline.sections() {
            let LineRange { start, end } = section.lines;
            assert_eq!(section.heading, LineRange { start, end: start });
            assert!(lines[start - 1].contains("## [x] ") && start < end && end <= total);
        }
        assert_eq!(canvas_patch::LiveOutline::new(text).outline(), &outline);
    }
}
