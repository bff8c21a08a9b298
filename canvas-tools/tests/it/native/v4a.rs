//! V4A: a ruling for each case on which the two official appliers disagree, or take the first match.

use canvas_tools::native::{Dialect, NativeOptions, apply_native};
use proptest::prelude::*;
use serde_json::json;

use crate::native::check::{PATH, check};

/// A document, a diff of it, what that leads to, and the repairs on the way.
type Case = (&'static str, &'static str, Result<&'static str, &'static str>, &'static [&'static str]);

const TWICE: &str = "# A\n- x\n# B\n- x\n";
const NESTED: &str = "# A\n## N\nx\n# B\n## N\nx\n";
const ENVELOPE: &str = "*** Begin Patch\n*** Update File: plan.md\n@@\n-a\n+b\n*** End Patch\n";
const OTHER: &str = "*** Begin Patch\n*** Update File: other.md\n@@\n-a\n+b\n*** End Patch\n";

const RULINGS: &[(&str, &[Case])] = &[
    (
        "an old side at several places",
        &[
            (TWICE, "@@\n-- x\n+- y\n", Err("AMBIGUOUS"), &[]),
            ("a\nb\n", "@@\n a\n-b\n+c\n", Ok("a\nc\n"), &[]),
            ("a\nb\n", " a\n-b\n+c", Ok("a\nc\n"), &[]),
        ],
    ),
    (
        "the ladder of likeness",
        &[
            ("a \n", "@@\n-a\n+b\n", Err("NOT_FOUND"), &[]),
            ("a\n", "@@\n-a \n+b\n", Err("NOT_FOUND"), &[]),
            ("  a\n", "@@\n-a\n+b\n", Err("NOT_FOUND"), &[]),
            ("a \u{2013} b\n", "@@\n-a - b\n+c\n", Err("NOT_FOUND"), &[]),
            ("a\u{a0}b\n", "@@\n-a b\n+c\n", Err("NOT_FOUND"), &[]),
        ],
    ),
    (
        "one anchor that is absent",
        &[
            (TWICE, "@@ # C\n-- x\n+- y\n", Err("NOT_FOUND"), &[]),
            ("a\nb\n", "@@ nowhere\n-b\n+c\n", Err("NOT_FOUND"), &[]),
        ],
    ),
    (
        "stacked anchors",
        &[
            (NESTED, "@@ # B\n@@ ## N\n-x\n+y\n", Ok("# A\n## N\nx\n# B\n## N\ny\n"), &[]),
            (NESTED, "@@ # A\n@@ ## N\n-x\n+y\n", Ok("# A\n## N\ny\n# B\n## N\nx\n"), &[]),
            (NESTED, "@@ # C\n@@ ## N\n-x\n+y\n", Err("NOT_FOUND"), &[]),
            ("# A\n## N\nx\n# B\n", "@@ # B\n@@ ## N\n-x\n+y\n", Err("NOT_FOUND"), &[]),
        ],
    ),
    (
        "how anchors compare",
        &[
            (TWICE, "@@ # B\n-- x\n+- y\n", Ok("# A\n- x\n# B\n- y\n"), &[]),
            (TWICE, "@@ # A\n-- x\n+- y\n", Ok("# A\n- y\n# B\n- x\n"), &[]),
            (TWICE, "@@ # b\n-- x\n+- y\n", Err("NOT_FOUND"), &[]),
            (TWICE, "@@ # B \n-- x\n+- y\n", Err("NOT_FOUND"), &[]),
            (NESTED, "@@ ## N\n-x\n+y\n", Err("AMBIGUOUS"), &[]),
            ("a\nx\nx\n", "@@ a\n-x\n+y\n", Err("AMBIGUOUS"), &[]),
            ("x\na\nx\n", "@@ a\n-x\n+y\n", Ok("x\na\ny\n"), &[]),
            // The scope begins below the anchor.
            ("x\na\n", "@@ a\n-x\n+y\n", Err("NOT_FOUND"), &[]),
            ("a\nb\n", "@@ a\n-a\n+c\n", Err("NOT_FOUND"), &[]),
        ],
    ),
    (
        "a header with numbers",
        &[
            (TWICE, "@@ -4,1 +4,1 @@\n-- x\n+- y\n", Ok("# A\n- x\n# B\n- y\n"), &[]),
            (TWICE, "@@ -4,2 +4,1 @@\n-- x\n+- y\n", Err("AMBIGUOUS"), &[]),
            (TWICE, "@@ -4,1 +5,1 @@\n-- x\n+- y\n", Err("AMBIGUOUS"), &[]),
            (TWICE, "@@ -3,1 +3,1 @@\n-- x\n+- y\n", Err("AMBIGUOUS"), &[]),
            (
                TWICE,
                "@@ -2,1 +2,2 @@\n-- x\n+- y\n+z\n@@ -4 +5 @@\n-- x\n+- v\n",
                Ok("# A\n- y\nz\n# B\n- v\n"),
                &[],
            ),
            (TWICE, "@@ -2,1 +2,2 @@\n-- x\n+- y\n+z\n@@ -4 +4 @@\n-- x\n+- v\n", Err("AMBIGUOUS"), &[]),
            ("a\nb\n", "@@ -9,1 +9,1 @@\n-b\n+c\n", Ok("a\nc\n"), &[]),
        ],
    ),
    ("an anchor and nothing but added lines", &[("a\nb\n", "@@ a\n+x\n", Err("NO_ANCHOR"), &[])]),
    (
        "no anchor and nothing but added lines",
        &[
            ("a\nb\n", "@@\n+x\n", Err("NO_ANCHOR"), &[]),
            ("a\nb\n", "+x\n", Err("NO_ANCHOR"), &[]),
            ("", "@@\n+x\n", Ok("x\n"), &[]),
        ],
    ),
    (
        "added lines before the end of file",
        &[
            ("a\nb", "@@\n+x\n*** End of File\n", Ok("a\nb\nx"), &[]),
            ("a\nb\n", "@@\n+x\n*** End of File\n", Ok("a\nb\nx\n"), &[]),
            ("a\r\n", "@@\n+x\n*** End of File\n", Ok("a\r\nx\r\n"), &["EOL_ADAPTED"]),
            ("a\nb\n", "@@\n-a\n+c\n@@\n+x\n*** End of File\n", Ok("c\nb\nx\n"), &[]),
        ],
    ),
    (
        "an end of file elsewhere",
        &[
            ("a\nb\n", "@@\n-a\n+x\n*** End of File\n", Err("NOT_FOUND"), &[]),
            (TWICE, "@@\n-- x\n+- y\n*** End of File\n", Ok("# A\n- x\n# B\n- y\n"), &[]),
            ("a\nb\n", "*** End of File\n", Err("BAD_LINE"), &[]),
        ],
    ),
    (
        "nothing that changes",
        &[
            ("a\n", "", Err("EMPTY"), &[]),
            ("a\n", "\n\n", Err("EMPTY"), &[]),
            ("a\n", "@@\n a\n", Err("NO_EFFECT"), &[]),
            ("a\n", "@@\n-a\n+a\n", Err("NO_EFFECT"), &[]),
            ("a\nb\n", "@@\n-a\n+c\n@@\n b\n", Err("NO_EFFECT"), &[]),
        ],
    ),
    (
        "a blank line without its space",
        &[
            ("a\n\nb\n", "@@\n a\n\n-b\n+c\n", Ok("a\n\nc\n"), &["BLANK_CONTEXT"]),
            ("a\nb\n", "@@\n-b\n+c\n\n\n", Ok("a\nc\n"), &["BLANK_CONTEXT", "SEPARATOR_DROPPED"]),
            ("a\nb\n", "\n@@\n-b\n+c\n", Ok("a\nc\n"), &[]),
        ],
    ),
    (
        "an envelope within the diff",
        &[("a\n", ENVELOPE, Ok("b\n"), &[]), ("a\n", OTHER, Err("FILE_NOT_FOUND"), &[])],
    ),
    (
        "a rule of asterisks without its prefix",
        &[
            ("a\n***\nb\n", "@@\n a\n***\n-b\n+c\n", Err("BAD_LINE"), &[]),
            ("a\n***\nb\n", "@@\n a\n ***\n-b\n+c\n", Ok("a\n***\nc\n"), &[]),
            ("a\n", "@@\n-a\n+b\n\\ No newline at end of file\n", Err("BAD_LINE"), &[]),
        ],
    ),
    (
        "hunks out of order",
        &[
            ("a\nb\n", "@@\n-b\n+c\n@@\n-a\n+x\n", Err("MISORDERED"), &[]),
            ("a\nb\n", "@@\n-a\n+x\n@@\n-b\n+c\n", Ok("x\nc\n"), &[]),
            ("a\nb\n", "@@\n-a\n+x\n@@\n a\n-b\n+c\n", Err("OVERLAP"), &[]),
        ],
    ),
    (
        "the final newline",
        &[
            ("a\nb", "@@\n-b\n+c\n", Ok("a\nc"), &["EOF_MARKER_IGNORED"]),
            ("a\nb\n", "@@\n-b\n+c", Ok("a\nc\n"), &[]),
        ],
    ),
    (
        "terminators",
        &[
            ("a\r\nb\r\n", "@@\n-b\n+c\n+d\n", Ok("a\r\nc\r\nd\r\n"), &["EOL_ADAPTED"]),
            ("a\r\nb\r\n", "@@\r\n-b\r\n+c\r\n", Ok("a\r\nc\r\n"), &["EOL_ADAPTED"]),
            ("a\nb\n", "@@\r\n-b\r\n+c\r\n", Ok("a\nc\n"), &[]),
            ("a\nb\r\nc\n", "@@\n a\n b\n+x\n c\n", Ok("a\nb\r\nx\r\nc\n"), &["EOL_ADAPTED"]),
        ],
    ),
    (
        "another file, a move, a deletion",
        &[
            ("a\n", "@@\n-a\n+b\n*** Delete File: plan.md\n", Err("UNSUPPORTED_OP"), &[]),
            ("a\n", "@@\n-a\n+b\n*** Update File: other.md\n@@\n-a\n+b\n", Err("MULTI_FILE"), &[]),
            ("a\n", "@@\n-a\n+b\n*** Update File: plan.md\n@@\n-a\n+b\n", Err("MULTI_FILE"), &[]),
            ("a\n", "*** Move to: b.md\n@@\n-a\n+b\n", Err("BAD_LINE"), &[]),
            ("a\n", "--- a/plan.md\n+++ b/plan.md\n@@\n-a\n+b\n", Err("NOT_FOUND"), &[]),
        ],
    ),
];

#[test]
fn rulings() {
    for (ruling, cases) in RULINGS {
        for (text, diff, expected, repairs) in *cases {
            let call = json!({"type": "update_file", "path": PATH, "diff": diff});
            let seen = check(Dialect::ApplyPatch, text, &call, *expected);
            assert_eq!(seen, *repairs, "{ruling}: {diff:?} on {text:?}");
            let call = json!({"type": "update_file", "path": "other.md", "diff": diff});
            check(Dialect::ApplyPatch, text, &call, Err("FILE_NOT_FOUND"));
            // An envelope has a section of its own, and takes moves and other files for what they are.
            let is_hunks = !diff.contains("*** Begin") && !diff.contains("File: ") && !diff.contains("Move");
            if is_hunks {
                let newline = if diff.is_empty() || diff.ends_with('\n') { "" } else { "\n" };
                let input = format!("*** Begin Patch\n*** Update File: {PATH}\n{diff}{newline}*** End Patch");
                let seen = check(Dialect::CodexPatch, text, &json!({"input": input}), *expected);
                assert_eq!(seen, *repairs, "{ruling}: {diff:?} on {text:?}");
            }
        }
    }
}

#[test]
fn operations() {
    for (text, call, expected) in [
        ("", json!({"type": "create_file", "path": PATH, "diff": "+a\n+\n+b\n"}), Ok("a\n\nb\n")),
        ("", json!({"type": "create_file", "path": PATH, "diff": "a\n"}), Err("BAD_LINE")),
        ("", json!({"type": "create_file", "path": PATH, "diff": ""}), Err("EMPTY")),
        ("", json!({"type": "create_file", "path": "other.md", "diff": "+a\n"}), Err("FILE_NOT_FOUND")),
        ("a\n", json!({"type": "create_file", "path": PATH, "diff": "+a\n"}), Err("ALREADY_EXISTS")),
        ("a\n", json!({"type": "delete_file", "path": PATH}), Err("UNSUPPORTED_OP")),
        ("a\n", json!({"type": "delete_file", "path": "other.md"}), Err("FILE_NOT_FOUND")),
        ("a\n", json!({"type": "update_file", "path": PATH}), Err("EMPTY")),
        ("a\n", json!({"type": "rename", "path": PATH}), Err("INVALID_ARGUMENTS")),
    ] {
        check(Dialect::ApplyPatch, text, &call, expected);
    }
}

#[test]
fn envelopes() {
    let update = "*** Begin Patch\n*** Update File: plan.md\n";
    for (text, input, expected) in [
        ("a\n", format!("{update}@@\n-a\n+b\n"), Err("TRUNCATED")),
        ("a\n", format!("{update}@@\n-a\n+b\n*** End Patch\nand more"), Err("UNEXPECTED_TEXT")),
        ("a\n", format!("{update}*** Move to: b.md\n@@\n-a\n+b\n*** End Patch\n"), Err("UNSUPPORTED_OP")),
        (
            "a\n",
            format!("{update}@@\n-a\n+b\n*** Update File: plan.md\n@@\n-a\n+b\n*** End Patch"),
            Err("MULTI_FILE"),
        ),
        ("a\n", format!("{update}@@\n-a\n+b\n*** Add File: b.md\n+x\n*** End Patch"), Err("MULTI_FILE")),
        ("a\n", format!("{update}@@\n-a\n+b\n*** Delete File: b.md\n*** End Patch"), Err("UNSUPPORTED_OP")),
        ("a\n", "*** Begin Patch\n*** Delete File: plan.md\n*** End Patch".into(), Err("UNSUPPORTED_OP")),
        ("a\n", "*** Begin Patch\n@@\n-a\n+b\n*** End Patch".into(), Err("BAD_HEADER")),
        ("a\n", "*** Begin Patch\n*** End Patch".into(), Err("NO_HUNKS")),
        ("a\n", format!("{update}*** End Patch"), Err("EMPTY")),
        ("a\n", "@@\n-a\n+b\n".into(), Err("UNEXPECTED_TEXT")),
        ("a\n", "{\"input\": \"*** Begin Patch\"}".into(), Err("UNEXPECTED_TEXT")),
        ("", "*** Begin Patch\n*** Add File: plan.md\n+a\n*** End Patch\n".into(), Ok("a\n")),
        ("", "*** Begin Patch\n*** Add File: b.md\n+a\n*** End Patch\n".into(), Err("FILE_NOT_FOUND")),
        ("a\n", "*** Begin Patch\n*** Add File: plan.md\n+a\n*** End Patch\n".into(), Err("ALREADY_EXISTS")),
        ("a\n", OTHER.into(), Err("FILE_NOT_FOUND")),
        // Lines of the document may read like the envelope, behind their prefix.
        ("*** End Patch\n", format!("{update}@@\n-*** End Patch\n+b\n*** End Patch\n"), Ok("b\n")),
        (
            "a\n",
            format!("{update}@@\n-a\n+*** Delete File: a\n+*** Move to: b\n*** End Patch\n"),
            Ok("*** Delete File: a\n*** Move to: b\n"),
        ),
        ("a\n", format!("\n{update}@@\n-a\n+b\n*** End Patch\n\n"), Ok("b\n")),
        ("a\r\n", format!("{update}@@\n-a\n+b\n*** End Patch\n").replace('\n', "\r\n"), Ok("b\r\n")),
    ] {
        check(Dialect::CodexPatch, text, &json!({"input": input}), expected);
    }
    check(Dialect::CodexPatch, "a\n", &json!({"input": "", "path": "plan.md"}), Err("INVALID_ARGUMENTS"));
}

proptest! {
    /// Codex names the environment if there are several; the document is the same in all of them.
    #[test]
    fn an_environment_is_read_past(
        id in "[^\r\n]{0,24}",
        end in prop::sample::select(vec!["\n", "\r\n"]),
        add: bool,
        wrong in 0..3,
    ) {
        let (text, file) = match add {
            true => ("", "*** Add File: plan.md\n+b\n"),
            false => ("a\n", "*** Update File: plan.md\n@@\n-a\n+b\n"),
        };
        let environment = format!("*** Environment ID:{id}{end}");
        let input = format!("*** Begin Patch\n{environment}{file}*** End Patch\n");
        check(Dialect::CodexPatch, text, &json!({"input": input}), Ok("b\n"));
        let (input, code) = match wrong {
            0 => (format!("{environment}*** Begin Patch\n{file}*** End Patch\n"), "UNEXPECTED_TEXT"),
            1 => (format!("*** Begin Patch\n{environment}{environment}{file}*** End Patch\n"), "BAD_HEADER"),
            _ => (format!("*** Begin Patch\n{file}*** End Patch\n{environment}"), "UNEXPECTED_TEXT"),
        };
        check(Dialect::CodexPatch, text, &json!({"input": input}), Err(code));
    }
}

/// Too many places to look at are never taken for one.
#[test]
fn places_beyond_counting() {
    for above in (0..18).map(|power| (1 << power) - 1) {
        let text = "x\n".repeat(above) + "# A\nx\nx\n";
        let call = json!({"type": "update_file", "path": PATH, "diff": "@@ # A\n-x\n+y\n"});
        check(Dialect::ApplyPatch, &text, &call, Err("AMBIGUOUS"));
    }
}

/// A fault names the line that differs, or the lines that do not count.
#[test]
fn faults_name_lines_of_the_document() {
    let options = NativeOptions { path: PATH, ..NativeOptions::default() };
    for (text, diff, expected) in [
        (TWICE, "@@ # B \n-- x\n+- y\n", &[(1, Some(3), &[][..])][..]),
        (TWICE, "@@\n # B\n-- X\n+- y\n@@ # b\n-- x\n+- z\n", &[(1, Some(4), &[]), (2, Some(3), &[])]),
        // It is there, but above the anchor, or not at the end.
        ("b\nx\na\n", "@@ a\n-x\n+y\n", &[(1, Some(2), &[])]),
        ("a\nb\nc\n", "@@\n-b\n+x\n*** End of File\n", &[(1, Some(2), &[2])]),
        (TWICE, "@@\n-- x\n+- y\n", &[(1, None, &[2, 4])]),
    ] {
        let call = json!({"type": "update_file", "path": PATH, "diff": diff});
        let refused = apply_native(Dialect::ApplyPatch, text, &call, &options).unwrap_err();
        let seen: Vec<_> =
            refused.conflicts().iter().map(|one| (one.hunk, one.line, &*one.candidates)).collect();
        assert_eq!(seen, expected, "{diff:?}");
    }
}

/// A fault names the line of the patch as it was sent, the envelope counted.
#[test]
fn faults_have_their_line() {
    let options = NativeOptions { path: PATH, ..NativeOptions::default() };
    let diff = "@@\n a\n***\n-b\n";
    let sent = format!("*** Begin Patch\n*** Update File: {PATH}\n{diff}*** End Patch\n");
    for (dialect, call, line) in [
        (Dialect::ApplyPatch, json!({"type": "update_file", "path": PATH, "diff": diff}), 3),
        (Dialect::CodexPatch, json!({"input": sent}), 5),
        // A first hunk needs no header.
        (Dialect::ApplyPatch, json!({"type": "update_file", "path": PATH, "diff": "\n-z\n+b\n"}), 2),
    ] {
        let refused = apply_native(dialect, "a\n***\nb\n", &call, &options).unwrap_err();
        assert_eq!(refused.conflicts()[0].patch_line, Some(line), "{dialect}");
    }
}
