//! What a result says about itself, and what a refusal says to its reader.

use canvas_patch::Mode::{self, Anchored, Strict};
use canvas_patch::{ApplyError, ApplyOptions, ExceededLimit, Limits, Reason, RepairKind, Summary, apply};

use crate::apply::run;

#[test]
fn spans() {
    #[track_caller]
    fn check(mode: Mode, text: &str, patch: &str, expected: &[&str]) {
        let applied = run(mode, text, patch).unwrap_or_else(|e| panic!("{patch:?}: {e}"));
        let spans: Vec<_> = applied
            .spans()
            .iter()
            .map(|s| format!("{:?}>{:?} {:?}>{:?}", s.old_lines, s.new_lines, s.old_bytes, s.new_bytes))
            .collect();
        assert_eq!(spans, expected, "{patch:?}");
    }
    check(Strict, "a\nbb\nc\n", "@@ -1,3 +1,3 @@\n a\n-bb\n+x\n c\n", &["1..2>1..2 2..5>2..4"]);
    check(Strict, "a\n", "@@ -0,0 +1 @@\n+x\n", &["0..0>0..1 0..0>0..2"]);
    check(Strict, "a\n", "@@ -1,0 +2 @@\n+x\n", &["1..1>1..2 2..2>2..4"]);
    check(Strict, "a\nb\n", "@@ -1 +0,0 @@\n-a\n", &["0..1>0..0 0..2>0..0"]);
    check(Strict, "é\n", "@@ -1 +1 @@\n-é\n+è\n\\ No newline\n", &["0..1>0..1 0..3>0..2"]);
    check(
        Strict,
        "a\nb\nc\nd\n",
        "@@ -1,4 +1,5 @@\n-a\n+x\n+y\n b\n-c\n d\n+z\n",
        &["0..1>0..2 0..2>0..4", "2..3>3..3 4..6>6..6", "4..4>4..5 8..8>8..10"],
    );
    // A line that is removed and added again has not changed.
    check(Strict, "a\nb\n", "@@ -1 +1 @@\n-a\n+a\n@@ -2 +2 @@\n-b\n+x\n", &["1..2>1..2 2..4>2..4"]);
    let patch = "@@ -1,3 +1,3 @@\n-a\n+a\n b\n-c\n+x\n";
    check(Strict, "a\nb\nc\n", patch, &["2..3>2..3 4..6>4..6"]);
    check(Anchored, "a\r\nb\nc\n", "@@\n-a\n+a\n@@\n-c\n+x\n", &["2..3>2..3 5..7>5..7"]);
    // Changes that touch are one.
    check(Strict, "a\nb\n", "@@ -1 +1 @@\n-a\n+x\n@@ -2 +2 @@\n-b\n+y\n", &["0..2>0..2 0..4>0..4"]);
    // A last line that gains its terminator has changed.
    check(Anchored, "a\nb", "@@\n b\n+x\n", &["1..2>1..3 2..3>2..5"]);
    check(Anchored, "a\nb\nc\n", "@@\n-a\n@@\n-c\n+x\n+y\n", &["0..1>0..0 0..2>0..0", "2..3>1..3 4..6>2..6"]);
}

#[test]
fn summaries() {
    for (patch, text) in [
        ("@@ -1 +1 @@\n-a\n+x\n", "+1 −1, 1 hunk"),
        ("@@ -1 +0,0 @@\n-a\n@@ -2 +1,3 @@\n b\n+x\n+y\n", "+2 −1, 2 hunks"),
        ("@@ -1,2 +1,3 @@\n-a\n-b\n+a\n+b\n+c\n", "+3 −2, 1 hunk"),
    ] {
        assert_eq!(run(Strict, "a\nb\n", patch).unwrap().summary().to_string(), text);
    }
    // What is removed and added again at its place does not count.
    for (patch, text) in [
        ("@@ -1 +1 @@\n-a\n+a\n@@ -3 +3 @@\n-c\n+x\n", "+1 −1, 1 hunk"),
        ("@@ -1,3 +1,3 @@\n-a\n+a\n b\n-c\n+x\n", "+1 −1, 1 hunk"),
        ("@@ -1 +1 @@\n-a\n+x\n@@ -2 +2 @@\n-b\n+b\n", "+1 −1, 1 hunk"),
        ("@@ -1 +1,2 @@\n-a\n+x\n+y\n@@ -3 +4 @@\n-c\n+c\n", "+2 −1, 1 hunk"),
    ] {
        assert_eq!(run(Strict, "a\nb\nc\n", patch).unwrap().summary().to_string(), text, "{patch:?}");
    }
    assert_eq!(run(Anchored, "a\nb", "@@\n b\n+x\n").unwrap().summary().to_string(), "+1 −0, 1 hunk");
    assert_eq!(Summary { added: 120, removed: 3, hunks: 0 }.to_string(), "+120 −3, 0 hunks");
}

#[test]
fn inverses_are_patches() {
    #[track_caller]
    fn check(mode: Mode, text: &str, patch: &str, inverse: &str) {
        let applied = run(mode, text, patch).unwrap_or_else(|e| panic!("{patch:?}: {e}"));
        assert_eq!(applied.inverse(), inverse);
        assert_eq!(applied.text(), applied.clone().into_text());
    }
    check(Strict, "a\n", "@@ -1 +1 @@\n-a\n+x\n", "@@ -1 +1 @@\n-x\n+a\n");
    check(Strict, "", "@@ -0,0 +1 @@\n+x\n", "@@ -1 +0,0 @@\n-x\n");
    check(
        Strict,
        "x",
        "@@ -1 +0,0 @@\n-x\n\\ No newline\n",
        "@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n",
    );
    check(
        Anchored,
        "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
        "@@\n-1\n@@\n-9\n+x\n",
        "@@ -1,3 +1,4 @@\n+1\n 2\n 3\n 4\n@@ -5,4 +6,4 @@\n 6\n 7\n 8\n-x\n+9\n",
    );
    // Six lines between two changes are context of both, in one hunk.
    check(
        Anchored,
        "1\n2\n3\n4\n5\n6\n7\n8",
        "@@\n-1\n@@\n-8\n\\ No newline\n",
        "@@ -1,6 +1,8 @@\n+1\n 2\n 3\n 4\n 5\n 6\n 7\n+8\n\\ No newline at end of file\n",
    );
    check(
        Strict,
        "a\nb",
        "@@ -1,2 +1 @@\n-a\n b\n\\ No newline\n",
        "@@ -1 +1,2 @@\n+a\n b\n\\ No newline at end of file\n",
    );
}

/// What is stored of a refusal reads back, and none without a conflict does.
#[test]
#[cfg(feature = "serde")]
fn refusals_are_stored() {
    for patch in ["", "@@ -1 +1 @@\n-b\n+c\n", "@@ -9 +9 @@\n-a\n+c\n"] {
        let refused = run(Strict, "a\n", patch).unwrap_err();
        let mut json = serde_json::to_value(&refused).unwrap();
        assert_eq!(serde_json::from_value::<ApplyError>(json.clone()).unwrap(), refused);
        json["conflicts"] = serde_json::json!([]);
        let refused = serde_json::from_value::<ApplyError>(json).unwrap_err().to_string();
        assert!(refused.contains("length 0"), "{refused}");
    }
}

/// The sentences are in the table of messages of `examples/trials`.
#[test]
fn refusals_name_reason_place_and_advice() {
    for (mode, text, patch, reason, line) in [
        (Strict, "a\n", "", Reason::NoHunks, None),
        (Strict, "a\\\n", "@@ -1 +1 @@\n-b\n+c\n", Reason::ContextMismatch, Some(1)),
        (Anchored, "a\n", "@@\n a\n-b\n", Reason::NotFound, Some(2)),
        (Anchored, "alpha\n", "@@\n-omega\n", Reason::NotFound, Some(1)),
        (Anchored, "- a\n- b\n", "@@\n-3: - a\n+- b\n", Reason::NotFound, Some(1)),
        (Anchored, "# a\n\nb\n", "@@ -0,0 +1,3 @@\n+# a\n+\n+b!\n", Reason::NoAnchor, None),
        (Anchored, "x\n# a\n\nb\n", "@@ -0,0 +1,5 @@\n+# a\n+\n+b\n+\n+c\n", Reason::NoAnchor, None),
    ] {
        let refused = run(mode, text, patch).unwrap_err();
        let conflict = &refused.conflicts()[0];
        assert_eq!((conflict.reason, conflict.line), (reason, line), "{refused}");
        let message = refused.to_string();
        let place = line.map_or_else(String::new, |line| format!(" at line {line}"));
        assert!(message.contains(&format!("{reason}{place}")), "{message}");
        assert!(message.ends_with(&format!("; {}", conflict.advice())), "{message}");
    }
    for (many, places) in [(2, "1, 2"), (3, "1, 2, 3"), (5, "1, 2, 3 and"), (64, "1, 2, 3 and")] {
        // A number would not decide where the end of the patch has to be repaired too.
        for (patch, header) in [("@@\n-a\n", true), ("@@\n-a", false)] {
            let refused = run(Anchored, &"a\n".repeat(many), patch).unwrap_err().to_string();
            assert!(refused.contains(&format!(" {places}")), "{refused}");
            assert_eq!(refused.ends_with("@@ -1 +0,0 @@"), header, "{refused}");
        }
    }
}

/// What is too large is named, and only a patch that is too large asks for a smaller one.
#[test]
fn each_limit_has_its_own_advice() {
    let fits = Limits { text_bytes: 6, patch_bytes: 41, hunks: 2 };
    let (text, patch) = ("a\nb\n", "@@ -1 +1,2 @@\n-a\n+x\n+y\n@@ -2 +3 @@\n-b\n+z\n");
    for (limits, hunk, limit) in [
        (Limits { text_bytes: 3, ..fits }, 0, ExceededLimit::Document),
        (Limits { text_bytes: 5, ..fits }, 0, ExceededLimit::Result),
        (Limits { patch_bytes: 40, ..fits }, 0, ExceededLimit::Patch),
        (Limits { hunks: 1, ..fits }, 2, ExceededLimit::Hunks),
    ] {
        for mode in [Strict, Anchored] {
            let refused =
                apply(text, patch, &ApplyOptions { mode, limits, ..ApplyOptions::default() }).unwrap_err();
            let conflict = &refused.conflicts()[0];
            assert_eq!((conflict.hunk, conflict.limit), (hunk, Some(limit)), "{mode:?} {limits:?}");
            assert!(refused.to_string().ends_with(limit.advice()), "{refused}");
        }
    }
}

/// Escapes and ellipses count too.
#[test]
fn quoted_lines_have_at_most_200_characters() {
    for line in ["y", "\u{1}", "\\", "é", "\u{feff}", "\u{10ffff}"].map(|c| c.repeat(5000)) {
        for before in [0, 100, 119, 120, 121, 1000] {
            let text = format!("{}a{line}\n", "z".repeat(before));
            let patch = format!("@@\n-{}b{line}\n+c\n", "z".repeat(before));
            let refused = run(Anchored, &text, &patch).unwrap_err();
            let shown = refused.conflicts()[0].mismatch.as_ref().expect("the line differs");
            let actual = shown.actual.as_ref().expect("the text goes on");
            assert!(shown.expected.chars().count() <= 200 && actual.chars().count() <= 200, "{shown:?}");
            assert!(shown.expected.contains('b') && actual.contains('a'), "{shown:?}");
        }
    }
}

#[test]
fn long_refusals_are_cut() {
    let messages = |hunks: usize| run(Anchored, "a\n", &"@@\n+x\n".repeat(hunks)).unwrap_err().to_string();
    let all = |hunks: usize| {
        let one = |i| format!("hunk {i}: NO_ANCHOR; {}", Reason::NoAnchor.advice());
        (1..=hunks).map(one).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(messages(2), all(2));
    assert_eq!(messages(10), all(10));
    for more in [1, 2] {
        let message = messages(10 + more);
        let rest = message.strip_prefix(&all(10)).expect("it begins with the first ten");
        assert!(rest.starts_with(&format!("; and {more} ")), "{message}");
    }
}

#[test]
fn codes() {
    let codes: Vec<_> = Reason::ALL.iter().map(|reason| reason.to_string()).collect();
    assert_eq!(
        codes.join(" "),
        "NO_HUNKS BAD_HEADER BAD_LINE UNEXPECTED_TEXT MULTI_FILE TRUNCATED ESCAPED_NEWLINES COUNT_MISMATCH \
         START_MISMATCH EOF_MARKER MISORDERED OVERLAP CONTEXT_MISMATCH NOT_FOUND OUTDATED AMBIGUOUS NO_ANCHOR NO_EFFECT TOO_LARGE"
    );
    assert_eq!(RepairKind::BareHeader.code(), "BARE_HEADER");
    assert_eq!(ApplyError::CODE, "PATCH_REJECTED");
}

/// More hunks than a patch may have are written as fewer, larger ones.
#[test]
fn an_inverse_keeps_to_the_limits() {
    let hunks = Limits::default().hunks + 1;
    let text = "x\n".repeat(8 * hunks);
    let body = format!("{}+y\n", " x\n".repeat(8)).repeat(hunks);
    let patch = format!("@@ -1,{} +1,{} @@\n{body}", 8 * hunks, 9 * hunks);
    let applied = run(Strict, &text, &patch).expect("one hunk for all of it");
    let inverse = applied.inverse();
    assert!(inverse.matches("@@ -").count() < hunks);
    let back = run(Strict, applied.text(), &inverse).expect("the inverse fits");
    assert!(back.text() == text);
}
