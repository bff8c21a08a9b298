//! Bad input: refused with the reason, or right; never the first match, never a part.

use canvas_core::text::Limits;
use canvas_tools::native::{Dialect, NativeOptions, RenderOptions, apply_native, render_native};
use serde_json::{Value, json};

use crate::native::check::{PATH, check};

/// A call of each dialect that replaces the line `old` by `new`.
fn calls(old: &str, new: &str) -> [(Dialect, Value); 6] {
    let hunk = format!("@@\n-{old}\n+{new}\n");
    [
        (
            Dialect::TextEditor,
            json!({"command": "str_replace", "path": PATH, "old_str": old, "new_str": new}),
        ),
        (Dialect::ApplyPatch, json!({"type": "update_file", "path": PATH, "diff": hunk})),
        (
            Dialect::CodexPatch,
            json!({"input": format!("*** Begin Patch\n*** Update File: {PATH}\n{hunk}*** End Patch\n")}),
        ),
        (Dialect::Edit, json!({"file_path": PATH, "old_string": old, "new_string": new})),
        (Dialect::Replace, json!({"file_path": PATH, "old_string": old, "new_string": new})),
        (
            Dialect::SearchReplace,
            json!({"text": format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")}),
        ),
    ]
}

#[test]
fn arguments_of_another_shape() {
    for (dialect, call) in calls("a", "b") {
        check(dialect, "a\n", &call, Ok("b\n"));
        let wrapped = json!({"arguments": call});
        let mut more = call.clone();
        more["more"] = 1.into();
        let mut less = call.clone();
        less.as_object_mut()
            .expect("a call is an object")
            .retain(|name, _| name != "path" && name != "file_path");
        for wrong in [json!(call.to_string()), wrapped, more, json!([call]), Value::Null, json!({})] {
            check(dialect, "a\n", &wrong, Err("INVALID_ARGUMENTS"));
        }
        if less != call {
            check(dialect, "a\n", &less, Err("INVALID_ARGUMENTS"));
        }
        let fields = call.as_object().expect("a call is an object").keys();
        for field in fields.cloned().collect::<Vec<_>>() {
            let mut wrong = call.clone();
            wrong[&field] = json!({"text": "a"});
            check(dialect, "a\n", &wrong, Err("INVALID_ARGUMENTS"));
        }
    }
}

/// Lines that hold what some wire or form could stumble over come through as they are.
#[test]
fn odd_lines() {
    for odd in ["\u{0}", "\u{feff}", "a\rb", "\u{2028}", "\u{85}", "😀", "@@", "***", "\\n", "\\ud83d", "\t"]
    {
        let (before, after) = (format!("x\n{odd}\ny\n"), format!("x\n{odd}{odd}\ny\n"));
        for (dialect, call) in calls(odd, &odd.repeat(2)) {
            check(dialect, &before, &call, Ok(&after));
        }
    }
    // Half of a pair of surrogates does not become a string at all.
    assert!(serde_json::from_str::<Value>(r#"{"old_string": "\ud83d"}"#).is_err());
    for (dialect, call) in calls("\u{fffd}", "x") {
        check(dialect, "😀\n", &call, Err("NOT_FOUND"));
    }
}

#[test]
fn terminators_and_the_end_of_the_text() {
    for (dialect, call) in calls("a", "b") {
        for (before, after) in [
            ("a\r\n", "b\r\n"),
            ("a", "b"),
            ("x\r\na", "x\r\nb"),
            ("a\r\nx\n", "b\r\nx\n"),
            ("a\nx\r\n", "b\nx\r\n"),
        ] {
            check(dialect, before, &call, Ok(after));
        }
        check(dialect, "", &call, Err("NOT_FOUND"));
    }
}

#[test]
fn paths() {
    let known = ["plan.md", "/plan.md", "./plan.md", ".//plan.md", " plan.md"];
    let others = ["other.md", "", "../plan.md", "a/plan.md", "plan.md/", "PLAN.md", "plan", "plan.md\u{0}"];
    let expected = |path| if known.contains(path) { Ok("b\n") } else { Err("FILE_NOT_FOUND") };
    for path in known.iter().chain(&others) {
        for (dialect, mut call) in calls("a", "b") {
            match dialect {
                Dialect::TextEditor | Dialect::ApplyPatch => call["path"] = json!(path),
                Dialect::Edit | Dialect::Replace => call["file_path"] = json!(path),
                Dialect::CodexPatch => {
                    let input = call["input"].as_str().expect("it is a string").replace(PATH, path);
                    call["input"] = input.into();
                }
                // What stands above a block is a path or prose, so that only what can be nothing else is refused.
                _ => continue,
            }
            check(dialect, "a\n", &call, expected(path));
        }
    }
}

/// A call that has not arrived whole is refused, whatever is missing: what has arrived is no shorter edit.
#[test]
fn half_calls() {
    let (before, after) = ("# A\n- a\n- b\n\n# B\n- c\n", "# A\n- x\n- b\n\n# B\n- y\n- z\n");
    for (dialect, field) in [(Dialect::CodexPatch, "input"), (Dialect::SearchReplace, "text")] {
        let calls =
            render_native(before, after, dialect, PATH, &RenderOptions::default()).expect("it can be said");
        let whole = calls[0][field].as_str().expect("it is a string");
        let options = NativeOptions { path: PATH, ..NativeOptions::default() };
        for end in (0..whole.trim_end().len()).filter(|end| whole.is_char_boundary(*end)) {
            let half = json!({field: &whole[..end]});
            // Blocks end by themselves: where the first is whole, nothing tells that there is a second.
            let is_whole_block =
                dialect == Dialect::SearchReplace && whole[..end].trim_end().ends_with(">>>>>>> REPLACE");
            let outcome = apply_native(dialect, before, &half, &options);
            assert!(outcome.is_err() || is_whole_block, "{half}");
        }
    }
}

/// Ten megabytes in a call, and lines that all are the same, are refused or right, within seconds in a debug build.
#[test]
fn ten_megabytes() {
    const SIZE: usize = 10 << 20;
    let (long, many) = ("a".repeat(SIZE), "a\n".repeat(SIZE / 20));
    for (dialect, call) in calls("a", &long) {
        check(dialect, "a\n", &call, Ok(&(long.clone() + "\n")));
    }
    // The others share the search of one of these.
    let searching = [Dialect::TextEditor, Dialect::ApplyPatch, Dialect::SearchReplace];
    for (dialect, call) in calls(&long, "b").into_iter().filter(|(dialect, _)| searching.contains(dialect)) {
        check(dialect, "a\n", &call, Err("NOT_FOUND"));
        check(dialect, &long, &call, Ok("b"));
        check(dialect, &many, &call, Err("NOT_FOUND"));
    }
    for (dialect, call) in calls(&"a".repeat(SIZE / 20), "b") {
        let by_string = matches!(dialect, Dialect::TextEditor | Dialect::Edit | Dialect::Replace);
        check(dialect, &"a".repeat(SIZE / 10), &call, Err(if by_string { "AMBIGUOUS" } else { "NOT_FOUND" }));
    }
    for (dialect, call) in calls("a", "b") {
        check(dialect, &many, &call, Err("AMBIGUOUS"));
    }
}

#[test]
fn limits() {
    let limits = Limits { text_bytes: 4_000, patch_bytes: 2_000, hunks: 3 };
    let options = NativeOptions { path: PATH, limits, ..NativeOptions::default() };
    let code = |dialect, text: &str, call: &Value| {
        apply_native(dialect, text, call, &options)
            .map_err(|error| error.conflicts()[0].reason.code())
            .map(|_| ())
    };
    for (dialect, call) in calls("a", "b") {
        assert_eq!(code(dialect, "a\n", &call), Ok(()), "{dialect}");
        assert_eq!(
            code(dialect, &("a\n".to_owned() + &"x\n".repeat(2_000)), &call),
            Err("TOO_LARGE"),
            "{dialect}"
        );
    }
    // The call itself, and what it would lead to.
    let (long, most) = ("b".repeat(2_000), "a\n".to_owned() + &"x".repeat(3_000));
    for (dialect, call) in calls("a", &long) {
        assert_eq!(code(dialect, "a\n", &call), Err("TOO_LARGE"), "{dialect}");
    }
    for (dialect, call) in calls("a", &long[..1_500]) {
        assert_eq!(code(dialect, &most, &call), Err("TOO_LARGE"), "{dialect}");
    }
    // Only the growth counts, however much is replaced.
    let full = "a".repeat(900) + "\n" + &"x".repeat(3_000);
    for (dialect, call) in calls(&full[..900], &long[..900]) {
        assert_eq!(code(dialect, &full, &call), Ok(()), "{dialect}");
    }
    let hunks: String = "abcd".chars().map(|c| format!("@@\n-{c}\n+{c}{c}\n")).collect();
    let call = json!({"type": "update_file", "path": PATH, "diff": hunks});
    assert_eq!(code(Dialect::ApplyPatch, "a\nb\nc\nd\n", &call), Err("TOO_LARGE"));
    let blocks: String =
        "abcd".chars().map(|c| format!("<<<<<<< SEARCH\n{c}\n=======\n{c}{c}\n>>>>>>> REPLACE\n")).collect();
    assert_eq!(code(Dialect::SearchReplace, "a\nb\nc\nd\n", &json!({"text": blocks})), Err("TOO_LARGE"));
}

/// Many anchors, hunks and blocks of lines that repeat take no longer than the text and the call are long.
#[test]
fn many_of_each() {
    let text = "a\n".repeat(10_000);
    let diff = "@@ a\n".repeat(5_000) + "-b\n+c\n" + &"@@\n-a\n+b\n".repeat(2_000);
    let call = json!({"type": "update_file", "path": PATH, "diff": diff});
    check(Dialect::ApplyPatch, &text, &call, Err("NOT_FOUND"));
    let blocks = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n".repeat(2_000);
    check(Dialect::SearchReplace, &text, &json!({"text": blocks}), Err("AMBIGUOUS"));
    // The terminator of a long line is looked for once, whether it is the line above or its own.
    let (call, many) =
        (json!({"file_path": PATH, "old_string": "ab", "new_string": "x\n", "replace_all": true}), 500_000);
    for (above, below) in [("\r\n", ""), ("", "\r\n")] {
        let (before, after) = ("ab".repeat(many), "x\r\n".repeat(many));
        let [before, after] = [before, after].map(|lines| format!("{above}{lines}{below}"));
        check(Dialect::Edit, &before, &call, Ok(&after));
    }
}

/// A line of the document that reads like a marker needs its backslash, and gets it where a change is written.
#[test]
fn escaped_markers() {
    for marker in [
        "<<<<<<< SEARCH",
        "=======",
        ">>>>>>> REPLACE",
        "------- SEARCH",
        "+++++++ REPLACE",
        ":start_line:3",
        "\\=======",
        "\\\\<<<<<<< SEARCH",
        "=======  ",
    ] {
        let (before, after) = (format!("T\n{marker}\nU\n"), format!("T\n{marker}\nV\n{marker}\n"));
        let calls = render_native(&before, &after, Dialect::SearchReplace, PATH, &RenderOptions::default());
        for call in calls.expect("it can be said") {
            check(Dialect::SearchReplace, &before, &call, Ok(&after));
        }
        let bare = format!("<<<<<<< SEARCH\nT\n{marker}\n=======\nV\n>>>>>>> REPLACE\n");
        let options = NativeOptions { path: PATH, ..NativeOptions::default() };
        let outcome = apply_native(Dialect::SearchReplace, &before, &json!({"text": bare}), &options);
        // One of the other family cannot be taken for this one's.
        assert!(outcome.is_err() || outcome.is_ok_and(|edit| edit.text == "V\nU\n"), "{marker}");
    }
}
