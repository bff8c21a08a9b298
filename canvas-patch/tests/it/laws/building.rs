//! What holds for every built patch, and for the words that differ.

use canvas_patch::strategies::{Change, change};
use canvas_patch::{ApplyOptions, BuildOptions, apply, build, build_unique, word_changes};
use proptest::prelude::*;

use crate::laws::reference;
use crate::laws::times;

proptest! {
    #![proptest_config(times(3))]

    #[test]
    fn old_sides_are_unique_unless_reported(change in change(), context in 0_usize..4, widest in 0_usize..12) {
        let Change { before, after } = change;
        let options = BuildOptions { context, widest_context: widest };
        let built = build_unique(&before, &after, &options);
        prop_assert_eq!(built.patch.is_empty(), before == after);
        prop_assume!(before != after);
        let applied = apply(&before, &built.patch, &ApplyOptions::default()).expect("a built patch applies");
        prop_assert_eq!((applied.text(), applied.summary()), (after.as_str(), built.summary));
        prop_assert_eq!(applied.spans(), built.spans);
        let back = apply(&after, &applied.inverse(), &ApplyOptions::default()).expect("the inverse applies");
        prop_assert_eq!(back.text(), &before);
        let places = |old: &Vec<&str>| match old.is_empty() {
            true => usize::from(before.is_empty()),
            false => reference::places(&before, old).len(),
        };
        let many: Vec<_> = (1..)
            .zip(&reference::pre_images(&built.patch))
            .filter(|(_, old)| places(old) != 1)
            .map(|(hunk, _)| hunk)
            .collect();
        prop_assert_eq!(&many, &built.ambiguous);
    }

    #[test]
    fn context_grows_by_need_only(change in change(), context in 0_usize..3, widest in 0_usize..9) {
        let Change { before, after } = change;
        let of = |widest_context| build_unique(&before, &after, &BuildOptions { context, widest_context });
        let plain = of(context);
        prop_assert_eq!(plain.patch, build(&before, &after, context));
        let (narrower, wider) = (of(widest), of(widest + 1));
        prop_assert!(wider.ambiguous.len() <= narrower.ambiguous.len());
        // What is unique already stays as it is, unless it is so only by a neighbour that it has joined.
        let settled = narrower.ambiguous.is_empty() && narrower.summary.hunks == plain.summary.hunks;
        prop_assert!(!settled || wider == narrower);
    }

    #[test]
    fn outside_of_changed_words_both_texts_are_equal(
        kept in "[ab é🦀\u{308}\r\n.]{0,12}",
        old in "[abc é🦀\u{308}\r\n.-]{0,40}",
        new in "[abc é🦀\u{308}\r\n.-]{0,40}",
    ) {
        let (old, new) = (format!("{kept}{old}{kept}"), format!("{kept}{new}{kept}"));
        check_words(&old, &new)?;
        // Too many words, so that lines are distinguished first.
        let (plus, minus) = ("+".repeat(8_193), "-".repeat(8_193));
        check_words(&format!("{plus}\nkept\n{old}"), &format!("{minus}\nkept\n{new}"))?;
    }
}

fn check_words(old: &str, new: &str) -> Result<(), TestCaseError> {
    let changes = word_changes(old, new);
    prop_assert_eq!(changes.is_empty(), old == new);
    let (mut old_at, mut new_at) = (0, 0);
    for change in &changes {
        // Slicing panics within a character.
        prop_assert_eq!(&old[old_at..change.old.start], &new[new_at..change.new.start]);
        prop_assert_ne!(&old[change.old.clone()], &new[change.new.clone()]);
        (old_at, new_at) = (change.old.end, change.new.end);
    }
    prop_assert_eq!(&old[old_at..], &new[new_at..]);
    Ok(())
}

/// Long texts, so that blocks are cut: lines of few kinds or many, with runs kept, moved, doubled and replaced.
#[test]
fn long_texts_are_built_right() {
    let mut state = 1_u64;
    let mut dice = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for kinds in [1, 2, 30, 5_000, 1_000_000] {
        for round in 0..4 {
            let before: Vec<_> = (0..6_000).map(|_| format!("{}\n", dice(kinds))).collect();
            let mut after: Vec<String> = Vec::new();
            let mut at = 0;
            while at < before.len() {
                let end = (at + 1 + dice([10, 100, 1_000, 6_000][round])).min(before.len());
                match dice(6) {
                    0 => after.extend((0..dice(200)).map(|_| format!("{}\n", dice(kinds)))),
                    1 => after.extend_from_slice(&before[dice(at + 1)..end]),
                    2 if round > 1 => {}
                    _ => after.extend_from_slice(&before[at..end]),
                }
                after.truncate(20_000);
                at = end;
            }
            let (before, after) = (before.concat(), after.concat());
            // Building applies strictly and compares.
            assert_eq!(build(&before, &after, 3).is_empty(), before == after);
        }
    }
}

#[test]
fn an_insertion_of_any_size_is_nothing_else() {
    for (lines, inserted) in [(100, 1), (100, 50_000), (40_000, 30_000)] {
        let text = |name: &str, n: usize| (0..n).map(|i| format!("{name} {i}\n")).collect::<String>();
        let (head, middle, tail) = (text("head", lines), text("new", inserted), text("tail", lines));
        let built =
            build_unique(&(head.clone() + &tail), &(head + &middle + &tail), &BuildOptions::default());
        let summary = built.summary;
        assert_eq!((summary.added, summary.removed, summary.hunks), (inserted, 0, 1), "{lines} {inserted}");
    }
}

/// What lies between two changes is no part of them, however far they shift it.
#[test]
fn changes_far_apart_are_nothing_else() {
    let text = |name: &str, n: usize| (0..n).map(|i| format!("{name} {i}\n")).collect::<String>();
    let (kept, inserted) = (text("kept", 40_000), text("new", 3_000));
    let before = format!("first\n{kept}old\nlast\n");
    let after = format!("first\n{inserted}{kept}new\nlast\n");
    let summary = build_unique(&before, &after, &BuildOptions::default()).summary;
    assert_eq!((summary.added, summary.removed, summary.hunks), (3_001, 1, 2));
}

/// The second `x` is distinguished from the first by the fourth lines around it.
#[test]
fn context_grows_to_what_tells_a_place() {
    let before = "a\n1\n2\n3\nx\n4\n5\n6\nb\n1\n2\n3\nx\n4\n5\n6\nc\n";
    let after = before.replace("x\n4\n5\n6\nc", "y\n4\n5\n6\nc");
    let (narrow, wide) = (("@@ -12,3 +12,3 @@", &[1][..]), ("@@ -9,9 +9,9 @@", &[][..]));
    for (widest_context, expected) in
        [(0, narrow), (1, narrow), (3, narrow), (4, wide), (5, wide), (16, wide), (usize::MAX, wide)]
    {
        let built = build_unique(before, &after, &BuildOptions { context: 1, widest_context });
        let header = built.patch.lines().next().unwrap_or_default();
        assert_eq!((header, &built.ambiguous[..]), expected, "{widest_context}");
    }
}

/// A change of more lines than one block holds is still one: removed lines come before added ones.
#[test]
fn a_change_over_several_blocks_is_one() {
    let text =
        |mark: &str, name: &str| (0..20_000).map(|i| format!("{mark}{name} {i}\n")).collect::<String>();
    let expected = format!("@@ -1,20000 +1,20000 @@\n{}{}", text("-", "old"), text("+", "new"));
    assert!(build(&text("", "old"), &text("", "new"), 3) == expected);
}

#[test]
fn words() {
    let long = "x ".repeat(60_000);
    let longer = long.clone() + "y";
    let (a, b) = (format!("a {long}"), format!("b {long}"));
    // Two words a number, so that the first has 8,192 of them.
    let numbers: String = (0..4_094).map(|i| format!(" {i}")).collect();
    let around = |first: &str, last: &str| format!("{first}{numbers} {last}");
    let (most, other, more) = (around("aa-", "bbb"), around("c+", "d"), around("aa--", "bbb"));
    let in_lines = |first: &str, last: &str| format!("kept\n{first}\nkept\nbuy {last}\nkept\n");
    let (lines, other_lines) = (in_lines(&more, "milk"), in_lines(&other, "bread"));
    let (few_lines, few_others) = (in_lines(&around("a", "b"), &more), in_lines(&around("c", "d"), &other));
    for (old, new, expected) in [
        ("", "", &[][..]),
        ("a", "", &[("a", "")]),
        ("buy milk\n", "buy bread\n", &[("milk", "bread")]),
        // Words are compared whole, and characters never cut.
        ("naïve", "naive", &[("naïve", "naive")]),
        ("🦀", "🦁", &[("🦀", "🦁")]),
        ("a b c d", "a x y d", &[("b c", "x y")]),
        ("a\nb\n", "x\ny\n", &[("a", "x"), ("b", "y")]),
        ("(a, b)", "[a, b]", &[("(", "["), (")", "]")]),
        ("a  b\r\n", "a b\n", &[("  ", " "), ("\r\n", "\n")]),
        ("a--b", "a-+b", &[("-", "+")]),
        // What both share at their ends may be long, what lies between not.
        (&long, &longer, &[("", "y")]),
        (&a, &b, &[("a", "b")]),
        (&most, &other, &[("aa-", "c+"), ("bbb", "d")]),
        (&more, &other, &[(&more, &other)]),
        (&other, &more, &[(&other, &more)]),
        // Of more words, lines are distinguished first.
        (&lines, &other_lines, &[(&more, &other), ("milk", "bread")]),
        (&few_lines, &few_others, &[("a", "c"), ("b", "d"), (&more, &other)]),
    ] {
        let changes = word_changes(old, new);
        let changed: Vec<_> = changes.into_iter().map(|c| (&old[c.old], &new[c.new])).collect();
        assert_eq!(changed, expected, "{:?} {:?}", &old[..old.len().min(20)], &new[..new.len().min(20)]);
    }
    let swapped = long.replace("x ", "y-");
    assert_eq!(word_changes(&long, &swapped).len(), 1);
}
