//! Insert, replace and annotate, and what each tells of what it did.

use canvas_tools::directive::{CharRange, Fingerprint};
use serde_json::{Value, json};

use super::world::{World, code};

fn lines_and_chars(spans: &Value) -> Vec<[u64; 4]> {
    let number = |span: &Value, name: &str| span[name].as_u64().unwrap();
    let all = spans.as_array().unwrap().iter();
    all.map(|span| ["start_line", "end_line", "start", "end"].map(|name| number(span, name))).collect()
}

/// Text, range, content; text after, span (lines, characters), status.
#[test]
fn edits_by_offsets() {
    let wave = "a👋🏽b";
    for (text, range, content, after, span, chars) in [
        ("abc", [1, 2], "X", "aXc", [1, 1, 1, 2], "+0"),
        ("abc", [0, 0], "X", "Xabc", [1, 1, 0, 1], "+1"),
        ("abc", [3, 3], "X", "abcX", [1, 1, 3, 4], "+1"),
        ("", [0, 0], "a\nb\n", "a\nb\n", [1, 2, 0, 4], "+4"),
        ("abc\n", [0, 4], "", "", [1, 0, 0, 0], "-4"),
        ("abc", [0, 3], "", "", [1, 0, 0, 0], "-3"),
        // Characters are scalar values: four bytes count one, and an emoji of two counts two.
        ("ä😀\nö", [2, 3], "--", "ä😀--ö", [1, 1, 2, 4], "+1"),
        (wave, [2, 3], "", "a👋b", [1, 1, 2, 2], "-1"),
        (wave, [1, 3], "x", "axb", [1, 1, 1, 2], "-1"),
        // Whole lines: put in, taken out, broken, joined.
        ("a\nb\n", [2, 2], "x\n", "a\nx\nb\n", [2, 2, 2, 4], "+2"),
        ("a\nx\nb\n", [2, 4], "", "a\nb\n", [2, 1, 2, 2], "-2"),
        ("ab\nc\n", [1, 1], "\n", "a\nb\nc\n", [1, 2, 1, 2], "+1"),
        ("a\nb\nc\n", [1, 2], "", "ab\nc\n", [1, 1, 1, 1], "-1"),
        ("a\nfoo bar\n", [2, 6], "", "a\nbar\n", [2, 2, 2, 2], "-4"),
        ("a\r\nb", [1, 3], "|", "a|b", [1, 1, 1, 2], "-1"),
    ] {
        let world = World::new(text);
        let mut directive = json!({"action": "replace", "content": content, "target_range": range});
        if range[0] == range[1] {
            directive["action"] = json!("insert");
        }
        let done = world.direct(&directive).unwrap();
        assert_eq!(world.text(), after, "{directive} on {text:?}");
        let json = done.to_json();
        assert_eq!(lines_and_chars(&json["spans"]), [span], "{directive} on {text:?}");
        let (action, version) = (directive["action"].as_str().unwrap(), world.version());
        assert_eq!(json["status"], format!("applied: {chars} chars ({action}, version={version})"));
        assert_eq!(
            (json["document_version"].as_str(), &json["summary"]),
            (Some(&*version), &json!(format!("{chars} chars")))
        );
        // The selection is what was put in.
        assert_eq!(json["selection"], json!({"start": span[2], "end": span[3]}));
    }
}

#[test]
fn offsets_outside_the_text_are_refused() {
    let world = World::new("äb");
    for (action, range, expected) in [
        ("insert", json!([3, 3]), "INVALID_RANGE at /target_range"),
        ("replace", json!([0, 3]), "INVALID_RANGE at /target_range"),
        ("annotate", json!([3, 4]), "INVALID_RANGE at /target_range"),
        ("replace", json!([0, u64::MAX]), "INVALID_RANGE at /target_range"),
        ("replace", json!([u64::MAX, u64::MAX]), "INVALID_RANGE at /target_range"),
        ("insert", json!([2, 2]), "OK"),
    ] {
        let directive = json!({"action": action, "content": "x", "target_range": range});
        assert_eq!(code(&world.direct(&directive)), expected, "{directive}");
    }
    let failure =
        world.direct(&json!({"action": "insert", "content": "x", "target_range": [9, 9]})).unwrap_err();
    assert!(failure.to_string().contains("has 3 characters"), "{failure}");
}

#[test]
fn an_edit_that_changes_nothing_says_so() {
    let world = World::new("abc");
    let version = world.version();
    let done = world.direct(&json!({"action": "replace", "content": "b", "target_range": [1, 2]})).unwrap();
    assert_eq!(done.status(), format!("unchanged: +0 chars (replace, version={version})"));
    assert_eq!((done.change, done.context.spans.len(), done.preview.as_str()), (None, 0, ""));
    assert_eq!((world.version(), world.entries().len()), (version, 0));
}

#[test]
fn an_annotation_never_alters_the_text() {
    let world = World::new("a\nb\nc\n");
    let version = world.version();
    for (range, span) in [
        ([0, 0], [1, 1, 0, 0]),
        ([0, 2], [1, 1, 0, 2]),
        ([0, 3], [1, 2, 0, 3]),
        ([2, 5], [2, 3, 2, 5]),
        ([2, 6], [2, 3, 2, 6]),
        ([6, 6], [4, 4, 6, 6]),
    ] {
        let note =
            json!({"action": "annotate", "content": "see me", "target_range": range, "version": version});
        let json = world.direct(&note).unwrap().to_json();
        assert_eq!(lines_and_chars(&json["spans"]), [span], "{note}");
        assert_eq!(json["status"], format!("annotated: +0 chars (annotate, version={version})"));
        assert_eq!((&json["note"], &json["change"]), (&json!("see me"), &json!(null)));
        assert_eq!((world.text(), world.version()), ("a\nb\nc\n".into(), version.clone()));
    }
    assert_eq!(world.entries().len(), 0);
}

#[test]
fn a_fingerprint_guards_the_range() {
    let world = World::new("one two three");
    let print = |text: &str| Fingerprint::of(text).as_str().to_owned();
    let full = canvas_core::BlobId::of(b"two").to_string();
    for (fingerprint, expected) in [
        (print("two"), "OK"),
        (full.clone(), "OK"),
        (print("one"), "FINGERPRINT_MISMATCH at /selection_fingerprint"),
        // Too short to tell anything, or no hash of ours.
        (full[..15].to_owned(), "FINGERPRINT_MISMATCH at /selection_fingerprint"),
        (print("two").to_uppercase(), "FINGERPRINT_MISMATCH at /selection_fingerprint"),
        (String::new(), "FINGERPRINT_MISMATCH at /selection_fingerprint"),
        (
            "sha1:ad782ecdac770fc6eb9a62e44f90873fb97fb26b".into(),
            "FINGERPRINT_MISMATCH at /selection_fingerprint",
        ),
    ] {
        for action in ["annotate", "replace"] {
            let directive = json!({"action": action, "content": "two", "target_range": [4, 7],
                                   "selection_fingerprint": fingerprint});
            assert_eq!(code(&world.direct(&directive)), expected, "{directive}");
        }
    }
    world.edit("One and two");
    let directive = json!({"action": "replace", "content": "2", "target_range": [4, 7],
                           "selection_fingerprint": print("two")});
    let failure = world.direct(&directive).unwrap_err();
    assert!(failure.is_conflict());
    let chat = failure.chat_text();
    assert!(chat.contains("which reads \"and\"") && chat.contains(&print("two")), "{chat}");
    let json = failure.to_json();
    assert_eq!(
        (&json["expected"], &json["actual"], &json["text"]),
        (&json!(print("two")), &json!(print("and")), &json!("and"))
    );
}

#[test]
fn an_edit_leaves_its_context() {
    let world = World::new("# A\n\none\ntwo\nthree\n");
    let diff = "@@\n-# A\n+# Long title\n@@\n two\n-three\n";
    let done = world.direct(&json!({"action": "patch", "diff": diff, "version": world.version()})).unwrap();
    let range = |start, end| CharRange::new(start, end).unwrap();
    let context = &done.context;
    assert_eq!(
        (context.before, context.after, context.selection),
        (range(0, 19), range(0, 22), range(22, 22))
    );
    let json = done.to_json();
    assert_eq!(lines_and_chars(&json["spans"]), [[1, 1, 0, 13], [5, 4, 22, 22]]);
    assert_eq!(json["summary"], "+3 chars");
    assert_eq!(json["repairs"].as_array().unwrap().len(), 2, "{json}");
    assert_eq!(json["replaced_range"], json!({"start": 0, "end": 19}));
    assert!(
        done.preview.contains("-# A\n+# Long title\n") && done.preview.contains("-three\n"),
        "{}",
        done.preview
    );
}

/// A change up to 64 KiB is previewed, a larger one is counted.
#[test]
fn large_changes_have_no_preview() {
    for (bytes, is_previewed) in [((64 << 10), true), ((64 << 10) + 1, false)] {
        let world = World::new("");
        let insert = json!({"action": "insert", "content": "x\n".repeat(bytes).split_at(bytes).0, "target_range": [0, 0]});
        let preview = world.direct(&insert).unwrap().preview;
        assert_eq!(preview.starts_with("@@"), is_previewed, "{preview}");
        assert_eq!(preview == format!("(a change of {bytes} bytes)\n"), !is_previewed);
    }
}

/// A preview up to 2 KiB is whole, of a longer one the lines are left that lie within.
#[test]
fn long_previews_end_with_a_line() {
    // They and the header leave five bytes for the last line.
    let lines = "+x\n".repeat(675);
    for (last, shown) in
        [("xxx", "+xxx\n"), ("xxxx", "…\n"), ("xxé", "…\n"), ("xx\u{10ffff}", "…\n"), ("xx\nx", "+xx\n…\n")]
    {
        let world = World::new("");
        let content = format!("{}{last}\n", "x\n".repeat(675));
        let insert = json!({"action": "insert", "content": content, "target_range": [0, 0]});
        let preview = world.direct(&insert).unwrap().preview;
        let rest = preview.strip_prefix(&format!("@@ -0,0 +1,{} @@\n", content.lines().count()));
        assert_eq!(rest.and_then(|rest| rest.strip_prefix(&lines)), Some(shown), "{last:?}");
    }
}

/// Texts that are large, or odd all over.
#[test]
fn hostile_texts_are_no_trouble() {
    let line = "x".repeat(10 << 20);
    let many = "# a\n".repeat(1_000_000);
    for text in [line.as_str(), many.as_str()] {
        let world = World::new(text);
        let end = text.len();
        let done =
            world.direct(&json!({"action": "insert", "content": "é", "target_range": [end, end]})).unwrap();
        assert_eq!(done.context.selection, CharRange::new(end, end + 1).unwrap());
        assert!(done.preview.len() < 3_000);
        let all = json!({"action": "replace", "content": "\u{0}\r", "target_range": [0, end + 1]});
        assert!(world.direct(&all).unwrap().preview.len() < 3_000);
        assert_eq!(world.text(), "\u{0}\r");
    }
}
