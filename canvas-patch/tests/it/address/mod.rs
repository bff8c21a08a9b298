//! Where addresses lead, and the errors of those that lead nowhere.

mod hostile;
mod laws;
mod parts;
mod places;

use canvas_patch::{Address, AddressError, ContainerKind, LineRange, Part, Query, resolve};

pub(crate) fn section(
    path: &[&str],
    ordinal: impl Into<Option<usize>>,
    part: impl Into<Option<Part>>,
) -> Address {
    let path = path.iter().map(|&title| title.to_owned()).collect();
    Address::Section { path, ordinal: ordinal.into(), part: part.into() }
}

pub(crate) fn item<const N: usize>(numbers: [usize; N]) -> Part {
    Part::Item(numbers.to_vec())
}

pub(crate) fn lines(start: usize, end: usize) -> Address {
    Address::Lines { start, end }
}

pub(crate) fn hit(literal: &str, ordinal: impl Into<Option<usize>>) -> Address {
    Address::Hit { query: Query::literal(literal).expect("it is a query"), ordinal: ordinal.into() }
}

/// Checks the containers around what an address resolves to: `>` quote, `-` list item.
#[track_caller]
pub(crate) fn check_around(text: &str, address: &Address, expected: &str) {
    let found = resolve(text, address).unwrap_or_else(|error| panic!("{address:?} in {text:?}: {error}"));
    let shown = found.container_path.iter().map(|kind| match kind {
        ContainerKind::Quote => '>',
        ContainerKind::ListItem => '-',
        ContainerKind::Footnote => '^',
    });
    assert_eq!(shown.collect::<String>(), expected, "{address:?} in {text:?}");
}

/// Checks the lines an address resolves to, and that its bytes are those lines.
#[track_caller]
pub(crate) fn check(text: &str, address: &Address, start: usize, end: usize) {
    let found = resolve(text, address).unwrap_or_else(|error| panic!("{address:?} in {text:?}: {error}"));
    assert_eq!(found.lines, LineRange { start, end }, "{address:?} in {text:?}");
    let lines: String = text.split_inclusive('\n').skip(start - 1).take(end + 1 - start).collect();
    assert_eq!(&text[found.bytes], lines);
}

/// Checks the code of a refusal and the heading lines of its candidates.
#[track_caller]
pub(crate) fn check_refused(
    text: &str,
    address: &Address,
    code: &str,
    heading_lines: &[usize],
) -> AddressError {
    let error = resolve(text, address).expect_err("the address is refused");
    assert_eq!(error.code(), code, "{error}");
    let candidates: Vec<_> = error.candidates().iter().map(|candidate| candidate.heading_line).collect();
    assert_eq!(candidates, heading_lines, "{error}");
    error
}

pub(crate) const NOT_FOUND: &str = "ADDRESS_NOT_FOUND";
pub(crate) const AMBIGUOUS: &str = "ADDRESS_AMBIGUOUS";

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
    check("A *b*\n/ ::\n===\n\na\n\t\n", &section(&["A b / ::"], None, None), 1, 5);
    check("# A\n```\n# B\n", &section(&["A"], None, None), 1, 3);
    check("<div>\n# A\n\n# B\n</div>\n", &section(&["B"], None, None), 4, 5);

    check_refused(GUIDE, &section(&["Notes"], None, None), AMBIGUOUS, &[4, 7, 9]);
    check_refused(GUIDE, &section(&["Notes"], 4, None), NOT_FOUND, &[4, 7, 9]);
    check_refused(GUIDE, &section(&["Notes"], 0, None), NOT_FOUND, &[4, 7, 9]);
    check_refused(GUIDE, &section(&["Guide", "Linux"], None, None), NOT_FOUND, &[3, 1, 4, 6, 7]);
    check_refused(GUIDE, &section(&["install"], None, None), NOT_FOUND, &[2, 4, 7, 9, 3]);
    check_refused(GUIDE, &section(&[], None, None), NOT_FOUND, &[]);
    check_refused("# A\n```\n# B\n", &section(&["B"], None, None), NOT_FOUND, &[1]);
    check_refused("<div>\n# A\n</div>\n", &section(&["A"], None, None), NOT_FOUND, &[]);
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
fn refusals_name_what_there_is() {
    let message = |text, address: &Address| resolve(text, address).expect_err("refused").to_string();
    let (cut, whole, escaped) = ("é".repeat(81), "é".repeat(80), "\u{1}".repeat(17));
    for (path, shown) in [
        (vec![whole.as_str(), "A"], format!(r#"["{whole}", "A"]"#)),
        (vec![cut.as_str(), "A"], format!(r#"["{whole}"..., "A"]"#)),
        // What is escaped counts as it is shown.
        (vec![escaped.as_str()], format!(r#"["{}"...]"#, r"\u{1}".repeat(16))),
        (vec!["1", "2", "3", "4", "5", "6", "7", "8"], r#"["1", "2", "3", "4", "5", "6", "7", "8"]"#.into()),
        (
            vec!["1", "2", "3", "4", "5", "6", "7", "8", "9"],
            r#"[..., "2", "3", "4", "5", "6", "7", "8", "9"]"#.into(),
        ),
    ] {
        let said = message("text\n", &section(&path, None, None));
        assert!(said.contains(&format!(" {shown};")), "{said}");
    }
    let many = "# A\n".repeat(50_000);
    let error = resolve(&many, &section(&["A"], None, None)).expect_err("ambiguous");
    assert_eq!(error.candidates().len(), 20);
    assert!(error.to_string().len() < 200);
}
