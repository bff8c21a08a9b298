//! Where addresses lead, and what is said when they lead nowhere.

use canvas_patch::{Address, AddressError, LineRange, Part, outline, resolve};
use proptest::prelude::*;

fn section(path: &[&str], ordinal: impl Into<Option<usize>>, part: impl Into<Option<Part>>) -> Address {
    let path = path.iter().map(|&title| title.to_owned()).collect();
    Address::Section { path, ordinal: ordinal.into(), part: part.into() }
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
fn lines() {
    let lines = |start, end| Address::Lines { start, end };
    check("a\nb\nc\n", &lines(1, 1), 1, 1);
    check("a\nb\nc\n", &lines(2, 3), 2, 3);
    check("a\nb\nc", &lines(3, 3), 3, 3);
    check("a\rb\r\n\n", &lines(1, 2), 1, 2);
    check("\n", &lines(1, 1), 1, 1);
    for (text, start, end) in
        [("a\n", 0, 0), ("a\n", 0, 1), ("a\nb\n", 2, 1), ("a\n", 1, 2), ("", 1, 1), ("a", 2, 2)]
    {
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
    let item = |n| section(&["A"], None, Part::Item(n));
    let text = "# A\n- a\n  - inner\n- b\n\n  b\n\n\ntext\n\n1) c\n\n## B\n- d\n";
    check(text, &item(1), 2, 3);
    check(text, &item(2), 4, 6);
    check(text, &item(3), 11, 11);
    check_refused(text, &item(4), NOT_FOUND, &[1]);
    check_refused(text, &item(0), NOT_FOUND, &[1]);
    check(text, &section(&["B"], None, Part::Item(1)), 14, 14);
    check("# A\n> - a\n>   b\n>\n> c\n- d\n", &item(1), 2, 3);
    check("# A\n> - a\n>   b\n>\n> c\n- d\n", &item(2), 6, 6);
    check("# A\n- # B\n  - b\n- c\n", &item(1), 2, 3);
    check("# A\n- # B\n  - b\n- c\n", &item(2), 4, 4);
    check("# A\n- # B\n  - b\n- c\n", &section(&["B"], None, Part::Item(1)), 3, 3);
    check("> # A\n> - a\n>\n> - b\n", &item(2), 4, 4);
    check("# A\r\n- a\r\n\r\n-\r\n", &item(1), 2, 2);
    check("# A\r\n- a\r\n\r\n-\r\n", &item(2), 4, 4);
    check("# A\n* a\n* * *\n* b", &item(2), 4, 4);
}

#[test]
fn code_fences() {
    let fence = |n| section(&["A"], None, Part::Fence(n));
    let text = "# A\n```\n# no\n```\n\n- a\n\n  ~~~ x\n  - no\n  ~~~\n\n    code\n\n## B\n```\n\n\n";
    check(text, &fence(1), 2, 4);
    check(text, &fence(2), 8, 10);
    check_refused(text, &fence(3), NOT_FOUND, &[1]);
    check(text, &section(&["B"], None, Part::Fence(1)), 15, 17);
    check_refused(text, &section(&["B"], None, Part::Item(1)), NOT_FOUND, &[14]);
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
            let again = resolve(&text, &Address::Lines { start: found.lines.start, end: found.lines.end });
            prop_assert_eq!(again, Ok(found));
        }
    }

    #[test]
    fn parts_lie_in_the_container_of_their_section(text in markdown(), n in 1_usize..4) {
        let outline = outline(&text);
        for (index, wanted) in outline.sections().iter().enumerate() {
            let path = outline.path(index);
            let ordinal = (0..=index).filter(|&other| outline.path(other) == path).count();
            for part in [Part::Item(n), Part::Fence(n)] {
                match resolve(&text, &section(&path, ordinal, part)) {
                    Ok(found) => prop_assert!(wanted.lines.start <= found.lines.start),
                    Err(error) => prop_assert_eq!(error.candidates()[0].heading_line, wanted.heading.start),
                }
            }
        }
    }

    #[test]
    fn any_address_is_answered(
        text in any::<String>(),
        path in prop::collection::vec(any::<String>(), 0..3),
        ordinal in prop::option::of(any::<usize>()),
        (start, end) in (0_usize..5, 0_usize..5),
    ) {
        for part in [None, Some(Part::Item(start)), Some(Part::Fence(end))] {
            if let Err(error) = resolve(&text, &Address::Section { path: path.clone(), ordinal, part }) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
        let line_count = text.split_inclusive('\n').count();
        let expected = 1 <= start && start <= end && end <= line_count;
        prop_assert_eq!(resolve(&text, &Address::Lines { start, end }).is_ok(), expected);
    }
}
