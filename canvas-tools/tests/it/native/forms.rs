//! Tables of calls by strings, lines and blocks: the text that each leads to, or the reason of its refusal.

use canvas_tools::{Dialect, NativeOptions, apply_native};
use serde_json::json;

use crate::native::check::check;

#[test]
fn strings() {
    let long = "x".repeat(9_000);
    for (text, old, new, all, expected) in [
        ("- buy milk\n", "milk", "bread", false, Ok("- buy bread\n")),
        ("aaa", "aa", "b", false, Err("AMBIGUOUS")),
        ("aaa", "aa", "b", true, Err("AMBIGUOUS")),
        ("aaaa", "aa", "b", true, Err("AMBIGUOUS")),
        ("abab", "ab", "c", true, Ok("cc")),
        ("a b a", "a", "c", true, Ok("c b c")),
        ("a b a", "a", "c", false, Err("AMBIGUOUS")),
        // Each place has the terminator of the line above it.
        ("x\r\nx\nx", "x", "y\nz", true, Ok("y\r\nz\r\ny\r\nz\ny\nz")),
        ("a\n", "", "b", false, Err("NO_ANCHOR")),
        ("", "", "b\n", false, Ok("b\n")),
        ("", "a", "b\n", false, Err("NOT_FOUND")),
        ("a\n", "a", "a", false, Err("NO_EFFECT")),
        ("a\r\n", "a\n", "a\r\n", false, Err("NO_EFFECT")),
        ("a\n", "A", "b", false, Err("NOT_FOUND")),
        ("a \n", "a\n", "b\n", false, Err("NOT_FOUND")),
        ("a\r\nb\r\nc\r\n", "a\nb", "a\nx\nb", false, Ok("a\r\nx\r\nb\r\nc\r\n")),
        ("a\nb\n", "a\r\nb", "a\r\nx", false, Ok("a\nx\n")),
        ("a\nb\r\nc\n", "a\nb\nc", "a\nb\nx\nc", false, Ok("a\nb\r\nx\r\nc\n")),
        ("a\r\nb", "b\n", "c\n", false, Ok("a\r\nc")),
        ("b\nxb", "b\n", "c\n", false, Ok("c\nxb")),
        ("a\nb\n", "b\n\n", "c\n\n", false, Err("NOT_FOUND")),
        ("a\nb", "b\n\n", "c\n", false, Err("NOT_FOUND")),
        ("a\n", "\n\n", "\n", false, Err("NOT_FOUND")),
        ("a\r\nb\r\n", "b\r\n\r\n", "c\r\n", false, Err("NOT_FOUND")),
        ("ä\u{0}ö", "\u{0}", "", false, Ok("äö")),
        ("ää", "ä", "a", true, Ok("aa")),
        ("a\rb", "a\rb", "c", false, Ok("c")),
        ("a\nb\n", "a\n", "", false, Ok("b\n")),
        ("short", &*long, "b", false, Err("NOT_FOUND")),
    ] {
        let call = json!({"file_path": "plan.md", "old_string": old, "new_string": new, "replace_all": all});
        check(Dialect::Edit, text, &call, expected);
        let call =
            json!({"file_path": "plan.md", "old_string": old, "new_string": new, "allow_multiple": all});
        check(Dialect::Replace, text, &call, expected);
        if !all && !text.is_empty() {
            let call = json!({"command": "str_replace", "path": "/plan.md", "old_str": old, "new_str": new});
            check(Dialect::TextEditor, text, &call, expected);
        }
    }
}

/// Terminators that are not those of the call are told, whether of the old text or of the new.
#[test]
fn repairs_of_strings() {
    for (text, old, new, after, expected) in [
        ("a\nb\n", "a\nb", "a\nc", "a\nc\n", &[][..]),
        ("a\r\nb\r\n", "a\r\nb", "a\r\nc", "a\r\nc\r\n", &[]),
        ("a\r\nb\r\n", "a\nb", "c", "c\r\n", &["EOL_ADAPTED"]),
        ("a\r\nb\r\n", "a", "c\nd", "c\r\nd\r\nb\r\n", &["EOL_ADAPTED"]),
        ("a\r\nb\r\n", "a", "c\r\nd", "c\r\nd\r\nb\r\n", &[]),
        ("a\r\nb\r\n", "a", "c", "c\r\nb\r\n", &[]),
        ("a\nb", "b\n", "c\n", "a\nc", &["EOF_MARKER_IGNORED"]),
        ("a\r\nb", "b\n", "c\nd\n", "a\r\nc\r\nd", &["EOL_ADAPTED", "EOF_MARKER_IGNORED"]),
    ] {
        let call = json!({"file_path": "plan.md", "old_string": old, "new_string": new});
        assert_eq!(check(Dialect::Edit, text, &call, Ok(after)), expected, "{old:?} in {text:?}");
    }
}

#[test]
fn text_editor() {
    let text = "a\nb\n";
    for (text, call, expected) in [
        (text, json!({"command": "insert", "insert_line": 0, "insert_text": "x"}), Ok("x\na\nb\n")),
        (text, json!({"command": "insert", "insert_line": 1, "new_str": "x\n\n"}), Ok("a\nx\n\nb\n")),
        (text, json!({"command": "insert", "insert_line": 2, "insert_text": "x"}), Ok("a\nb\nx\n")),
        ("a\r\nb", json!({"command": "insert", "insert_line": 2, "insert_text": "x"}), Ok("a\r\nb\r\nx")),
        ("", json!({"command": "insert", "insert_line": 0, "insert_text": "x\n"}), Ok("x\n")),
        (text, json!({"command": "insert", "insert_line": 3, "insert_text": "x"}), Err("INVALID_RANGE")),
        (text, json!({"command": "insert", "insert_line": -1, "insert_text": "x"}), Err("INVALID_RANGE")),
        (text, json!({"command": "insert", "insert_line": 1, "insert_text": ""}), Err("NO_EFFECT")),
        (
            text,
            json!({"command": "insert", "insert_line": 1, "insert_text": "x", "new_str": "y"}),
            Err("INVALID_ARGUMENTS"),
        ),
        (
            text,
            json!({"command": "insert", "insert_line": 1, "insert_text": "x", "new_str": "x"}),
            Ok("a\nx\nb\n"),
        ),
        (text, json!({"command": "str_replace", "old_str": "b\n"}), Ok("a\n")),
        (text, json!({"command": "str_replace"}), Err("INVALID_ARGUMENTS")),
        (text, json!({"command": "create", "file_text": "x"}), Err("ALREADY_EXISTS")),
        ("", json!({"command": "create", "file_text": "x"}), Ok("x")),
        ("", json!({"command": "create", "file_text": ""}), Err("NO_EFFECT")),
        (text, json!({"command": "undo_edit"}), Err("UNSUPPORTED_OP")),
        (text, json!({"command": "delete"}), Err("INVALID_ARGUMENTS")),
        (text, json!({"command": "view"}), Ok(text)),
        (text, json!({"command": "view", "view_range": [2, -1]}), Ok(text)),
        (text, json!({"command": "view", "view_range": [3, 4]}), Err("INVALID_RANGE")),
        (text, json!({"command": "view", "view_range": [2, 1]}), Err("INVALID_RANGE")),
    ] {
        let mut call = call;
        call["path"] = "./plan.md".into();
        check(Dialect::TextEditor, text, &call, expected);
        call["path"] = "other.md".into();
        let expected = if expected == Err("INVALID_ARGUMENTS") && call["command"] == "delete" {
            "INVALID_ARGUMENTS"
        } else {
            "FILE_NOT_FOUND"
        };
        check(Dialect::TextEditor, text, &call, Err(expected));
    }
    let options = NativeOptions::default();
    let call = json!({"command": "view", "path": "document.md", "view_range": [2, 9]});
    let seen = apply_native(Dialect::TextEditor, "a\nb\nc\n", &call, &options).map(|edit| edit.message);
    let expected = "Here's the content of document.md with line numbers:\n     2\tb\n     3\tc\n";
    assert_eq!(seen.as_deref(), Ok(expected));
}

#[test]
fn search_replace() {
    fn block(search: &str, replace: &str) -> String {
        format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
    }
    for (text, sent, expected) in [
        ("a\nb\n", block("b\n", "c\n"), Ok("a\nc\n")),
        ("a\nb\n", format!("Here:\n\nplan.md\n```markdown\n{}```\nDone.\n", block("b\n", "")), Ok("a\n")),
        ("a\nb\n", format!("other.md\n{}", block("b\n", "c\n")), Err("FILE_NOT_FOUND")),
        ("a\nb\n", format!("other.md\n\n```markdown\n{}```\n", block("b\n", "c\n")), Err("FILE_NOT_FOUND")),
        ("a\na\n", block("a\n", "c\n"), Err("AMBIGUOUS")),
        ("xa\n", block("a\n", "c\n"), Err("NOT_FOUND")),
        ("a\n", block("a\n", "a\n"), Err("NO_EFFECT")),
        ("a\n", block("", "c\n"), Err("NO_ANCHOR")),
        ("", block("", "c\n"), Ok("c\n")),
        ("a\nb\n", block("b\n", "c\n") + &block("a\n", "x\n"), Ok("x\nc\n")),
        ("a\nb\n", block("b\n", "c\n") + &block("z\n", "x\n"), Err("NOT_FOUND")),
        ("a\nb\n", block("b\n", "c\n") + &block("b\n", "x\n"), Err("OVERLAP")),
        ("T\n===\n", block("T\n===\n", "U\n===\n"), Ok("U\n===\n")),
        ("T\n=======\n", block("T\n=======\n", "U\n"), Err("BAD_MARKER")),
        ("T\n=======\n", block("T\n\\=======\n", "U\n"), Ok("U\n")),
        ("T\n\\=======\n", block("T\n\\\\=======\n", "U\n"), Ok("U\n")),
        ("T\n---\n", block("T\n---\n", "U\n"), Ok("U\n")),
        ("T\n===\n", "------- SEARCH\nT\n===\n===\nU\n+++++++ REPLACE\n".into(), Err("BAD_MARKER")),
        ("a\n", "------- SEARCH\na\n===\nU\n+++++++ REPLACE\n".into(), Ok("U\n")),
        ("a\n", "<<<<<<< SEARCH\na\n=======\nb\n".into(), Err("TRUNCATED")),
        ("a\n", "<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n".into(), Err("BAD_MARKER")),
        ("a\n", "=======\n".into(), Err("BAD_MARKER")),
        // Neither is a block that passes for prose.
        ("a\n", format!("{}<<<<< SEARCH\nb\n=======\n", block("a\n", "c\n")), Err("BAD_MARKER")),
        ("a\n", format!("{}<<<<<<< HEAD\n", block("a\n", "c\n")), Err("BAD_MARKER")),
        ("a\n", format!("{}>>>>>>>>> REPLACE\n", block("a\n", "c\n")), Err("BAD_MARKER")),
        ("a\n", format!("{}<<<<<<< SEA", block("a\n", "c\n")), Err("BAD_MARKER")),
        ("a\n", format!("{}<<<", block("a\n", "c\n")), Err("TRUNCATED")),
        ("a\n", format!("{}---", block("a\n", "c\n")), Ok("c\n")),
        ("a\n", "a\nb\n".into(), Err("NO_HUNKS")),
        ("a\na\n", block(":start_line:2\n-------\na\n", "c\n"), Ok("a\nc\n")),
        ("a\na\n", block(":start_line:3\n-------\na\n", "c\n"), Err("AMBIGUOUS")),
        (
            "-------\na\n",
            "<<<<<<< SEARCH\n:start_line:1\na\n=======\nb\n>>>>>>> REPLACE\n".into(),
            Err("BAD_MARKER"),
        ),
        ("-------\na\n", block(":start_line:1\n-------\n-------\na\n", "b\n"), Ok("b\n")),
        ("a\r\nb\r\n", block("b\n", "c\nd\n"), Ok("a\r\nc\r\nd\r\n")),
        ("a\nb", block("b\n", "c\n"), Ok("a\nc")),
    ] {
        check(Dialect::SearchReplace, text, &json!({"text": sent}), expected);
    }
}

/// The trained sentence comes first, then our code, then the lines.
#[test]
fn refusals_show_the_places() {
    fn block(search: &str) -> String {
        format!("<<<<<<< SEARCH\n{search}=======\ny\n>>>>>>> REPLACE\n")
    }
    let options = NativeOptions::default();
    for (dialect, text, call, expected) in [
        (
            Dialect::Edit,
            "x\na\nx\n",
            json!({"file_path": "document.md", "old_string": "x", "new_string": "y"}),
            "edit: old_string appears 2 times in document.md (must be unique)\n\
             AMBIGUOUS: ADVICE\n\
             L1: x\nL2: a\nL3: x",
        ),
        (
            Dialect::TextEditor,
            "a\nb\nc\nd\n",
            json!({"command": "str_replace", "path": "document.md", "old_str": "b\nC\n", "new_str": "y"}),
            "Error: No match found for replacement. Please check your text and try again.\n\
             NOT_FOUND: ADVICE\n\
             expected \"C\", line 3 has \"c\"\n\
             L2: b\nL3: c\nL4: d",
        ),
        (
            Dialect::TextEditor,
            "a\n",
            json!({"command": "str_replace", "path": "document.md"}),
            "Error: /old_str: str_replace needs old_str\n\
             INVALID_ARGUMENTS: ADVICE",
        ),
        // Only blocks at fault are counted, and of those the ones that share the reason of the first.
        (
            Dialect::SearchReplace,
            "a\nb\nc\nd\n",
            json!({"text": block("a\n") + &block("b\nC\n")}),
            "# 1 SEARCH/REPLACE block failed to match in document.md! None was applied.\n\
             ## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in document.md\n\
             b\nC\n\
             NOT_FOUND: ADVICE\n\
             expected \"C\", line 3 has \"c\"\n\
             L2: b\nL3: c\nL4: d",
        ),
        (
            Dialect::SearchReplace,
            "x\na\nx\na\n",
            json!({"text": block("x\n") + &block("a\n") + &block("")}),
            "# 2 SEARCH/REPLACE blocks matched several places in document.md! None was applied.\n\
             AMBIGUOUS: ADVICE\n\
             L1: x\nL2: a\nL3: x\nL4: a",
        ),
        (
            Dialect::SearchReplace,
            "a\n",
            json!({"text": block("")}),
            "# 1 SEARCH/REPLACE block with an empty SEARCH section failed to match in document.md! None was applied.\n\
             NO_ANCHOR: ADVICE",
        ),
    ] {
        let refused = apply_native(dialect, text, &call, &options).expect_err("it is refused");
        let advice = refused.conflicts()[0].reason.advice();
        assert_eq!(refused.to_string(), expected.replace("ADVICE", advice));
    }
}

/// A fault names the block, and the line of what was sent.
#[test]
fn faults_of_blocks_have_their_place() {
    const BLOCK: &str = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    for (sent, code, block, line) in [
        // A marker too many belongs to the block above, one of another length to the block that it would begin.
        ("=======\n", "BAD_MARKER", 1, 6),
        (">>>>>>> REPLACE\n", "BAD_MARKER", 1, 6),
        ("+++++++ REPLACE\n", "BAD_MARKER", 1, 6),
        ("\n<<<<< SEARCH\n", "BAD_MARKER", 2, 7),
        ("\n<<<", "TRUNCATED", 2, 7),
        ("<<<<<<< SEARCH\n:start_line:1\na\n", "BAD_MARKER", 2, 8),
        ("<<<<<<< SEARCH\n:start_line:x\n", "BAD_MARKER", 2, 7),
        ("<<<<<<< SEARCH\na\n<<<<<<< SEARCH\n", "BAD_MARKER", 2, 8),
        ("<<<<<<< SEARCH\na\n=======\n=======\n", "BAD_MARKER", 2, 9),
        ("<<<<<<< SEARCH\na\n=======\n", "TRUNCATED", 2, 6),
        ("<<<<<<< SEARCH\nz\n=======\nb\n>>>>>>> REPLACE\n", "NOT_FOUND", 2, 6),
    ] {
        let call = json!({"text": format!("{BLOCK}{sent}")});
        let refused = apply_native(Dialect::SearchReplace, "a\n", &call, &NativeOptions::default());
        let refused = refused.expect_err("it is refused");
        let fault = &refused.conflicts()[0];
        assert_eq!(
            (fault.reason.code(), fault.hunk, fault.patch_line),
            (code, block, Some(line)),
            "{sent:?}"
        );
    }
}
