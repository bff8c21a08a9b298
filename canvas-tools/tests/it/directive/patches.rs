//! The diffs of patch directives: what they may be, and what is refused.

use canvas_core::CodedError as _;
use canvas_core::text::Reason;
use serde_json::json;

use super::world::{World, code};

const TEXT: &str = "# Plan\n\n- one\n- two\n- three\n\nend\n";

#[track_caller]
fn check(text: &str, diff: &str, expected: &str) {
    let world = World::new(text);
    let done = world.direct(&json!({"action": "patch", "diff": diff, "version": world.version()}));
    match code(&done).as_str() {
        "OK" => assert_eq!(world.text(), expected),
        refused => assert_eq!(refused, format!("PATCH_REJECTED/{expected} at /diff")),
    }
}

#[test]
fn diffs_that_fit_are_applied() {
    for (text, diff, expected) in [
        (TEXT, "@@ -3,2 +3,2 @@\n - one\n-- two\n+- 2\n", "# Plan\n\n- one\n- 2\n- three\n\nend\n"),
        // File headers, and counts that are wrong.
        (
            TEXT,
            "--- a/x.md\n+++ b/x.md\n@@ -9,9 +9,9 @@\n - one\n-- two\n+- 2\n",
            "# Plan\n\n- one\n- 2\n- three\n\nend\n",
        ),
        // Several hunks.
        (
            TEXT,
            "@@\n-# Plan\n+# Plans\n \n@@\n - three\n+- four\n \n",
            "# Plans\n\n- one\n- two\n- three\n- four\n\nend\n",
        ),
        // Without a newline at the end, before and after.
        ("a\nb", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n", "a\nc\n"),
        ("a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n", "a\nc"),
        ("a\nb", "@@\n-a\n+x\n b\n", "x\nb"),
        // Terminators and odd characters stay.
        ("a\r\nb\r\n", "@@\n-a\n+x\n b\n", "x\r\nb\r\n"),
        ("\u{feff}a\n\u{0}😀\n", "@@\n \u{0}😀\n+z\n", "\u{feff}a\n\u{0}😀\nz\n"),
        ("", "@@ -0,0 +1 @@\n+a\n", "a\n"),
    ] {
        check(text, diff, expected);
    }
}

#[test]
fn diffs_that_do_not_fit_are_refused() {
    for (diff, expected) in [
        ("@@ -3,2 +3,2 @@\n - One\n-- two\n+- 2\n", "NOT_FOUND"),
        ("@@\n - three\n+- four\n@@\n-# Plan\n+# Plans\n", "MISORDERED"),
        ("@@\n - one\n-- two\n+- 2\n@@\n-- two\n+- zwei\n", "OVERLAP"),
        ("no diff at all", "NO_HUNKS"),
        ("@@ -1 +1 @@\n # Plan\n", "NO_EFFECT"),
        ("@@\n-- one\n+- one\n", "NO_EFFECT"),
        ("@@\n+lost\n", "NO_ANCHOR"),
        ("--- a/x\n+++ b/x\n@@\n-- one\n+- 1\n--- a/y\n+++ b/y\n@@\n-- two\n+- 2\n", "MULTI_FILE"),
    ] {
        check(TEXT, diff, expected);
    }
    check("a\nx\na\nx\n", "@@\n-a\n+b\n x\n", "AMBIGUOUS");
}

/// The text for the chat: why, both versions, what was expected and what is there.
#[test]
fn a_refusal_tells_what_was_expected() {
    let world = World::new(TEXT);
    let version = world.version();
    let diff = "@@\n - one\n-- too\n+- 2\n";
    let failure = world.direct(&json!({"action": "patch", "diff": diff, "version": version})).unwrap_err();
    assert_eq!(failure.status(), format!("failed: patch PATCH_REJECTED (NOT_FOUND) vs {version}"));
    let chat = failure.chat_text();
    for part in [
        format!("version: made for {version}, document has {version}"),
        "NOT_FOUND, line 4".into(),
        "- too".into(),
        "document has \"- two".into(),
        Reason::NotFound.advice().into(),
    ] {
        assert!(chat.contains(&part), "{part} is not in\n{chat}");
    }
    assert!(failure.is_conflict() && !failure.is_retryable());
    assert_eq!(failure.to_json()["conflicts"][0]["line"], 4);
}
