//! List items and code fences of a section.

use canvas_patch::Part;

use super::{NOT_FOUND, check, check_refused, item, section};

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

#[track_caller]
fn at(text: &str, numbers: &[usize], start: usize, end: usize) {
    check(text, &section(&["A"], None, Part::Item(numbers.to_vec())), start, end);
}

#[test]
fn items_in_items() {
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
    at("# A\n-\ta\n\n\tb\n\t-\tc\n", &[1], 2, 5);
    at("# A\n-\ta\n\n\tb\n\t-\tc\n", &[1, 1], 5, 5);
    // A tab before the marker may count for more columns than bytes.
    for ending in ["\n", "\r\n"] {
        let text =
            "# A\n- a\n\t- b\n\t- c\n\n\t\t- d\n- e\n\n\t> f\n\t1. g\n\n100. h\n\t\t- i\n>\t- j\n>\t- k\n";
        let text = text.replace('\n', ending);
        for (numbers, start, end) in [
            (&[1][..], 2, 6),
            (&[1, 1], 3, 3),
            (&[1, 2], 4, 6),
            (&[1, 2, 1], 6, 6),
            (&[2], 7, 10),
            (&[2, 1], 10, 10),
            (&[3], 12, 13),
            (&[3, 1], 13, 13),
            (&[4], 14, 14),
            (&[5], 15, 15),
        ] {
            at(&text, numbers, start, end);
        }
    }
    // What a heading in an item holds is that heading's.
    let text = "# A\n- a\n  - b\n\n  > # Q\n  > - q\n  - c\n";
    at(text, &[1, 2], 7, 7);
    check(text, &section(&["Q"], None, item([1])), 6, 6);

    let refused = |numbers: &[usize], facts: &[&str]| {
        let address = section(&["A"], None, Part::Item(numbers.to_vec()));
        let error = check_refused(text, &address, NOT_FOUND, &[1]).to_string();
        assert!(facts.iter().all(|fact| error.contains(fact)), "{error}");
    };
    refused(&[2], &["the section", "[\"A\"]", "line 1", "1 list", "not 2;"]);
    refused(&[1, 3, 1], &["item 1 ", "line 1", "2 list", "not 3;"]);
    refused(&[1, 2, 7], &["item 1.2 ", "line 1", "0 list", "not 7;"]);
    refused(&[1, 0], &["item 1 "]);
    refused(&[1, usize::MAX], &["item 1 "]);
    refused(&[], &["the section"]);
    for (depth, numbers) in [(9, "1.1.1.1.1.1.1.1.1"), (10, "1.1.1.1.1.1.1.1.1...")] {
        let text = format!("# A\n{}a\n", "- ".repeat(depth));
        let address = section(&["A"], None, Part::Item(vec![1; depth + 1]));
        let error = check_refused(&text, &address, NOT_FOUND, &[1]).to_string();
        assert!(error.starts_with(&format!("list item {numbers} ")), "{error}");
    }
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
