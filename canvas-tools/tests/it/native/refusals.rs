//! What a refusal in a dialect shows: the place, what differs there, and what tells places apart.

use canvas_tools::{Dialect, NativeError, NativeOptions, apply_native};
use serde_json::{Value, json};

fn refused(dialect: Dialect, text: &str, call: &Value) -> NativeError {
    let options = NativeOptions { path: "document.md", ..NativeOptions::default() };
    apply_native(dialect, text, call, &options).expect_err("it is refused")
}

/// The same old text in every dialect that replaces text.
fn replacing(old: &str) -> [(Dialect, Value); 3] {
    let edit = json!({"file_path": "document.md", "old_string": old, "new_string": "new"});
    let replace =
        json!({"file_path": "document.md", "instruction": "i", "old_string": old, "new_string": "new"});
    let editor = json!({"command": "str_replace", "path": "document.md", "old_str": old, "new_str": "new"});
    [(Dialect::Edit, edit), (Dialect::Replace, replace), (Dialect::TextEditor, editor)]
}

#[test]
fn a_near_miss_inside_a_line_is_found_there() {
    let long = format!(
        "{}the quick brown fox jumps over the lazy dog, twice a day; {}",
        "x ".repeat(400),
        "y ".repeat(400)
    );
    let japanese = "- カレントディレクトリ（とサブディレクトリ）全体を公開するなら、こうする。";
    let text = format!("# Notes\n\n{long}\n\n{japanese}\r\n\n🦀🦀 tests\tpass every time, mostly\n");
    for (old, line, column) in [
        ("brown fox jumps ower the lazy dog", 3, 828),
        ("quick brown dog jumps over the lazy dog, twice a day", 3, 817),
        ("the quick brown fox jumps over the lazy dog, twice a week", 3, 854),
        ("カレントディレクトリ（とサブディレクトリ）全部を公開する", 5, 25),
        ("🦀🦀 tests pass every time, mostly", 7, 9),
        ("tests\tpass every day, mostly", 7, 21),
    ] {
        for (dialect, call) in replacing(old) {
            let refused = refused(dialect, &text, &call);
            let conflict = &refused.conflicts()[0];
            let found = (conflict.line, conflict.mismatch.as_ref().map(|mismatch| mismatch.column));
            assert_eq!(found, (Some(line), Some(column)), "{dialect} {old}: {refused}");
            assert!(refused.to_string().contains(&format!("L{line}: ")), "{refused}");
        }
    }
}

/// The first time and every time: no line is shown for want of a better one.
#[test]
fn text_that_nothing_is_like_is_said_to_be_so() {
    let text = "🌍 first\n\nsecond line\n\nthird line\n";
    for (dialect, call) in replacing("Quantum banana") {
        let refused = refused(dialect, text, &call);
        let conflict = &refused.conflicts()[0];
        assert_eq!((conflict.line, &conflict.mismatch), (None, &None), "{dialect}: {refused}");
        let said = refused.to_string();
        assert!(said.contains("no text") && !said.contains("🌍"), "{said}");
    }
}

#[test]
fn places_that_read_alike_stand_between_their_neighbours() {
    let text = "# A\n\n```sh\nmake a\n```\n\n# B\n\n```sh\nmake b\n```\n\n# C\n\n```sh\nmake c\n```\n\n# D\n\n```sh\nmake d\n```\n";
    for (dialect, call) in replacing("```sh\n") {
        let said = refused(dialect, text, &call).to_string();
        for line in ["L3: ```sh", "L4: make a", "L9: ```sh", "L10: make b", "L15: ```sh", "L16: make c"] {
            assert!(said.contains(line), "{dialect}: {said}");
        }
        assert!(!said.contains("make d"), "at most three: {said}");
    }
}

#[test]
fn what_nobody_sees_is_named() {
    let text = "one\u{a0}two three four five\nx\n";
    for (dialect, call) in replacing("one two three four five") {
        let said = refused(dialect, text, &call).to_string();
        assert!(said.contains("U+0020") && said.contains("U+00A0"), "{dialect}: {said}");
    }
    // A number that a view puts before a line is no part of it.
    for (dialect, call) in replacing("     2→x\n") {
        let refused = refused(dialect, "aaaa bbbb cccc\nx\n", &call);
        let hint = refused.conflicts()[0].mismatch.as_ref().and_then(|mismatch| mismatch.difference.hint());
        assert!(refused.to_string().contains(hint.expect("a hint about the number")), "{dialect}: {refused}");
    }
}

/// The lines are there, and the text after `@@` stands below them.
#[test]
fn lines_above_their_context_are_said_to_be_there() {
    let text = "# A\n\nalpha\n\n# B\n\nbeta\n";
    for dialect in [Dialect::CodexPatch, Dialect::ApplyPatch] {
        let diff = "@@ # B\n-alpha\n+omega\n";
        let call = match dialect {
            Dialect::CodexPatch => {
                json!({"input": format!("*** Begin Patch\n*** Update File: document.md\n{diff}*** End Patch\n")})
            }
            _ => json!({"type": "update_file", "path": "document.md", "diff": diff}),
        };
        let said = refused(dialect, text, &call).to_string();
        assert!(said.contains("line 3") && said.contains("@@ names"), "{dialect}: {said}");
    }
}
