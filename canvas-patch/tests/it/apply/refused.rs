//! Patches that are refused, and what is said of them.

use canvas_patch::Mode::{self, Anchored, Strict};
use canvas_patch::{
    Applied, ApplyError, ApplyOptions, Conflict, Delta, EarlierText, Limits, Reason, StatedLines, apply,
};

use crate::apply::{refuses, run, shown};

#[test]
fn no_hunks() {
    for mode in [Strict, Anchored] {
        refuses(mode, "a\n", "", &["0:NO_HUNKS 1"]);
        refuses(mode, "", "", &["0:NO_HUNKS 1"]);
        refuses(mode, "a\n", "a\n", &["0:NO_HUNKS 1"]);
        refuses(mode, "a\n", "diff --git a/f b/f\nindex 1..2\nb\n", &["0:NO_HUNKS 3"]);
        refuses(mode, "a\n", "diff --git a/f b/f\nindex 1..2\n", &["0:NO_HUNKS 3"]);
        refuses(mode, "a\n", "*** Begin Patch\n-a\n+b\n", &["0:NO_HUNKS 1"]);
        refuses(mode, "a\n", "GIT binary patch\n", &["0:NO_HUNKS 1"]);
    }
    refuses(Strict, "a\n", "\n", &["0:NO_HUNKS 1"]);
    refuses(Strict, "a\n", "--- a\n+++ b\n", &["0:NO_HUNKS 1"]);
    refuses(Anchored, "a\n", "--- a\n+++ b\n", &["0:NO_HUNKS 3"]);
    refuses(Anchored, "a\n", "```\n```\n", &["0:NO_HUNKS 2"]);
}

#[test]
fn bad_header() {
    for header in [
        "@@",
        "@@ @@",
        "@@ ... @@",
        "@@ -1 +1@@",
        "@@ -1+1 @@",
        "@@-1 +1 @@",
        "@@ -1 +1",
        "@@ -1 1 @@",
        "@@ -1 +1 @@x",
        "@@ -1 +1 @@\r",
        "@@ -1, +1 @@",
        "@@ -,1 +1 @@",
        "@@ -1 +x @@",
        "@@ -0 +1 @@",
        "@@ -0,1 +1 @@",
        "@@ -1 +0 @@",
        "@@ -1 +0,1 @@",
        "@@ --1 +1 @@",
        "@@ -1,-1 +1 @@",
        "@@ -99999999999999999999 +1 @@",
        "@@@ -1 -1 +1 @@@",
    ] {
        refuses(Strict, "a\n", &format!("{header}\n-a\n+b\n"), &["1:BAD_HEADER 1"]);
    }
    refuses(Strict, "a\nb\n", "@@ -1 +1 @@\n-a\n+x\n@@\n-b\n", &["2:BAD_HEADER 4"]);
    refuses(Strict, "a\n", "@@ -1,1 +1", &["1:TRUNCATED 1"]);
}

#[test]
fn bad_line() {
    refuses(Strict, "a\nb\n", "@@ -1,2 +1,2 @@\n a\nb\n+c\n", &["1:BAD_LINE 3"]);
    refuses(Strict, "a\n\n", "@@ -1,2 +1,3 @@\n a\n\n+c\n", &["1:BAD_LINE 3"]);
    refuses(Strict, "a\n", "@@ -1 +1 @@\n\ta\n+c\n", &["1:BAD_LINE 2"]);
    refuses(Anchored, "a\nb\n", "@@ -1,2 +1,2 @@\n a\nb\n+c\n", &["1:BAD_LINE 3"]);
    refuses(Anchored, "a\nb\n", "@@\n-a\n+x\n@@\n b\n*** End\n", &["2:BAD_LINE 6"]);
    refuses(Anchored, "a\nb\n", "@@\n-a\n+x\n\\No newline\n", &["1:BAD_LINE 4"]);
    refuses(Anchored, "a\n", "@@ -1 +1 @@\n-a\n+b\n```\n", &["1:BAD_LINE 4"]);
    refuses(Anchored, "a\n", "@@ -1 +1 @@\n-a\n+b\n\nThat is all.\n", &["1:BAD_LINE 5"]);
}

#[test]
fn unexpected_text() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for mode in [Strict, Anchored] {
        refuses(mode, "a\n", &format!("Here it is:\n{hunk}"), &["0:UNEXPECTED_TEXT 1"]);
        refuses(mode, "a\n", &format!("diff --git a b\n\tx\n{hunk}"), &["0:UNEXPECTED_TEXT 2"]);
        refuses(mode, "a\n", &format!("\u{feff}{hunk}"), &["0:NO_HUNKS 1"]);
    }
    refuses(Strict, "a\n", &format!("\n{hunk}"), &["0:UNEXPECTED_TEXT 1"]);
    refuses(Strict, "a\n", &format!("```\n{hunk}```\n"), &["0:UNEXPECTED_TEXT 1"]);
    refuses(Strict, "a\n", &format!("--- a\n{hunk}"), &["0:UNEXPECTED_TEXT 1"]);
    refuses(Strict, "a\n", &format!("+++ a\n{hunk}"), &["0:UNEXPECTED_TEXT 1"]);
    refuses(Strict, "a\n", &format!("{hunk}\n"), &["1:UNEXPECTED_TEXT 4"]);
    refuses(Strict, "a\n", &format!("{hunk}That is all.\n"), &["1:UNEXPECTED_TEXT 4"]);
    refuses(Strict, "a\nb\n", &format!("{hunk}\n@@ -2 +2 @@\n-b\n"), &["1:UNEXPECTED_TEXT 4"]);
    refuses(
        Strict,
        "a",
        "@@ -1 +1 @@\n-a\n\\ No newline\n+b\n\\ No newline\n\\ No newline\n",
        &["1:UNEXPECTED_TEXT 6"],
    );
    refuses(Anchored, "a\n", &format!("```\n{hunk}```\nThat is all.\n"), &["0:UNEXPECTED_TEXT 6"]);
    refuses(Anchored, "a\n", &format!("```\n```\n{hunk}"), &["0:UNEXPECTED_TEXT 2"]);
    refuses(Anchored, "a\n", &format!("--- a\n+++ b\n```\n{hunk}"), &["0:UNEXPECTED_TEXT 3"]);
    refuses(Anchored, "a\n", &format!("--- a\n```\n{hunk}"), &["0:UNEXPECTED_TEXT 2"]);
    refuses(Anchored, "a\n", &format!("+++ b\n```\n{hunk}"), &["0:UNEXPECTED_TEXT 2"]);
}

#[test]
fn second_files() {
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    for mode in [Strict, Anchored] {
        let next = "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-x\n+y\n";
        refuses(mode, "a\n", &format!("{hunk}{next}"), &["1:MULTI_FILE 4"]);
        refuses(mode, "a\n", &format!("{hunk}diff --git a/g b/g\n{next}"), &["1:MULTI_FILE 4"]);
        let modes = "diff --git a/e b/e\nold mode 100644\nnew mode 100755\ndiff --git a/f b/f\n";
        refuses(mode, "a\n", &format!("{modes}{hunk}"), &["0:MULTI_FILE 4"]);
    }
    refuses(Anchored, "a\n", &format!("--- a\n+++ b\n--- c\n{hunk}"), &["0:MULTI_FILE 3"]);
    refuses(Anchored, "a\n", &format!("--- a\n+++ b\n+++ c\n{hunk}"), &["0:MULTI_FILE 3"]);
    refuses(Anchored, "a\n", "@@\n-a\n+b\n--- a/g\n+++ b/g\n@@\n-a\n", &["1:MULTI_FILE 4"]);
    refuses(Anchored, "a\n", "@@\n-a\n+b\ndiff --git a/g b/g\n", &["1:MULTI_FILE 4"]);
}

#[test]
fn counts() {
    for (header, conflict) in [
        ("@@ -1,2 +1,3 @@", "1:COUNT_MISMATCH 5"),
        ("@@ -1,3 +1,2 @@", "1:COUNT_MISMATCH 5"),
        ("@@ -1,2 +1,2 @@", "1:COUNT_MISMATCH 5"),
        ("@@ -1,1 +1,3 @@", "1:COUNT_MISMATCH 3"),
        ("@@ -1,3 +1,1 @@", "1:COUNT_MISMATCH 4"),
        ("@@ -1 +1 @@", "1:COUNT_MISMATCH 3"),
        ("@@ -1,4 +1,3 @@", "1:TRUNCATED 6"),
        ("@@ -1,3 +1,4 @@", "1:TRUNCATED 6"),
        ("@@ -1,18446744073709551615 +1,3 @@", "1:TRUNCATED 6"),
        ("@@ -1,0 +1,0 @@", "1:COUNT_MISMATCH 2"),
    ] {
        refuses(Strict, "a\nb\nc\n", &format!("{header}\n a\n-b\n+x\n c\n"), &[conflict]);
    }
    refuses(Strict, "a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n@@ -2 +2 @@\n-b\n", &["1:COUNT_MISMATCH 4"]);
    refuses(Strict, "a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\ndiff --git a b\n", &["1:COUNT_MISMATCH 4"]);
    refuses(Strict, "a\n", "@@ -0,0 +0,0 @@\n", &["1:TRUNCATED 1"]);
}

#[test]
fn cut_patches() {
    let patch = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline\n";
    // Without its marker the patch is whole again, and another one.
    let whole = patch.len() - "\\ No newline\n".len();
    for end in 1..patch.len() {
        match run(Strict, "a\nb\n", &patch[..end]) {
            Ok(applied) => assert_eq!((end, applied.text()), (whole, "a\nc\n")),
            Err(e) => {
                let expected = match end {
                    1 => Reason::NoHunks,
                    end if end == whole + 1 => Reason::UnexpectedText,
                    _ => Reason::Truncated,
                };
                assert_eq!(e.reason(), expected, "{:?}", &patch[..end]);
            }
        }
    }
    refuses(Anchored, "a\n", "@@ -1 +1 @@", &["1:TRUNCATED 1"]);
    refuses(Anchored, "a\n", "@@ -1 +1 @@\n", &["1:TRUNCATED 1"]);
    refuses(Anchored, "a\n", "@@\n-a\n+b\n@@\n", &["2:TRUNCATED 4"]);
    refuses(Anchored, "a\n", "@@\n@@\n-a\n+b\n", &["1:TRUNCATED 1"]);
    refuses(Anchored, "\n", "@@\n\n\n", &["1:TRUNCATED 1"]);
    refuses(Anchored, "a\n", "```\n@@\n```\n", &["1:TRUNCATED 2"]);
}

#[test]
fn new_starts() {
    refuses(Strict, "a\nb\n", "@@ -1 +2 @@\n-a\n+x\n", &["1:START_MISMATCH 1 @1"]);
    refuses(Strict, "a\nb\n", "@@ -2 +1 @@\n-b\n+x\n", &["1:START_MISMATCH 1 @2"]);
    refuses(Strict, "a\nb\n", "@@ -1 +1,0 @@\n-a\n", &["1:START_MISMATCH 1 @1"]);
    refuses(Strict, "a\nb\n", "@@ -1,0 +1 @@\n+x\n", &["1:START_MISMATCH 1 @2"]);
    refuses(Strict, "", "@@ -0,0 +7 @@\n+x\n", &["1:START_MISMATCH 1 @1"]);
    let first = "@@ -1 +1,2 @@\n-a\n+x\n+y\n";
    let second = |start| format!("{first}@@ -3 +{start} @@\n-c\n+z\n");
    refuses(Strict, "a\nb\nc\n", &second(3), &["2:START_MISMATCH 5 @3"]);
    refuses(Strict, "a\nb\nc\n", &second(5), &["2:START_MISMATCH 5 @3"]);
    assert!(run(Strict, "a\nb\nc\n", &second(4)).is_ok());
    // New starts are judged as if the hunks before had applied.
    let differs = "1:CONTEXT_MISMATCH 1 @1:1 CONTENT a\\n|b\\n";
    refuses(Strict, "b\nb\nc\n", &second(4), &[differs]);
    refuses(Strict, "b\nb\nc\n", &second(2), &[differs, "2:START_MISMATCH 5 @3"]);
}

#[test]
fn no_newline_markers() {
    let refuses = |text, patch, conflict| refuses(Strict, text, patch, &[conflict]);
    refuses("a\n", "@@ -1 +1 @@\n\\ No newline\n-a\n+b\n", "1:EOF_MARKER 2");
    refuses("a", "@@ -1 +1 @@\n-a\n\\ No newline\n\\ No newline\n+b\n", "1:EOF_MARKER 4");
    refuses("a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline\r\n", "1:EOF_MARKER 4");
    refuses("a\n", "@@ -1 +1,2 @@\n a\n+\n\\ No newline\n", "1:EOF_MARKER 4");
    refuses("a\n", "@@ -1,2 +1 @@\n a\n-\n\\ No newline\n", "1:EOF_MARKER 4");
    refuses("a\n", "@@ -1 +1,2 @@\n-a\n+x\n\\ No newline\n+y\n", "1:EOF_MARKER 3");
    refuses(
        "a\n",
        "@@ -1 +1,2 @@\n a\n\\ No newline\n+y\n",
        "1:CONTEXT_MISMATCH 1 @1:2 LINE_ENDING a|a\\n [1]",
    );
    refuses("a", "@@ -1 +1,2 @@\n a\n\\ No newline\n+y\n", "1:EOF_MARKER 2");
    refuses("a\nb\n", "@@ -1 +1 @@\n-a\n+x\n\\ No newline\n", "1:EOF_MARKER 1");
    refuses("a\nb\n", "@@ -1,2 +1,2 @@\n-a\n+x\n\\ No newline\n b\n", "1:EOF_MARKER 3");
    refuses("a\nb\nc\n", "@@ -1 +1 @@\n-a\n+x\n\\ No newline\n@@ -3 +2,0 @@\n-c\n", "1:EOF_MARKER 1");
    refuses(
        "a\nb\n",
        "@@ -1 +1 @@\n-a\n\\ No newline\n+x\n",
        "1:CONTEXT_MISMATCH 1 @1:2 LINE_ENDING a|a\\n [1]",
    );
    refuses("a", "@@ -1 +1 @@\n-a\n+b\n", "1:CONTEXT_MISMATCH 1 @1:2 LINE_ENDING a\\n|a [1]");
    refuses("a", "@@ -1,0 +2 @@\n+x\n", "1:CONTEXT_MISMATCH 1 @1:2 LINE_ENDING a\\n|a");
    refuses(
        "a\nb",
        "@@ -1 +1,2 @@\n-a\n+x\n+y\n@@ -2,0 +4 @@\n+x\n",
        "2:CONTEXT_MISMATCH 5 @2:2 LINE_ENDING b\\n|b",
    );
}

#[test]
fn order() {
    let (b, c) = ("@@ -2 +2 @@\n-b\n+x\n", "@@ -3 +3 @@\n-c\n+y\n");
    refuses(Strict, "a\nb\nc\n", &format!("{c}{b}"), &["2:MISORDERED 4 @2"]);
    refuses(Strict, "a\nb\nc\n", &format!("{b}{b}"), &["2:OVERLAP 4 @2"]);
    refuses(Strict, "a\nb\nc\n", &format!("{c}{b}{c}"), &["2:MISORDERED 4 @2"]);
    refuses(
        Strict,
        "a\nb\nc\n",
        "@@ -1,2 +1,3 @@\n a\n+x\n b\n@@ -2,2 +3,2 @@\n b\n-c\n+y\n",
        &["2:OVERLAP 5 @2"],
    );
    refuses(Strict, "a\nb\nc\n", "@@ -1,3 +1,2 @@\n a\n-b\n c\n@@ -2,0 +2 @@\n+y\n", &["2:OVERLAP 5 @3"]);
    // New starts are not judged where the hunks do not follow one another.
    refuses(Strict, "a\nb\nc\n", "@@ -1 +2 @@\n-a\n+x\n@@ -1 +1 @@\n-a\n+y\n", &["2:OVERLAP 4 @1"]);
    let (b, c) = ("@@\n-b\n+x\n", "@@\n-c\n+y\n");
    refuses(Anchored, "a\nb\nc\n", &format!("{c}{b}"), &["2:MISORDERED 4 @2"]);
    refuses(Anchored, "a\nb\nc\n", &format!("{b}{b}"), &["2:OVERLAP 4 @2"]);
    refuses(Anchored, "a\nb\nc\n", &format!("{b}@@\n a\n b\n-c\n"), &["2:MISORDERED 4 @1"]);
    refuses(Anchored, "a\nb\nc\n", "@@\n a\n-b\n@@\n-b\n c\n", &["2:OVERLAP 4 @2"]);
    refuses(Anchored, "a\nb\nc\n", "@@\n a\n b\n+x\n c\n@@\n b\n+y\n c\n", &["2:OVERLAP 6 @2"]);
    // Quoted by one hunk and removed by another, in either order, also over a hunk between them.
    let text = "a\nb\nc\nd\ne\n";
    refuses(Anchored, text, "@@\n-a\n b\n c\n@@\n-c\n d\n", &["2:OVERLAP 5 @3"]);
    refuses(Anchored, text, "@@\n-b\n c\n@@\n b\n c\n-d\n", &["2:OVERLAP 4 @2"]);
    refuses(Anchored, text, "@@\n-a\n b\n c\n d\n@@\n b\n+x\n@@\n-d\n", &["3:OVERLAP 9 @4"]);
    refuses(Anchored, "a\nb\nc\n", "@@\n a\n b\n+x\n@@\n b\n+y\n", &["2:OVERLAP 5 @2"]);
    refuses(
        Anchored,
        "a\nb\nc\n",
        "@@\n a\n-b\n-c\n@@\n b\n-c\n@@\n-c\n",
        &["2:OVERLAP 5 @2", "3:OVERLAP 8 @3"],
    );
}

#[test]
fn context_differs() {
    let refuses = |text, patch, conflicts: &[&str]| refuses(Strict, text, patch, conflicts);
    let patch = "@@ -1,3 +1,2 @@\n a\n-b b\n c\n";
    for (text, conflict) in [
        ("a\nx\nc\n", "@2:1 CONTENT b b\\n|x\\n"),
        ("a\nb b\nx\n", "@3:1 CONTENT c\\n|x\\n"),
        ("a\nb b \t\nc\n", "@2:4 TRAILING_SPACE b b\\n|b b \\t\\n"),
        ("a\n\tb b\nc\n", "@2:1 INDENTATION b b\\n|\\tb b\\n"),
        ("a\nb  b\nc\n", "@2:3 WHITESPACE b b\\n|b  b\\n"),
        ("a\nb\u{a0}b\nc\n", "@2:2 WHITESPACE b b\\n|b\u{a0}b\\n"),
        ("a\nb B\nc\n", "@2:3 CASE b b\\n|b B\\n"),
        ("a\r\nb b\r\nc\r\n", "@1:2 LINE_ENDING a\\n|a\\r\\n [1]"),
        ("a\nb b", "@2:4 LINE_ENDING b b\\n|b b"),
        ("a\n", "@2:1 END_OF_TEXT b b\\n|-"),
        ("", "@1:1 END_OF_TEXT a\\n|-"),
        ("\u{feff}a\nb b\nc\n", "@1:1 INVISIBLE a\\n|\\u{feff}a\\n"),
        ("x\na\nb b\nc\na\nb b\nc\n", "@1:1 CONTENT a\\n|x\\n [2, 5]"),
    ] {
        refuses(text, patch, &[&format!("1:CONTEXT_MISMATCH 1 {conflict}")]);
    }
    refuses("a\n", "@@ -3 +3 @@\n-a\n+b\n", &["1:CONTEXT_MISMATCH 1 @2:1 END_OF_TEXT a\\n|- [1]"]);
    refuses("a", "@@ -3 +3 @@\n-a\n+b\n", &["1:CONTEXT_MISMATCH 1 @2:1 END_OF_TEXT a\\n|- [1]"]);
    refuses("a\n", "@@ -3,0 +4 @@\n+b\n", &["1:CONTEXT_MISMATCH 1 @2:1 END_OF_TEXT |-"]);
    let far = "@@ -18446744073709551615,0 +1 @@\n+b\n";
    refuses("a\n", far, &["1:CONTEXT_MISMATCH 1 @2:1 END_OF_TEXT |-"]);
    refuses("", far, &["1:CONTEXT_MISMATCH 1 @1:1 END_OF_TEXT |-"]);
    refuses(
        "x\na\nb\n",
        "@@ -1 +1 @@\n-a\n+x\n@@ -2 +3 @@\n-a\n+y\n@@ -3 +3 @@\n-a\n+z\n",
        &[
            "1:CONTEXT_MISMATCH 1 @1:1 CONTENT a\\n|x\\n [2]",
            "2:START_MISMATCH 4 @2",
            "3:CONTEXT_MISMATCH 7 @3:1 CONTENT a\\n|b\\n [2]",
        ],
    );
    refuses(
        "x\na\n",
        "@@ -1,0 +2 @@\n+y\n@@ -4,0 +6 @@\n+z\n@@ -7 +8,0 @@\n-a\n",
        &["2:CONTEXT_MISMATCH 3 @3:1 END_OF_TEXT |-", "3:CONTEXT_MISMATCH 5 @3:1 END_OF_TEXT a\\n|- [2]"],
    );
}

#[test]
fn nowhere_to_be_found() {
    let refuses = |text, patch, conflicts: &[&str]| refuses(Anchored, text, patch, conflicts);
    refuses("a\nb\n", "@@\n-x\n", &["1:NOT_FOUND 2 @1:1 CONTENT x|a"]);
    refuses("", "@@\n-x\n", &["1:NOT_FOUND 2 @1:1 END_OF_TEXT x|-"]);
    refuses("a\nb\n", "@@ -2 +2 @@\n-x\n", &["1:NOT_FOUND 2 @2:1 CONTENT x|b"]);
    refuses("a\nb\n", "@@ -9 +9 @@\n-x\n", &["1:NOT_FOUND 2 @3:1 END_OF_TEXT x|-"]);
    refuses("a \nb\n", "@@ -1,2 +1 @@\n-a\n b\n", &["1:NOT_FOUND 2 @1:2 TRAILING_SPACE a|a "]);
    refuses("- a\n  b\n", "@@\n - a\n-   b\n", &["1:NOT_FOUND 3 @2:3 INDENTATION    b|  b"]);
    refuses("a\nB\n", "@@\n a\n-b\n", &["1:NOT_FOUND 3 @2:1 CASE b|B"]);
    // The place where most lines stand, blank ones not counted, wins over the stated one.
    refuses("\n\n1\n2\n3\n\n\n", "@@ -1,4 +1 @@\n \n-1\n-x\n-3\n", &["1:NOT_FOUND 4 @4:1 CONTENT x|2"]);
    refuses("\n\n\na\n", "@@\n \n \n \n \n-\n", &["1:NOT_FOUND 5 @4:1 CONTENT |a"]);
    refuses("a\nb\n\n", "@@\n \n-\n", &["1:NOT_FOUND 3 @4:1 END_OF_TEXT |-"]);
    // Of places alike, the nearest to the stated one, then the first.
    let text = "1\n2\n3\n1\n2\n3\n1\n2\n3\n";
    refuses(text, "@@ -4,3 +4 @@\n-1\n-x\n-3\n", &["1:NOT_FOUND 3 @5:1 CONTENT x|2"]);
    refuses(text, "@@ -9,3 +9 @@\n-1\n-x\n-3\n", &["1:NOT_FOUND 3 @8:1 CONTENT x|2"]);
    refuses(text, "@@\n-1\n-x\n-3\n", &["1:NOT_FOUND 3 @2:1 CONTENT x|2"]);
    refuses("a\nb\n", "@@\n b\n-c\n", &["1:NOT_FOUND 3 @3:1 END_OF_TEXT c|-"]);
    // Text that the patch itself adds is no place.
    refuses("a\nb\n", "@@\n-a\n+x\n@@\n-x\n+y\n", &["2:NOT_FOUND 5 @1:1 CONTENT x|a"]);
}

#[test]
fn found_too_often() {
    let refuses = |text, patch, conflicts: &[&str]| refuses(Anchored, text, patch, conflicts);
    refuses("a\na\n", "@@\n-a\n", &["1:AMBIGUOUS 1 [1, 2]"]);
    refuses("a\r\na\n", "@@\n-a\n", &["1:AMBIGUOUS 1 [1, 2]"]);
    refuses("a\na", "@@\n-a\n", &["1:AMBIGUOUS 1 [1, 2]"]);
    refuses("a\na\na\n", "@@\n-a\n a\n", &["1:AMBIGUOUS 1 [1, 2]"]);
    // The stated place counts only where all arithmetic is exact, here the counts, the starts and the terminators.
    refuses("a\nb\na\n", "@@ -3,2 +3,1 @@\n-a\n", &["1:AMBIGUOUS 1 [1, 3]"]);
    refuses("a\nb\na\n", "@@ -3 +3,0 @@\n-a\n", &["1:AMBIGUOUS 1 [1, 3]"]);
    refuses("a\nb\na\n", "@@ -3 +2,0 @@\n-a\r\n", &["1:AMBIGUOUS 1 [1, 3]"]);
    refuses("a\nb\na\n", "@@ -3 +2,0 @@\n-a", &["1:AMBIGUOUS 1 [1, 3]"]);
    refuses("a\nb\na\n", "@@ -1 +0,0 @@\n-a\n@@ -2 +2 @@\n-b\n+c\n", &["1:AMBIGUOUS 1 [1, 3]"]);
    // A marker that is out of place is no exact arithmetic, whatever the line above it says.
    for (added, count) in
        [("", 2), ("x", 2), ("x\n+", 3), ("\n+", 3), ("\r", 2), ("\n+x", 3), (" ", 2), ("x\n+\n+", 4)]
    {
        let patch = format!("@@ -2 +2,{count} @@\n a\n+{added}\n\\ No newline at end of file\n");
        for text in ["a\na\nb\n", "a\r\na\r\nb\r\n", "a\na\nb"] {
            super::refuses(Anchored, text, &patch, &["1:AMBIGUOUS 1 [1, 2]"]);
        }
    }
    let many = "a\n".repeat(100);
    let all: Vec<usize> = (1..=64).collect();
    refuses(&many, "@@\n-a\n", &[&format!("1:AMBIGUOUS 1 {all:?}")]);
}

#[test]
fn nothing_to_hold_on_to() {
    let refuses = |text, patch, conflicts: &[&str]| refuses(Anchored, text, patch, conflicts);
    refuses("a\n", "@@\n+x\n", &["1:NO_ANCHOR 1"]);
    refuses("a\n", "@@ -1,0 +2 @@\n+x\n", &["1:NO_ANCHOR 1"]);
    refuses("a\n", "@@ -0,0 +1 @@\n+x\n", &["1:NO_ANCHOR 1"]);
    refuses("a\n", "@@\n-a\n+b\n@@\n+x\n", &["2:NO_ANCHOR 4"]);
}

#[test]
fn every_conflict_in_one_reply() {
    refuses(
        Anchored,
        "a\na\nb\nc\n",
        "@@\n-a\n+x\n@@\n-b\n+x\n@@\n+x\n@@\n-d\n+x\n@@\n-c\n+x\n@@\n-a\n-a\n-x\n",
        &[
            "1:AMBIGUOUS 1 [1, 2]",
            "3:NO_ANCHOR 7",
            "4:NOT_FOUND 10 @1:1 CONTENT d|a",
            "6:NOT_FOUND 18 @3:1 CONTENT x|b",
        ],
    );
}

#[test]
fn no_effect() {
    for mode in [Strict, Anchored] {
        for patch in [
            "@@ -1 +1 @@\n-a\n+a\n",
            "@@ -1,2 +1,2 @@\n-a\n-b\n+a\n+b\n",
            "@@ -2 +2 @@\n+b\n-b\n",
            "@@ -1 +1 @@\n-a\n+a\n@@ -2 +2 @@\n-b\n+b\n",
        ] {
            refuses(mode, "a\nb\n", patch, &["0:NO_EFFECT 1"]);
        }
        refuses(mode, "a\nb\n", "@@ -1,2 +1,2 @@\n a\n b\n", &["1:NO_EFFECT 1"]);
    }
    refuses(Anchored, "a\r\nb", "@@\n a\n-b\n+b\n", &["0:NO_EFFECT 1"]);
    refuses(Anchored, "a\n", "@@\n a\n", &["1:NO_EFFECT 1"]);
}

#[test]
fn too_large() {
    #[track_caller]
    fn check(mode: Mode, limits: Limits, conflict: Option<&str>) {
        let (text, patch) = ("a\nb\n", "@@ -1 +1,2 @@\n-a\n+x\n+y\n@@ -2 +3 @@\n-b\n+z\n");
        let result = apply(text, patch, &ApplyOptions { mode, limits, ..ApplyOptions::default() });
        assert_eq!(result.err().map(|e| shown(&e.conflicts()[0])).as_deref(), conflict);
    }
    let exact = Limits { text_bytes: 6, patch_bytes: 41, hunks: 2 };
    for mode in [Strict, Anchored] {
        check(mode, exact, None);
        check(mode, Limits { text_bytes: 5, ..exact }, Some("0:TOO_LARGE 1"));
        check(mode, Limits { text_bytes: 3, ..exact }, Some("0:TOO_LARGE 1"));
        check(mode, Limits { patch_bytes: 40, ..exact }, Some("0:TOO_LARGE 1"));
        check(mode, Limits { hunks: 1, ..exact }, Some("2:TOO_LARGE 5"));
        check(mode, Limits { hunks: 0, ..exact }, Some("1:TOO_LARGE 1"));
    }
    // What shrinks below the limit is still too large to begin with.
    let limits = Limits { text_bytes: 3, ..Limits::default() };
    let shrinking = apply(
        "a\nb\n",
        "@@ -1 +0,0 @@\n-a\n",
        &ApplyOptions { mode: Strict, limits, ..ApplyOptions::default() },
    );
    assert_eq!(shrinking.unwrap_err().reason(), Reason::TooLarge);
    let limits = Limits { text_bytes: 4, ..limits };
    assert!(
        apply(
            "a\nb\n",
            "@@ -1 +0,0 @@\n-a\n",
            &ApplyOptions { mode: Strict, limits, ..ApplyOptions::default() }
        )
        .is_ok()
    );
    let Limits { text_bytes, patch_bytes, hunks } = Limits::default();
    assert_eq!((text_bytes, patch_bytes, hunks), (67_108_864, 16_777_216, 20_000));
}

/// A stated line decides between equal places only where the author of the patch has been shown it.
#[test]
fn stated_lines_that_were_not_shown() {
    // Four lines were added at the top, so that the number of the second step is now that of the first.
    let text = "# Plan\n\n### Step 0\n- new\n- one\n\n### Step 1\n- todo\n- me\n\n### Step 2\n- todo\n- me\n";
    let drifted = "@@ -8 +8 @@\n-- todo\n+- done\n";
    let two = "@@ -4 +4 @@\n-- new\n+- old\n@@ -12,2 +12,2 @@\n-- todo\n+- done\n - me\n";
    let done = |at: usize| {
        let lines = text.lines().enumerate();
        lines.map(|(i, line)| format!("{}\n", if i + 1 == at { "- done" } else { line })).collect::<String>()
    };
    let ambiguous = |hunk: usize, line: usize| Err(format!("{hunk}:AMBIGUOUS {line} [8, 12]"));
    for (patch, shown, expected) in [
        (drifted, &[][..], ambiguous(1, 1)),
        (drifted, &[(0, 7), (8, 99)], ambiguous(1, 1)),
        (drifted, &[(7, 7)], ambiguous(1, 1)),
        (drifted, &[(7, 8)], Ok(done(8))),
        (drifted, &[(0, 99), (2, 3)], Ok(done(8))),
        (drifted, &[(9, 12), (0, 8)], Ok(done(8))),
        ("@@ -12 +12 @@\n-- todo\n+- done\n", &[(0, 8), (11, 12)], Ok(done(12))),
        // The line that the header states is the first of the hunk.
        (two, &[(12, 13)], ambiguous(2, 4)),
        (two, &[(11, 12)], Ok(done(12).replace("new", "old"))),
        // What stands at one place only needs no number.
        ("@@ -11,2 +11,2 @@\n ### Step 2\n-- todo\n+- done\n", &[], Ok(done(12))),
        // Shown or not: all arithmetic has to be exact.
        ("@@ -8,9 +8 @@\n-- todo\n+- done\n", &[(0, 99)], ambiguous(1, 1)),
    ] {
        let shown: Vec<_> = shown.iter().map(|&(start, end)| start..end).collect();
        let stated_lines = StatedLines::Shown(&shown);
        let applied =
            apply(text, patch, &ApplyOptions { mode: Anchored, stated_lines, ..ApplyOptions::default() });
        let outcome = applied.map(Applied::into_text).map_err(|e| shown_of(&e));
        assert_eq!(outcome, expected, "{patch:?} {shown:?}");
    }
    assert_eq!(
        apply(text, drifted, &ApplyOptions { mode: Anchored, ..ApplyOptions::default() }).unwrap().text(),
        done(8)
    );
    let strict = ApplyOptions { stated_lines: StatedLines::Shown(&[]), ..ApplyOptions::default() };
    assert_eq!(apply(text, drifted, &strict).unwrap().text(), done(8));
}

/// A hunk that quotes lines which its author was shown, and which have changed since, goes nowhere else.
#[test]
fn lines_that_were_shown_and_have_gone() {
    let shown_before = "a\nx\nb\nc\nd\nx\n";
    let cases = [
        // The last line has become another, and the first that is like it is left.
        ("a\nx\nb\nc\nd\ny\n", &[(0, 6)][..], &[][..], "@@ -6 +6 @@\n-x\n+z\n", Err("1:OUTDATED 1 6")),
        // All of it, in the text or not, at its new place or where the number leads.
        ("n\na\nx\nb\nc\nd\n", &[(0, 6)], &[], "@@ -6 +6 @@\n-x\n+z\n", Err("1:OUTDATED 1 7")),
        ("1\n2\n3\n4\na\nx\nb\nc\nd\ny\n", &[(0, 6)], &[], "@@ -6 +6 @@\n-x\n+z\n", Err("1:OUTDATED 1 10")),
        // It has moved, and is the same.
        ("n\na\ny\nb\nc\nd\nx\n", &[(0, 6)], &[], "@@ -6 +6 @@\n-x\n+z\n", Ok("n\na\ny\nb\nc\nd\nz\n")),
        ("n\na\nx\nb\nc\nd\ny\n", &[(0, 6)], &[], "@@ -2 +2 @@\n-x\n+z\n", Ok("n\na\nz\nb\nc\nd\ny\n")),
        // What was not shown tells nothing.
        ("a\nx\nb\nc\nd\ny\n", &[(0, 5)], &[], "@@ -6 +6 @@\n-x\n+z\n", Ok("a\nz\nb\nc\nd\ny\n")),
        ("a\nx\nb\nc\nd\ny\n", &[], &[], "@@ -6 +6 @@\n-x\n+z\n", Ok("a\nz\nb\nc\nd\ny\n")),
        // A number of what is shown now is not of then; one of then still is.
        ("a\nx\nb\nc\nd\ny\n", &[(0, 6)], &[(0, 6)], "@@ -6 +6 @@\n-x\n+z\n", Ok("a\nz\nb\nc\nd\ny\n")),
        ("a\nx\nb\nc\nd\ny\n", &[(0, 6)], &[(0, 4)], "@@ -6 +6 @@\n-x\n+z\n", Err("1:OUTDATED 1 6")),
        // Without a number: what was shown at one place, at several, and what is shown now.
        ("a\nd\nb\nc\ne\nx\n", &[(2, 6)], &[], "@@\n-d\n+z\n", Err("1:OUTDATED 1 5")),
        ("a\nx\nb\nc\nd\ny\n", &[(0, 6)], &[], "@@\n-x\n+z\n", Err("1:OUTDATED 1 6")),
        ("a\nx\nb\nc\nd\ny\n", &[(0, 6)], &[(1, 2)], "@@\n-x\n+z\n", Ok("a\nz\nb\nc\nd\ny\n")),
        // With context, and beside a hunk that is right.
        ("a\nx\nb\nc\nd\nX\nd\nx\n", &[(0, 6)], &[], "@@ -5,2 +5,2 @@\n d\n-x\n+z\n", Err("1:OUTDATED 1 6")),
        (
            "a\nx\nb\nC\nd\ny\n",
            &[(0, 6)],
            &[],
            "@@ -1 +1 @@\n-a\n+A\n@@ -6 +6 @@\n-x\n+z\n",
            Err("2:OUTDATED 4 6"),
        ),
        // Something was put between the lines.
        ("a\nx\nn\nb\nc\nd\nx\nb\n", &[(0, 6)], &[], "@@ -2,2 +2 @@\n x\n-b\n", Err("1:OUTDATED 1 3")),
    ];
    let ranges = |lines: &[(usize, usize)]| lines.iter().map(|&(start, end)| start..end).collect::<Vec<_>>();
    for (text, before, now, patch, expected) in cases {
        let (before, now) = (ranges(before), ranges(now));
        let earlier = [EarlierText {
            text: shown_before,
            lines: &before,
            since: &[&Delta::between(shown_before, text)],
        }];
        let stated_lines = StatedLines::Shown(&now);
        let options =
            ApplyOptions { mode: Anchored, stated_lines, earlier: &earlier, ..ApplyOptions::default() };
        let outcome = apply(text, patch, &options).map(Applied::into_text);
        let place = |c: &Conflict| format!("{}:{} {} {}", c.hunk, c.reason, c.patch_line, c.line.unwrap());
        let outcome = outcome.map_err(|e| e.conflicts().iter().map(place).collect::<Vec<_>>().join(" "));
        assert_eq!(
            outcome.as_deref().map_err(String::as_str),
            expected,
            "{text:?} {before:?} {now:?} {patch:?}"
        );
    }
}

/// A hunk without effect is told with those that have no place.
#[test]
fn undecided_hunks_beside_ones_without_effect() {
    let options =
        ApplyOptions { mode: Anchored, stated_lines: StatedLines::Shown(&[]), ..ApplyOptions::default() };
    let refused = apply("a\nb\na\n", "@@ -1 +1 @@\n-a\n+x\n@@ -2 +2 @@\n b\n", &options).unwrap_err();
    assert_eq!(shown_of(&refused), "1:AMBIGUOUS 1 [1, 3] 2:NO_EFFECT 4");
}

fn shown_of(refused: &ApplyError) -> String {
    refused.conflicts().iter().map(shown).collect::<Vec<_>>().join(" ")
}
