//! What a refusal offers: the patch at another place, or that it is in the text already.

use canvas_patch::Mode::{self, Anchored, Strict};
use canvas_patch::{ApplyOptions, DiffExcerpt, Limits, Suggestion, apply, build};

use crate::apply::run;

/// The patch is refused and offered as `rebased`, which gives `after` in both modes.
#[track_caller]
fn moves(mode: Mode, text: &str, patch: &str, rebased: &str, after: &str) {
    let refused = run(mode, text, patch).expect_err("the patch fits as it is");
    assert_eq!(
        refused.suggestion(),
        Some(&Suggestion::Rebased(rebased.into())),
        "{mode:?} {patch:?}: {refused}"
    );
    for mode in [Strict, Anchored] {
        let applied = run(mode, text, rebased).unwrap_or_else(|e| panic!("{rebased:?}: {e}"));
        assert_eq!((applied.text(), applied.repairs()), (after, &[][..]), "{rebased:?}");
    }
}

#[track_caller]
fn is_in_already(mode: Mode, text: &str, patch: &str) {
    let refused = run(mode, text, patch).expect_err("the patch fits");
    assert_eq!(
        refused.suggestion(),
        Some(&Suggestion::AlreadyApplied),
        "{mode:?} {text:?} {patch:?}: {refused}"
    );
}

#[track_caller]
fn offers_nothing(mode: Mode, text: &str, patch: &str) {
    let refused = run(mode, text, patch).expect_err("the patch fits");
    assert_eq!(refused.suggestion(), None, "{mode:?} {text:?} {patch:?}: {refused}");
}

#[test]
fn a_strict_patch_moves_to_where_it_stands() {
    let text = "x\ny\na\nb\nc\nd\n";
    moves(Strict, text, "@@ -2 +2 @@\n-b\n+B\n", "@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n", "x\ny\na\nB\nc\nd\n");
    let all = "@@ -3,3 +3,3 @@\n a\n-b\n+B\n c\n";
    moves(Strict, text, "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", all, "x\ny\na\nB\nc\nd\n");
    moves(Strict, text, "@@ -9,3 +9,3 @@\n a\n-b\n+B\n c\n", all, "x\ny\na\nB\nc\nd\n");
    // Only the new start is wrong.
    moves(Strict, text, "@@ -3,3 +9,3 @@\n a\n-b\n+B\n c\n", all, "x\ny\na\nB\nc\nd\n");
    // What is only removed can move: that it is there shows that it is still to be removed.
    moves(Strict, text, "@@ -1,2 +1 @@\n b\n-c\n", "@@ -4,3 +4,2 @@\n b\n-c\n d\n", "x\ny\na\nb\nd\n");
    // Later starts follow from the hunks before.
    moves(
        Strict,
        "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "@@ -1,2 +1,3 @@\n 1\n+x\n 2\n@@ -7,2 +8 @@\n 7\n-8\n",
        "@@ -2,2 +2,3 @@\n 1\n+x\n 2\n@@ -8,3 +9,2 @@\n 7\n-8\n 9\n",
        "0\n1\nx\n2\n3\n4\n5\n6\n7\n9\n",
    );
    // Neighbours join where their contexts meet.
    moves(
        Strict,
        text,
        "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-c\n+C\n",
        "@@ -2,5 +2,5 @@\n y\n-a\n+A\n b\n-c\n+C\n d\n",
        "x\ny\nA\nb\nC\nd\n",
    );
    moves(
        Strict,
        "x\na",
        "@@ -1 +1 @@\n-a\n\\ No newline\n+b\n",
        "@@ -1,2 +1,2 @@\n x\n-a\n\\ No newline at end of file\n+b\n",
        "x\nb\n",
    );
    moves(
        Strict,
        "x\r\na\r\n",
        "@@ -1 +1 @@\n-a\r\n+b\r\n",
        "@@ -1,2 +1,2 @@\n x\r\n-a\r\n+b\r\n",
        "x\r\nb\r\n",
    );
}

#[test]
fn hunks_out_of_order_are_put_in_order() {
    let (b, f) = ("@@ -2 +2 @@\n-b\n+B\n", "@@ -6 +6 @@\n-f\n+F\n");
    let rebased = "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -5,3 +5,3 @@\n e\n-f\n+F\n g\n";
    let (text, after) = ("a\nb\nc\nd\ne\nf\ng\n", "a\nB\nc\nd\ne\nF\ng\n");
    for mode in [Strict, Anchored] {
        moves(mode, text, &format!("{f}{b}"), rebased, after);
    }
    let (b, f) = ("@@\n-b\n+B\n", "@@\n-f\n+F\n");
    moves(Anchored, text, &format!("{f}{b}"), rebased, after);
    // Terminators become those of the text.
    let crlf = |text: &str| text.replace('\n', "\r\n").replace("@@\r\n", "@@\n");
    moves(Anchored, &crlf(text), &format!("{f}{b}"), &crlf(rebased), &crlf(after));
    // Hunks that share context join.
    moves(
        Anchored,
        text,
        "@@\n c\n d\n-e\n@@\n b\n+x\n c\n d\n",
        "@@ -1,7 +1,7 @@\n a\n b\n+x\n c\n d\n-e\n f\n g\n",
        "a\nb\nx\nc\nd\nf\ng\n",
    );
}

#[test]
fn what_could_mean_several_places_is_not_moved() {
    for (text, patch) in [
        // Two places, or none.
        ("x\na\na\n", "@@ -1 +1 @@\n-a\n+b\n"),
        ("x\nb\n", "@@ -1 +1 @@\n-a\n+y\n"),
        // One hunk occurs where it says and elsewhere, one has moved: the first may have moved too.
        ("a\nx\ny\na\nb\n", "@@ -1 +1 @@\n-a\n+A\n@@ -2 +2 @@\n-b\n+B\n"),
        // Nothing to find it by.
        ("x\na\n", "@@ -7,0 +8 @@\n+b\n"),
        ("x\na\n", "@@ -1 +1 @@\n-a\n+b\n@@ -7,0 +8 @@\n+b\n"),
        // Other terminators.
        ("x\na\r\n", "@@ -1 +1 @@\n-a\n+b\n"),
        ("x\na", "@@ -1 +1 @@\n-a\n+b\n"),
        // Two hunks at one place, or over each other.
        ("x\na\nb\n", "@@ -1 +1 @@\n-a\n+b\n@@ -2 +2 @@\n-a\n+c\n"),
        ("x\na\nb\nc\n", "@@ -1,2 +1 @@\n-a\n b\n@@ -4,2 +3 @@\n-b\n c\n"),
        // Faults of the patch itself.
        ("x\na\n", "@@ -1 +1,2 @@\n-a\n+b\n"),
        ("x\na\n", "@@ -1 +1 @@\n a\n"),
        ("x\na\n", "@@ -1 +1 @@\n-a\n+a\n"),
        ("x\na\nb\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline\n"),
    ] {
        offers_nothing(Strict, text, patch);
    }
    for (text, patch) in [
        ("a\nb\na\n", "@@\n-b\n+x\n@@\n-a\n+y\n"),
        ("a\nb\nc\n", "@@\n-c\n+x\n@@\n-b\n+y\n@@\n-b\n+z\n"),
        ("a\nb\nc\n", "@@\n b\n-c\n@@\n a\n-b\n"),
        ("a\nb\nc\n", "@@\n-c\n+x\n@@\n+y\n"),
        ("a\nb\nc\n", "@@\n-c\n+c\n@@\n-b\n+b\n"),
    ] {
        offers_nothing(Anchored, text, patch);
    }
}

#[test]
fn a_patch_that_is_in_the_text_is_known() {
    is_in_already(Strict, "A\nb\n", "@@ -1 +1 @@\n-a\n+A\n");
    is_in_already(Strict, "a\nx\nb\n", "@@ -1,2 +1,3 @@\n a\n+x\n b\n");
    is_in_already(Strict, "a\nx\nb\nc\ny\n", "@@ -1,0 +2 @@\n+x\n@@ -4 +5 @@\n-d\n+y\n");
    is_in_already(Strict, "a\nB", "@@ -2 +2 @@\n-b\n+B\n\\ No newline\n");
    is_in_already(Strict, "x\n", "@@ -1 +1 @@\n-a\n\\ No newline\n+x\n");
    // It could move as well, and would then do its work a second time.
    is_in_already(Strict, "A\na\n", "@@ -1 +1 @@\n-a\n+A\n");
    for (text, patch) in [
        ("a\nx\nb\n", "@@\n a\n+x\n b\n"),
        ("a\r\nx\r\nb\r\n", "@@\n a\n+x\n b\n"),
        ("a\nx\nb", "@@ -8,2 +8,3 @@\n a\n+x\n b\n"),
        ("1\nA\n2\n3\n4\nB\n", "@@\n 1\n-a\n+A\n@@\n 4\n-b\n+B\n"),
        ("x\ny\n", "@@\n-a\n+x\n+y\n"),
        // Exact numbers chose one of many places, and now those that are left are distinguished no more.
        ("x\nb\na\nb\na\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n b\n"),
        // The same, where those that are left would fit in another order.
        ("s\np\nq\nr\nt\nu\n", "@@ -3 +3,2 @@\n-p\n+q\n+r\n@@ -4 +5,2 @@\n-s\n+t\n+u\n"),
        // One line alone, where the header says.
        ("A\nb\n", "@@ -1 +1 @@\n-a\n+A\n"),
    ] {
        is_in_already(Anchored, text, patch);
    }
}

#[test]
fn nothing_that_could_be_chance_is_called_applied() {
    for (text, patch) in [
        // A removal leaves nothing behind that shows it.
        ("a\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n"),
        ("a\nc\n", "@@ -2 +1,0 @@\n-b\n"),
        ("x\n", "@@ -1 +0,0 @@\n-a\n"),
        ("", "@@ -1 +0,0 @@\n-a\n"),
        ("A\nd\n", "@@ -1 +1 @@\n-a\n+A\n@@ -2,2 +2 @@\n-c\n d\n"),
        // Somewhere else, half, or with another end.
        ("x\nA\n", "@@ -1 +1 @@\n-a\n+A\n"),
        ("A\nx\ny\n", "@@ -1 +1 @@\n-a\n+A\n@@ -3 +3 @@\n-b\n+B\n"),
        ("A", "@@ -1 +1 @@\n-a\n+A\n"),
        ("A\r\n", "@@ -1 +1 @@\n-a\n+A\n"),
        ("A\n", "@@ -1 +2 @@\n-a\n+A\n"),
    ] {
        offers_nothing(Strict, text, patch);
    }
    for (text, patch) in [
        ("a\nc\n", "@@\n a\n-b\n c\n"),
        ("x\n", "@@\n-a\n"),
        ("1\nA\nd\n", "@@\n 1\n-a\n+A\n@@\n-c\n d\n"),
        // One line alone, blank lines, two places, the wrong order.
        ("x\nA\n", "@@\n-a\n+A\n"),
        ("x\nA\n", "@@ -1 +1 @@\n-a\n+A\n"),
        ("x\n\ny\n", "@@\n-a\n+\n"),
        ("1\nA\n1\nA\n", "@@\n 1\n-a\n+A\n"),
        ("4\nB\n1\nA\n", "@@\n 1\n-a\n+A\n@@\n 4\n-b\n+B\n"),
        // Half of it.
        ("1\nA\n4\nb\n", "@@\n 1\n-a\n+A\n@@\n 4\n-c\n+B\n"),
        // Taken back, the patch would not find its place.
        ("a\nx\na\nb\na\nb\n", "@@\n a\n-b\n+x\n"),
    ] {
        offers_nothing(Anchored, text, patch);
    }
}

#[test]
fn the_message_begins_with_the_remedy() {
    for (mode, text, patch, is_rebased) in [
        (Strict, "x\na\n", "@@ -1 +1 @@\n-a\n+b\n", true),
        (Anchored, "a\nx\nb\n", "@@\n a\n+x\n b\n", false),
    ] {
        let refused = run(mode, text, patch).unwrap_err();
        let remedy = refused.suggestion().unwrap().clone();
        let without = refused.clone().without_suggestion();
        assert_eq!(format!("{}; {without}", remedy.advice()), refused.to_string());
        assert_eq!(matches!(remedy, Suggestion::Rebased(_)), is_rebased, "{refused}");
    }
    let marker = run(Anchored, "# A\n- x\n", "@@\n # A\n- x\n+- y\n").unwrap_err();
    let hint = marker.conflicts()[0].mismatch.as_ref().and_then(|mismatch| mismatch.difference.hint());
    assert!(marker.to_string().contains(hint.expect("a hint about the mark")), "{marker}");
}

/// What is offered keeps to the limits, and to about the size of the patch.
#[test]
fn a_remedy_is_bounded() {
    let check = |text: &str, patch: &str, limits, offered: bool| {
        let refused = apply(text, patch, &ApplyOptions { mode: Strict, limits, ..ApplyOptions::default() })
            .unwrap_err();
        assert_eq!(refused.suggestion().is_some(), offered, "{:.40}", refused.to_string());
    };
    let patch = "@@ -1 +1 @@\n-a\n+bb\n";
    let text = |bytes| format!("{}\na\n", "x".repeat(bytes));
    check(&text(10), patch, Limits { text_bytes: 14, ..Limits::default() }, true);
    check(&text(10), patch, Limits { text_bytes: 13, ..Limits::default() }, false);
    check(&text(10), patch, Limits { patch_bytes: 35, ..Limits::default() }, true);
    check(&text(10), patch, Limits { patch_bytes: 34, ..Limits::default() }, false);
    check(&text(1_000), patch, Limits::default(), true);
    check(&text(1_200), patch, Limits::default(), false);
    // A long patch makes room for a neighbour of its own length, and not for one twice as long.
    let long = format!("@@ -1 +1 @@\n-a\n+{}\n", "b".repeat(5_000));
    check(&text(5_000), &long, Limits::default(), true);
    check(&text(10_000), &long, Limits::default(), false);
}

/// Twenty thousand hunks on a text of equal lines, and other texts that make a search slow: with a pass for each hunk
/// this would take minutes.
#[test]
fn refusals_stay_linear() {
    let many = 20_000;
    let equal = "a\n".repeat(3 * many);
    let numbered: String = (0..many).map(|i| format!("{i}\n{i}!\n\n\n")).collect();
    let hunks = |mark: fn(usize) -> String| (0..many).map(mark).collect::<String>();
    let backwards: String = (0..many).rev().map(|i| format!("@@\n-{i}\n+x{i}\n")).collect();
    let again: String = (0..many).map(|i| format!("@@\n-x{i}\n+{i}\n {i}!\n")).collect();
    let drifted = hunks(|i| format!("@@ -{0} +{0} @@\n-{i}\n+x{i}\n", 4 * i + 2));
    let long = format!("{}\na\n", "x".repeat(10 << 20));
    let blank = format!("{}\na\n", " ".repeat(8 << 20));
    let hostile = "\0\r\u{feff}\r\r\n".repeat(many);
    for (mode, text, patch, offered) in [
        (Anchored, &equal, hunks(|_| "@@\n a\n-a\n+b\n".into()), "nothing"),
        (Anchored, &equal, hunks(|_| "@@\n-a\n+a\n+a\n".into()), "nothing"),
        (Anchored, &equal, hunks(|i| format!("@@\n-x{i}\n+a\n+a\n")), "nothing"),
        (Strict, &equal, hunks(|i| format!("@@ -{0} +{0} @@\n-b\n+a\n", i + 1)), "applied"),
        (Strict, &equal, hunks(|i| format!("@@ -{0},2 +{0},2 @@\n a\n-b\n+a\n", 2 * i + 1)), "applied"),
        (Strict, &equal, hunks(|i| format!("@@ -{0},2 +{0},2 @@\n a\n-b\n+c\n", 2 * i + 1)), "nothing"),
        (Strict, &numbered, drifted, "rebased"),
        (Anchored, &numbered, backwards, "rebased"),
        (Anchored, &numbered, again, "applied"),
        (Strict, &long, "@@ -1 +1 @@\n-a\n+b\n".into(), "nothing"),
        (Anchored, &long, "@@ -1 +1 @@\n-b\n+a\n".into(), "nothing"),
        (Anchored, &long, format!("@@\n-{}y\n+b\n", &long[..10 << 20]), "nothing"),
        (Anchored, &long, hunks(|i| format!("@@ -1 +1 @@\n-xxxx{i}\n+b\n")), "nothing"),
        (Anchored, &blank, hunks(|i| format!("@@ -1 +1 @@\n-    {i}\n+b\n")), "nothing"),
        (Anchored, &equal, format!("@@\n{}-b\n", " a\n".repeat(2 * many)), "nothing"),
        (Anchored, &equal, format!("@@\n{}+a\n", "-ab\n".repeat(2 * many)), "nothing"),
        (Anchored, &numbered, hunks(|i| format!("@@\n {i}\n-{i}?\n+x\n\n+y\n")), "nothing"),
        (
            Anchored,
            &numbered,
            hunks(|i| format!("@@\n-some words {i}\n-...\n+{i}: some &amp; words\n")),
            "nothing",
        ),
        (Anchored, &hostile, format!("@@\n-{}\n-\0\r\0\n+x\n", "\0\r".repeat(many)), "nothing"),
    ] {
        let refused = run(mode, text, &patch).expect_err("it fits");
        let found = match refused.suggestion() {
            None => "nothing",
            Some(Suggestion::Rebased(_)) => "rebased",
            Some(Suggestion::AlreadyApplied) => "applied",
            Some(_) => "another",
        };
        assert_eq!(found, offered, "{mode:?} {patch:.40}");
    }
}

#[test]
fn changes_near_a_patch_are_distinguished_from_others() {
    let base: String = (1..=30).map(|i| format!("{i}\n")).collect();
    let now = base.replace("5\n6\n7\n", "5\nsix\n7\n").replace("20\n", "twenty\n").replace("30\n", "");
    let changes = build(&base, &now, 3);
    let hunks: Vec<_> = changes.split("@@ -").skip(1).map(|hunk| format!("@@ -{hunk}")).collect();
    assert_eq!(hunks.len(), 3);
    for (patch, near) in [
        ("@@\n-6\n+x\n", &[0][..]),
        ("@@\n-10\n+x\n", &[0]),
        ("@@\n-11\n+x\n", &[]),
        ("@@\n 14\n-15\n+x\n", &[]),
        ("@@\n 15\n-16\n+x\n", &[1]),
        ("@@\n 10\n 11\n 12\n 13\n 14\n 15\n 16\n+x\n", &[0, 1]),
        ("@@\n-25\n@@\n-2\n", &[0]),
        ("@@\n-26\n@@\n-20\n@@\n-2\n", &[0, 1, 2]),
        ("@@ -20,0 +21 @@\n+x\n", &[1]),
    ] {
        let excerpt = DiffExcerpt::touching(&base, patch, &changes, &Limits::default()).expect(patch);
        let expected: String = near.iter().map(|&i| hunks[i].as_str()).collect();
        assert_eq!((excerpt.diff, excerpt.left_out), (expected, 3 - near.len()), "{patch:?}");
    }
    for patch in ["", "@@\n-six\n+x\n", "@@\n+x\n", "no diff"] {
        assert_eq!(DiffExcerpt::touching(&base, patch, &changes, &Limits::default()), None, "{patch:?}");
    }
    assert_eq!(DiffExcerpt::touching(&base, "@@\n-6\n+x\n", "no diff", &Limits::default()), None);
    // Changes that name lines no text has touch nothing.
    let far = format!("@@ -{0},2 +{0} @@\n-x\n-z\n+y\n", usize::MAX);
    let excerpt = DiffExcerpt::touching(&base, "@@\n-6\n+x\n", &far, &Limits::default());
    assert_eq!(excerpt, Some(DiffExcerpt { diff: String::new(), left_out: 1 }));
    // The limits are those of the patch; a diff of two texts may pass them.
    for (limits, is_read) in [
        (Limits { patch_bytes: 9, hunks: 1, ..Limits::default() }, true),
        (Limits { patch_bytes: 8, hunks: 1, ..Limits::default() }, false),
        (Limits { patch_bytes: 9, hunks: 0, ..Limits::default() }, false),
    ] {
        let excerpt = DiffExcerpt::touching(&base, "@@\n-6\n+x\n", &changes, &limits);
        assert_eq!(excerpt.map(|excerpt| excerpt.diff), is_read.then(|| hunks[0].clone()), "{limits:?}");
    }
}
