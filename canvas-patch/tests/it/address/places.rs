//! Places without a path, and what is around a place.

use canvas_patch::{Address, LiveOutline, Part, Query, TablePart, resolve};

use super::{AMBIGUOUS, NOT_FOUND, check, check_around, check_refused, hit, item, lines, section};

#[test]
fn the_preamble_is_the_text_before_the_first_heading() {
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

    let refused = |address, code, lines: &[usize]| {
        let error = check_refused(text, &address, code, &[]);
        assert_eq!(error.candidate_lines(), lines, "{error}");
    };
    refused(hit("a", None), AMBIGUOUS, &[1, 4]);
    refused(hit("a", 3), NOT_FOUND, &[1, 4]);
    refused(hit("x", None), NOT_FOUND, &[]);
    refused(hit("x", 0), NOT_FOUND, &[]);
    let costly = Query::regex(r"[01]*1[01]{500}$").expect("it is an expression");
    let address = Address::Hit { query: costly, ordinal: None };
    check_refused(&"01".repeat(500_000), &address, "QUERY_TOO_LARGE", &[]);
    let error = resolve(&"a\n".repeat(50_000), &hit("a", None)).expect_err("there are several");
    assert_eq!(error.candidate_lines(), (1..=20).collect::<Vec<_>>());
    assert!(error.to_string().starts_with("50000 lines"), "{error}");
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
    // A lone CR puts two items on one line: it belongs to the first.
    check_around("- a\r- b\n", &lines(1, 1), "-");
    check_around("---\na: b\n---\n> c\n", &Address::FrontMatter, "");
    check_around("---\na: b\n---\n> c\n", &lines(2, 2), "");
}

#[test]
fn every_line_has_the_smallest_place_around_it() {
    let text = "---\na: b\n---\nintro\n\n- [ ] a\n  - b\n    c\n\n> - d\n\n# A\n## B\n\n| h |\n| - |\n| 1 |\n| 2 |\n\n\
                - ~~~\n  e\n  ~~~\n  f\n# A\n- - g\n## B\n[^n]: h\n\n";
    let item = |numbers: &[usize]| Address::Part(Part::Item(numbers.to_vec()));
    let row = |row| Address::Part(Part::Table(TablePart { row, ..TablePart::whole(1) }));
    let expected = [
        (1, Some(Address::FrontMatter)),
        (3, Some(Address::FrontMatter)),
        (4, Some(section(&[], None, None))),
        (6, Some(item(&[1]))),
        (7, Some(item(&[1, 1]))),
        (8, Some(item(&[1, 1]))),
        // A blank line of the preamble, behind the list.
        (9, Some(section(&[], None, None))),
        (10, Some(item(&[2]))),
        (11, None),
        (12, Some(section(&["A"], 1, None))),
        (13, Some(section(&["A", "B"], 1, None))),
        (15, Some(row(None))),
        (16, Some(row(None))),
        (17, Some(row(Some(1)))),
        (18, Some(row(Some(2)))),
        (19, Some(section(&["A", "B"], 1, None))),
        (21, Some(Address::Part(Part::Fence(1)))),
        (23, Some(item(&[3]))),
        (24, Some(section(&["A"], 2, None))),
        (25, Some(item(&[4, 1]))),
        (27, Some(section(&["A", "B"], 2, None))),
        (28, None),
        (29, None),
        (0, None),
    ];
    for ending in ["\n", "\r\n"] {
        let live = LiveOutline::new(text.replace('\n', ending));
        for (line, expected) in &expected {
            assert_eq!(live.address_at(*line), *expected, "{line}");
        }
    }
    assert_eq!(LiveOutline::new(String::new()).address_at(1), None);
}
