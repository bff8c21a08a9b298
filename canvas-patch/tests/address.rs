//! Where addresses lead, and what is said when they lead nowhere.

use canvas_patch::{
    Address, AddressError, ContainerKind, GrepLimits, LineRange, Part, Query, grep, outline, resolve,
};
use proptest::prelude::*;

fn section(path: &[&str], ordinal: impl Into<Option<usize>>, part: impl Into<Option<Part>>) -> Address {
    let path = path.iter().map(|&title| title.to_owned()).collect();
    Address::Section { path, ordinal: ordinal.into(), part: part.into() }
}

fn item<const N: usize>(numbers: [usize; N]) -> Part {
    Part::Item(numbers.to_vec())
}

fn lines(start: usize, end: usize) -> Address {
    Address::Lines { start, end }
}

fn hit(literal: &str, ordinal: impl Into<Option<usize>>) -> Address {
    Address::Hit { query: Query::literal(literal).expect("it is a query"), ordinal: ordinal.into() }
}

/// Checks the containers around what an address resolves to: `>` quote, `-` list item.
#[track_caller]
fn check_around(text: &str, address: &Address, expected: &str) {
    let found = resolve(text, address).unwrap_or_else(|error| panic!("{address:?} in {text:?}: {error}"));
    let shown = found.container_path.iter().map(|kind| match kind {
        ContainerKind::Quote => '>',
        ContainerKind::ListItem => '-',
    });
    assert_eq!(shown.collect::<String>(), expected, "{address:?} in {text:?}");
}

/// Checks the lines an address resolves to, and that its bytes are those lines.
#[track_caller]
fn check(text: &str, address: &Address, start: usize, end: usize) {
    let found = resolve(text, address).unwrap_or_else(|error| panic!("{address:?} in {text:?}: {error}"));
    assert_eq!(found.lines, LineRange { start, end }, "{address:?} in {text:?}");
    let lines: String = text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect();
    assert_eq!(&text[found.bytes], lines);
}

/// Checks the code of a refusal and the heading lines of its candidates.
#[track_caller]
fn check_refused(text: &str, address: &Address, code: &str, heading_lines: &[usize]) -> AddressError {
    let error = resolve(text, address).expect_err("the address is refused");
    assert_eq!(error.code(), code, "{error}");
    let candidates: Vec<_> = error.candidates().iter().map(|candidate| candidate.heading_line).collect();
    assert_eq!(candidates, heading_lines, "{error}");
    error
}

const NOT_FOUND: &str = "ADDRESS_NOT_FOUND";
const AMBIGUOUS: &str = "ADDRESS_AMBIGUOUS";

#[test]
fn line_ranges() {
    check("a\nb\nc\n", &lines(1, 1), 1, 1);
    check("a\nb\nc\n", &lines(2, 3), 2, 3);
    check("a\nb\nc", &lines(3, 3), 3, 3);
    check("a\rb\r\n\n", &lines(1, 2), 1, 2);
    check("\n", &lines(1, 1), 1, 1);
    for (text, start, end) in [
        ("a\n", 0, 0),
        ("a\n", 0, 1),
        ("a\nb\n", 2, 1),
        ("a\n", 1, 2),
        ("", 1, 1),
        ("a", 2, 2),
        ("a", usize::MAX, usize::MAX),
    ] {
        check_refused(text, &lines(start, end), "ADDRESS_NOT_FOUND", &[]);
    }
    let error = check_refused("a\nb", &lines(2, usize::MAX), "ADDRESS_NOT_FOUND", &[]);
    assert!(error.to_string().contains("1 <= start <= end <= 2"), "{error}");
}

const GUIDE: &str = "\
# Guide
## Install
### Linux
### Notes

## Use
### Notes
x
> # Notes
> quoted
";

#[test]
fn sections_by_path() {
    check(GUIDE, &section(&["Guide"], None, None), 1, 10);
    check(GUIDE, &section(&["Guide", "Install"], None, None), 2, 4);
    check(GUIDE, &section(&["Install"], None, None), 2, 4);
    check(GUIDE, &section(&["Install", "Linux"], None, None), 3, 3);
    check(GUIDE, &section(&["Use", "Notes"], None, None), 7, 10);
    check(GUIDE, &section(&["Notes", "Notes"], None, None), 9, 10);
    check(GUIDE, &section(&["Notes"], 1, None), 4, 4);
    check(GUIDE, &section(&["Notes"], 3, None), 9, 10);
    check("\u{feff}# A\r\n\r\n# B\r\nb", &section(&["A"], None, None), 1, 1);
    check("#\n\n# B\n", &section(&[""], None, None), 1, 1);
    check("> # A\n>\n> a\n>\n\n# B\n", &section(&["A"], None, None), 1, 3);

    check_refused(GUIDE, &section(&["Notes"], None, None), AMBIGUOUS, &[4, 7, 9]);
    check_refused(GUIDE, &section(&["Notes"], 4, None), NOT_FOUND, &[4, 7, 9]);
    check_refused(GUIDE, &section(&["Notes"], 0, None), NOT_FOUND, &[4, 7, 9]);
    check_refused(GUIDE, &section(&["Guide", "Linux"], None, None), NOT_FOUND, &[3, 1, 4, 6, 7]);
    check_refused(GUIDE, &section(&["install"], None, None), NOT_FOUND, &[2, 4, 7, 9, 3]);
    check_refused(GUIDE, &section(&[], None, None), NOT_FOUND, &[]);
    check_refused("text\n", &section(&["A"], None, None), NOT_FOUND, &[]);
}

#[test]
fn a_full_path_comes_before_the_end_of_another() {
    let text = "# X\n## Notes\n# Notes\n";
    check(text, &section(&["Notes"], None, None), 3, 3);
    check(text, &section(&["Notes"], 1, None), 3, 3);
    check_refused(text, &section(&["Notes"], 2, None), NOT_FOUND, &[3]);
    let twice = "# Notes\n# X\n## Notes\n# Notes\n";
    check_refused(twice, &section(&["Notes"], None, None), AMBIGUOUS, &[1, 4]);
    check(twice, &section(&["Notes"], 2, None), 4, 4);
    check(twice, &section(&["X", "Notes"], 1, None), 3, 3);
}

#[test]
fn list_items() {
    let item = |n| section(&["A"], None, item([n]));
    let text = "# A\n- a\n  - inner\n- b\n\n  b\n\n\ntext\n\n1) c\n\n## B\n- d\n";
    check(text, &item(1), 2, 3);
    check(text, &item(2), 4, 6);
    check(text, &item(3), 11, 11);
    check_refused(text, &item(4), NOT_FOUND, &[1]);
    check_refused(text, &item(0), NOT_FOUND, &[1]);
    check(text, &section(&["B"], None, Part::Item(vec![1])), 14, 14);
    check("# A\n> - a\n>   b\n>\n> c\n- d\n", &item(1), 2, 3);
    check("# A\n> - a\n>   b\n>\n> c\n- d\n", &item(2), 6, 6);
    check("# A\n- # B\n  - b\n- c\n", &item(1), 2, 3);
    check("# A\n- # B\n  - b\n- c\n", &item(2), 4, 4);
    check("# A\n- # B\n  - b\n- c\n", &section(&["B"], None, Part::Item(vec![1])), 3, 3);
    check("> # A\n> - a\n>\n> - b\n", &item(2), 4, 4);
    check("# A\r\n- a\r\n\r\n-\r\n", &item(1), 2, 2);
    check("# A\r\n- a\r\n\r\n-\r\n", &item(2), 4, 4);
    check("# A\n* a\n* * *\n* b", &item(2), 4, 4);
}

#[test]
fn items_in_items() {
    let at = |text, numbers: &[usize], start, end| {
        check(text, &section(&["A"], None, Part::Item(numbers.to_vec())), start, end);
    };
    let text =
        "# A\n- a\n  - b\n    1. c\n    2. d\n\n  - e\n- f\n\n  > - g\n  >   * h\n\n  ```\n  - no\n  ```\n";
    at(text, &[1], 2, 7);
    at(text, &[1, 1], 3, 5);
    at(text, &[1, 1, 2], 5, 5);
    at(text, &[1, 2], 7, 7);
    at(text, &[2], 8, 15);
    at(text, &[2, 1], 10, 11);
    at(text, &[2, 1, 1], 11, 11);
    at("# A\n- - - a\n    - b\n", &[1, 1], 2, 3);
    at("# A\n- - - a\n    - b\n", &[1, 1, 1], 2, 2);
    at("# A\n- - - a\n    - b\n", &[1, 1, 2], 3, 3);
    // What a heading in an item holds is that heading's.
    let text = "# A\n- a\n  - b\n\n  > # Q\n  > - q\n  - c\n";
    at(text, &[1, 2], 7, 7);
    check(text, &section(&["Q"], None, item([1])), 6, 6);

    let refused = |numbers: &[usize], message: &str| {
        let address = section(&["A"], None, Part::Item(numbers.to_vec()));
        let error = check_refused(text, &address, NOT_FOUND, &[1]).to_string();
        assert!(error.starts_with(message), "{error}");
    };
    refused(&[2], r#"the section ["A"] at line 1 has 1 list items of its own, not 2;"#);
    refused(&[1, 3, 1], r#"list item 1 of the section ["A"] at line 1 has 2 list items of its own, not 3;"#);
    refused(
        &[1, 2, 7],
        r#"list item 1.2 of the section ["A"] at line 1 has 0 list items of its own, not 7;"#,
    );
    refused(&[1, 0], "list item 1 of the section");
    refused(&[1, usize::MAX], "list item 1 of the section");
    refused(&[], "the section");
}

#[test]
fn what_stands_before_the_first_heading() {
    let preamble = |part: Option<Part>| section(&[], None, part);
    let text = "---\na: b\n---\n\nintro\n\n- a\n  - b\n\n~~~\n~~~\n\n\n# A\n- c\n";
    check(text, &preamble(None), 5, 11);
    check(text, &section(&[], 1, None), 5, 11);
    check(text, &preamble(Some(item([1]))), 7, 8);
    check(text, &preamble(Some(item([1, 1]))), 8, 8);
    check(text, &preamble(Some(Part::Fence(1))), 10, 11);
    check_refused(text, &preamble(Some(item([2]))), NOT_FOUND, &[]);
    check_refused(text, &section(&[], 2, None), NOT_FOUND, &[]);
    check("\u{feff}\na\n", &preamble(None), 2, 2);
    check("\r\n \t\r\na\r\nb\r\n===\r\n", &section(&["a b"], None, None), 3, 5);
    // A heading in a quote or item ends with that, and is no start of the text's sections.
    check("> # Q\n> - q\n\n- a\n\n# A\n", &preamble(None), 1, 4);
    check("> # Q\n> - q\n\n- a\n\n# A\n", &preamble(Some(item([1]))), 4, 4);
    check("> # Q\n> - q\n\n- a\n\n# A\n", &section(&["Q"], None, item([1])), 2, 2);
    for text in [
        "",
        "\n\n",
        "\u{feff}",
        "# A\na\n",
        "\n\n# A\n",
        "---\na: b\n---\n# A\n",
        "---\na\n---\r# A\n",
        "a\r# B\n",
    ] {
        check_refused(text, &preamble(None), NOT_FOUND, &[]);
    }
}

#[test]
fn front_matter() {
    for (text, end) in
        [("---\na: b\n---\n# A\n", 3), ("\u{feff}---\r\na: b\r\n---\r\n", 3), ("---\n# a\n\n...", 4)]
    {
        check(text, &Address::FrontMatter, 1, end);
    }
    for text in ["", "# A\n", "\n---\na: b\n---\n", "---\na: b\n"] {
        check_refused(text, &Address::FrontMatter, NOT_FOUND, &[]);
    }
}

#[test]
fn hits_of_a_search() {
    let text = "a b\r\nc\r\n\r\na a\r\n";
    check(text, &hit("b", None), 1, 1);
    check(text, &hit("a", 1), 1, 1);
    check(text, &hit("a", 2), 4, 4);
    let words = Query::regex(r"^\w \w$").expect("it is an expression");
    check(text, &Address::Hit { query: words, ordinal: Some(2) }, 4, 4);
    check("a", &hit("a", None), 1, 1);

    let refused = |address, code, lines: &[usize], message: &str| {
        let error = check_refused(text, &address, code, &[]);
        assert_eq!((error.candidate_lines(), error.to_string().as_str()), (lines, message));
    };
    refused(
        hit("a", None),
        AMBIGUOUS,
        &[1, 4],
        "2 lines match (lines 1, 4); give a longer query, or an ordinal from 1 to 2",
    );
    refused(
        hit("a", 3),
        NOT_FOUND,
        &[1, 4],
        "2 line(s) match (lines 1, 4), so there is none of ordinal 3; give an ordinal up to that",
    );
    refused(hit("x", None), NOT_FOUND, &[], "0 line(s) match; give another query");
    refused(
        hit("x", 0),
        NOT_FOUND,
        &[],
        "0 line(s) match, so there is none of ordinal 0; give another query",
    );
    let costly = Query::regex(r"[01]*1[01]{500}$").expect("it is an expression");
    let address = Address::Hit { query: costly, ordinal: None };
    check_refused(&"01".repeat(500_000), &address, "QUERY_TOO_LARGE", &[]);
    let error = resolve(&"a\n".repeat(50_000), &hit("a", None)).expect_err("there are several");
    assert_eq!(error.candidate_lines(), (1..=20).collect::<Vec<_>>());
    assert!(error.to_string().starts_with("50000 lines match (lines 1, 2, 3, "), "{error}");
}

#[test]
fn containers_around_a_place() {
    let text = "# A\n> - a\n>   b\n>\n>   ~~~\n>   # no\n>   ~~~\n>\n> # Q\n> - c\n\n- d\n\n  e\n";
    check_around(text, &section(&["A"], None, None), "");
    check_around(text, &section(&["A"], None, item([1])), ">");
    check_around(text, &section(&["A"], None, Part::Fence(1)), ">-");
    check_around(text, &section(&["Q"], None, None), ">");
    check_around(text, &section(&["Q"], None, item([1])), ">");
    check_around(text, &section(&["A"], None, item([2])), "");
    for ((start, end), expected) in [
        ((1, 1), ""),
        ((1, 2), ""),
        ((2, 2), ">-"),
        ((2, 7), ">-"),
        ((2, 8), ">"),
        ((6, 6), ">-"),
        ((4, 9), ">"),
        ((2, 10), ">"),
        ((10, 11), ""),
        ((11, 11), ""),
        ((12, 14), "-"),
        ((13, 13), "-"),
    ] {
        check_around(text, &lines(start, end), expected);
    }
    check_around(text, &hit("# no", None), ">-");
    check_around("- a\n- b\n", &lines(1, 2), "");
    check_around("- - > a\n", &lines(1, 1), "-->");
    check_around("- a\n\n\nb\n", &lines(2, 2), "");
    // The second of the lines is the quote's, the paragraph goes on without a mark.
    check_around("> a\nb\n", &lines(2, 2), ">");
    check_around("> - a\n> - b\n>\n> - c\n", &lines(2, 2), ">-");
    check_around("> - a\n> - b\n>\n> - c\n", &lines(4, 4), ">-");
    // A lone CR puts two items on one line: the first is taken.
    check_around("- a\r- b\n", &lines(1, 1), "-");
    check_around("---\na: b\n---\n> c\n", &Address::FrontMatter, "");
    check_around("---\na: b\n---\n> c\n", &lines(2, 2), "");
}

#[test]
fn code_fences() {
    let fence = |n| section(&["A"], None, Part::Fence(n));
    let text = "# A\n```\n# no\n```\n\n- a\n\n  ~~~ x\n  - no\n  ~~~\n\n    code\n\n## B\n```\n\n\n";
    check(text, &fence(1), 2, 4);
    check(text, &fence(2), 8, 10);
    check_refused(text, &fence(3), NOT_FOUND, &[1]);
    check(text, &section(&["B"], None, Part::Fence(1)), 15, 17);
    check_refused(text, &section(&["B"], None, Part::Item(vec![1])), NOT_FOUND, &[14]);
    check("# A\n```", &fence(1), 2, 2);
    check("# A\n> ```\n> a\n\nb\n", &fence(1), 2, 3);
    check("# A\n- ```\n  a\n\nb\n", &fence(1), 2, 4);
    check("# A\r\n```\r\na\r\n```\r\nb\r\n", &fence(1), 2, 4);
}

#[test]
fn refusals_say_what_to_do() {
    let message = |text, address: &Address| resolve(text, address).expect_err("refused").to_string();
    assert_eq!(
        message(GUIDE, &section(&["Notes"], None, None)),
        r#"3 sections match ["Notes"] (lines 4, 7, 9); give a longer path, or an ordinal from 1 to 3"#
    );
    assert_eq!(
        message("# A\n## B\n", &section(&["C"], None, None)),
        r#"no section has the path ["C"]; take a path from the outline, perhaps ["A"] (line 1), ["A", "B"] (line 2)"#
    );
    assert_eq!(
        message("# A\n", &section(&["A"], None, Part::Fence(2))),
        r#"the section ["A"] at line 1 has 0 code fences of its own, not 2; give a number up to that, or the path of a subsection"#
    );
    let many = "# A\n".repeat(50_000);
    let error = resolve(&many, &section(&["A"], None, None)).expect_err("ambiguous");
    assert_eq!(error.candidates().len(), 20);
    assert!(error.to_string().len() < 200);
}

/// Texts and addresses made to be slow or large. What takes more than linear time does not end here.
#[test]
fn hostile_texts_and_addresses() {
    let n = 20_000;
    let quotes = "> ".repeat(n) + "a\n";
    let around = resolve(&quotes, &lines(1, 1)).expect("the line is there").container_path;
    assert_eq!(around, vec![ContainerKind::Quote; n]);
    let lazy = ">".repeat(n) + "a\n" + &"b\n".repeat(n);
    check(&lazy, &lines(2, n), 2, n);
    let lists = "- ".repeat(n) + "a\n";
    let deep = |n: usize| section(&[], None, Part::Item(vec![1; n]));
    check(&lists, &deep(n), 1, 1);
    check_refused(&lists, &deep(n + 1), NOT_FOUND, &[]);
    let items = "- a\n".repeat(n);
    check(&items, &section(&[], None, item([n])), n, n);
    check_refused(&items, &section(&[], None, item([usize::MAX])), NOT_FOUND, &[]);
    check_refused(&items, &section(&[], None, Part::Item(vec![3; n])), NOT_FOUND, &[]);
    let headings = "# A\n".repeat(n);
    check(&headings, &section(&["A"], n, None), n, n);
    check_refused(&headings, &section(&["A"], n + 1, None), NOT_FOUND, &(1..=20).collect::<Vec<_>>());
    check_refused(
        &headings,
        &section(&["A"], None, Part::Fence(1)),
        AMBIGUOUS,
        &(1..=20).collect::<Vec<_>>(),
    );
    let one_line = "x".repeat(1_000_000);
    check(&one_line, &lines(1, 1), 1, 1);
    check(&one_line, &hit("x", None), 1, 1);
    for address in [section(&[&one_line], None, None), section(&vec!["A"; n], None, None)] {
        let error = check_refused(&headings, &address, NOT_FOUND, &[1, 2, 3, 4, 5]);
        assert!(error.to_string().len() < 500, "{error}");
    }
    let carriage_returns = "- # A\r\0\u{1f600}\r".repeat(n);
    check(&carriage_returns, &section(&["A"], n, None), 1, 1);
    check(&carriage_returns, &section(&[], None, item([n])), 1, 1);
    check_refused(&("---\n".to_owned() + &items), &Address::FrontMatter, NOT_FOUND, &[]);
}

fn markdown() -> impl Strategy<Value = String> {
    let line = "(> |- |  |1\\. ){0,2}(#{1,3} [ab]{0,2}|[ab]{1,2}|---|```|)(\r|\r\n|\n|\n|\n|\n)";
    prop::collection::vec(line, 0..20).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn path_and_ordinal_lead_back_to_the_section(text in markdown()) {
        let outline = outline(&text);
        for (index, wanted) in outline.sections().iter().enumerate() {
            let path = outline.path(index);
            let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
            let found = resolve(&text, &section(&path, ordinal, None)).expect("it is there");
            prop_assert_eq!(found.lines, wanted.lines);
            prop_assert_eq!(&found.container_path, &outline.container_path(index));
            let again = resolve(&text, &lines(found.lines.start, found.lines.end)).expect("it is there");
            prop_assert_eq!(&again.bytes, &found.bytes);
            // A lone CR may put a quote or item on the line of a heading.
            if !text.contains('\r') {
                prop_assert_eq!(again, found);
            }
        }
    }

    #[test]
    fn parts_lie_in_the_container_of_their_section(text in markdown(), n in 1_usize..4) {
        let outline = outline(&text);
        for (index, wanted) in outline.sections().iter().enumerate() {
            let path = outline.path(index);
            let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
            for part in [item([n]), item([n, 1]), Part::Fence(n)] {
                match resolve(&text, &section(&path, ordinal, part)) {
                    Ok(found) => prop_assert!(wanted.lines.start <= found.lines.start),
                    Err(error) => prop_assert_eq!(error.candidates()[0].heading_line, wanted.heading.start),
                }
            }
        }
    }

    #[test]
    fn an_item_holds_its_items(text in markdown(), numbers in prop::collection::vec(1_usize..3, 2..4)) {
        for path in outline(&text).sections().iter().map(|section| section.title.as_str()).chain([""]) {
            let path: &[&str] = if path.is_empty() { &[] } else { &[path] };
            let at = |depth: usize| resolve(&text, &section(path, 1, Part::Item(numbers[..depth].to_vec())));
            for depth in 2..=numbers.len() {
                let Ok(inner) = at(depth) else { continue };
                let outer = at(depth - 1).expect("what holds an item is there");
                prop_assert!(outer.lines.start <= inner.lines.start && inner.lines.end <= outer.lines.end);
                prop_assert!(inner.container_path.starts_with(&outer.container_path));
                prop_assert_eq!(inner.container_path[outer.container_path.len()], ContainerKind::ListItem);
            }
        }
    }

    #[test]
    fn hits_are_the_lines_of_a_grep(text in markdown(), query in "[ab#>-]", n in 1_usize..4) {
        let query = Query::literal(&query).expect("it is a query");
        let found = grep(&text, &query, GrepLimits::default()).expect("it is cheap");
        let expected = found.matches.get(n - 1).map(|found| found.line);
        let hit = resolve(&text, &Address::Hit { query: query.clone(), ordinal: Some(n) });
        prop_assert_eq!(hit.ok().map(|hit| hit.lines.start), expected);
        let total = found.matches.len();
        match resolve(&text, &Address::Hit { query, ordinal: None }) {
            Ok(_) => prop_assert_eq!(total, 1),
            Err(error) => prop_assert_eq!(error.code(), if total == 0 { NOT_FOUND } else { AMBIGUOUS }),
        }
    }

    #[test]
    fn any_address_is_answered(
        text in any::<String>(),
        path in prop::collection::vec(any::<String>(), 0..3),
        ordinal in prop::option::of(any::<usize>()),
        (start, end) in (0_usize..5, 0_usize..5),
    ) {
        for part in [None, Some(item([start])), Some(item([start, end])), Some(Part::Fence(end))] {
            if let Err(error) = resolve(&text, &Address::Section { path: path.clone(), ordinal, part }) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
        let line_count = text.split_inclusive('\n').count();
        let expected = 1 <= start && start <= end && end <= line_count;
        prop_assert_eq!(resolve(&text, &lines(start, end)).is_ok(), expected);
    }
}
