//! Texts and addresses made to be slow or large.

use canvas_patch::{Address, ContainerKind, Part, resolve};

use super::{AMBIGUOUS, NOT_FOUND, check, check_refused, hit, item, lines, section};

/// What takes more than linear time does not end here.
#[test]
fn hostile_texts_and_addresses() {
    let n = 20_000;
    let quotes = "> ".repeat(n) + "a\n";
    let around = resolve(&quotes, &lines(1, 1)).expect("the line is there").container_path;
    assert_eq!(around, vec![ContainerKind::Quote; n]);
    // Where nothing but markers holds a line, nothing of it is content.
    let markers = ">".repeat(10 * n) + "\n";
    let around = resolve(&markers, &lines(1, 1)).expect("the line is there").container_path;
    assert_eq!(around, vec![ContainerKind::Quote; 10 * n]);
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
