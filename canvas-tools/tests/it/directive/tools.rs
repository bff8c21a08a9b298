//! The tools as a model meets them.

use canvas_tools::directive::{CharRange, CharRangeError, Fingerprint, MAX_CONTENT_BYTES};
use serde_json::{Value, json};

use super::world::{World, of_json};

const TEXT: &str = "# Plan\n\n- one\n- two\n- two\n";

/// Snapshot, diff, edit: versions are shaken hands on at every step.
#[test]
fn an_agent_goes_from_snapshot_to_diff_to_edit() {
    let world = World::new(TEXT);
    let snapshot = world.tool(true, "document_snapshot", json!({}));
    let body = snapshot.body();
    assert_eq!((body["text"].as_str(), &body["line_offsets"]), (Some(TEXT), &json!([0, 7, 8, 14, 20])));
    let version = body["document_version"].as_str().unwrap();
    let updated = TEXT.replacen("- one", "- uno", 1);
    let built = world.tool(true, "diff_builder", json!({"original": TEXT, "updated": updated}));
    assert_eq!(
        (&built.body()["applies"], &built.body()["document_version"]),
        (&json!(true), &json!(version))
    );
    let diff = built.body()["diff"].as_str().unwrap();
    let edit = json!({"action": "patch", "diff": diff, "document_version": version, "rationale": "Spanish"});
    let done = world.tool(true, "document_edit", edit.clone());
    let now = world.version();
    assert_eq!(done.body()["status"], format!("applied: +0 chars (patch, version={now})"));
    assert_eq!((done.revision_id(), &done.body()["document_version"]), (Some(&*now), &json!(now)));
    assert_eq!(world.text(), updated);

    // The old version again, by another call: refused, with the diff; nothing moved.
    let stale = world.tool(true, "document_edit", edit);
    let error = &stale.body()["error"];
    assert_eq!((stale.code(), &error["document_version"]), (Some("STALE_VERSION"), &json!(now)));
    assert_eq!((&error["expected_version"], stale.revision_id()), (&json!(version), Some(&*now)));
    assert!(error["changes"]["diff"].as_str().unwrap().contains("+- uno"), "{error}");
    assert!(stale.body()["status"].as_str().unwrap().starts_with("failed: stale patch vs r2-"));
    assert_eq!(world.text(), updated);
}

#[test]
fn the_edit_tool_routes_each_action() {
    for (arguments, status, text) in [
        (
            json!({"action": "patch", "diff": "@@\n-- one\n+- 1\n"}),
            "applied: -2 chars (patch, ",
            "# Plan\n\n- 1\n- two\n- two\n",
        ),
        (
            json!({"action": "insert", "content": "!", "target_range": [6, 6]}),
            "applied: +1 chars (insert, ",
            "# Plan!\n\n- one\n- two\n- two\n",
        ),
        (
            json!({"action": "replace", "content": "", "target_range": [8, 14]}),
            "applied: -6 chars (replace, ",
            "# Plan\n\n- two\n- two\n",
        ),
        (
            json!({"action": "annotate", "content": "?", "target_range": [8, 14]}),
            "annotated: +0 chars (annotate, ",
            TEXT,
        ),
    ] {
        let world = World::new(TEXT);
        let mut arguments = arguments;
        arguments["document_version"] = json!(world.version());
        let reply = world.tool(true, "document_edit", arguments);
        assert!(
            reply.body()["status"].as_str().is_some_and(|text| text.starts_with(status)),
            "{:?}",
            reply.body()
        );
        assert_eq!(world.text(), text);
    }
}

#[test]
fn wrong_payloads_get_messages_that_say_what_to_change() {
    let world = World::new(TEXT);
    let version = world.version();
    let off = "PATCH_EDITS_OFF at /action";
    let patch = json!({"action": "patch", "diff": "@@\n-- one\n+- 1\n", "version": version});
    let mixed = json!({"action": "patch", "diff": "@@\n-- one\n+- 1\n", "content": "x", "version": version});
    for (patches, name, arguments, expected) in [
        (true, "document_edit", mixed, "INVALID_DIRECTIVE/FORBIDDEN_FIELD at /content"),
        (false, "document_edit", patch, off),
        (true, "document_edit", json!(null), "INVALID_DIRECTIVE/NOT_AN_OBJECT at "),
        (true, "document_snapshot", json!(7), "INVALID_ARGUMENTS at "),
        (true, "document_snapshot", json!({"offset": -1}), "INVALID_ARGUMENTS at /offset"),
        (true, "document_snapshot", json!({"offset": 27}), "INVALID_RANGE at /offset"),
        (true, "document_snapshot", json!({"offset": 26}), "OK"),
        (true, "document_snapshot", json!({"selection": [0, 27]}), "INVALID_RANGE at /selection"),
        (
            true,
            "document_snapshot",
            json!({"offset": 26, "selection": [0, 27]}),
            "INVALID_RANGE at /selection",
        ),
        (true, "document_snapshot", json!({"offset": 27, "selection": [0, 27]}), "INVALID_RANGE at /offset"),
        (true, "document_snapshot", json!({"selection": [2, 1]}), "INVALID_ARGUMENTS at /selection"),
        (true, "document_snapshot", json!({"selection": [2]}), "INVALID_ARGUMENTS at /selection"),
        (true, "diff_builder", json!({"original": "a"}), "INVALID_ARGUMENTS at "),
        (
            true,
            "diff_builder",
            json!({"original": "a", "updated": "a"}),
            "INVALID_ARGUMENTS/NO_EFFECT at /updated",
        ),
        (false, "diff_builder", json!({"original": "a", "updated": "b"}), "UNKNOWN_TOOL"),
        (true, "document_erase", json!({}), "UNKNOWN_TOOL"),
    ] {
        let reply = world.tool(patches, name, arguments.clone());
        let reported = if reply.is_ok() { "OK".into() } else { of_json(&reply.body()["error"]) };
        assert_eq!(reported, expected, "{name} {arguments}: {}", reply.body());
    }
    assert_eq!(world.text(), TEXT);
}

#[test]
fn a_snapshot_has_offsets_and_the_hash_of_a_selection() {
    let text = "ä\n😀x\n\nend";
    let world = World::new(text);
    let body = world.tool(true, "document_snapshot", json!({"selection": [2, 4]})).body().clone();
    assert_eq!(body["line_offsets"], json!([0, 2, 5, 6]));
    assert_eq!(
        (&body["total_chars"], &body["start_line"], &body["truncated"]),
        (&json!(9), &json!(1), &json!(false))
    );
    assert_eq!(body["selection_hash"], Fingerprint::of("😀x").as_str());
    let part = world.tool(true, "document_snapshot", json!({"offset": 3})).body().clone();
    assert_eq!(
        (&part["text"], &part["line_offsets"], &part["start_line"]),
        (&json!("x\n\nend"), &json!([3, 5, 6]), &json!(2))
    );
    // The hash is the fingerprint that an edit takes.
    let edit = json!({"action": "replace", "content": "y", "target_range": [2, 4], "selection_fingerprint": body["selection_hash"]});
    assert!(world.tool(true, "document_edit", edit).is_ok());
    assert_eq!(world.text(), "ä\ny\n\nend");
}

/// A document of any size comes in parts that join to the whole.
#[test]
fn snapshots_of_long_documents_come_in_parts() {
    for (text, parts) in [
        ("\n".repeat(20_000), 3),
        (format!("{}\n", "é".repeat(200_000)).repeat(3), 6),
        ("line of text\n".repeat(50_000), 7),
        // Two lines that fill a part to the last byte.
        (format!("a\n{}\nc\n", "b".repeat((256 << 10) - 3)), 2),
        // A line that is cut a byte before the end, so that the next one would have room.
        (format!("a{}\n\nrest\n", "é".repeat(128 << 10)), 2),
        (String::new(), 1),
    ] {
        let world = World::new(&text);
        let (mut joined, mut offset, mut count) = (String::new(), 0, 0);
        loop {
            let reply = world.tool(true, "document_snapshot", json!({"offset": offset}));
            let body = reply.body();
            joined.push_str(body["text"].as_str().unwrap());
            let next = body["end"].as_u64().unwrap();
            count += 1;
            if body["truncated"] == json!(false) {
                break;
            }
            assert!(next > offset);
            offset = next;
        }
        assert_eq!((joined == text, count), (true, parts), "{} bytes", text.len());
    }
}

#[test]
fn the_diff_builder_makes_diffs_that_apply() {
    let world = World::new(TEXT);
    let build = |original: &str, updated: &str| -> Value {
        world.tool(true, "diff_builder", json!({"original": original, "updated": updated})).body().clone()
    };
    // A part that occurs once; a word of a line.
    for (original, updated, expected) in [
        ("- one\n", "- one\n- more\n", "# Plan\n\n- one\n- more\n- two\n- two\n"),
        ("one", "uno", "# Plan\n\n- uno\n- two\n- two\n"),
        ("- two\n- two\n", "", "# Plan\n\n- one\n"),
    ] {
        let world = World::new(TEXT);
        let built = build(original, updated);
        assert_eq!(built["applies"], json!(true), "{built}");
        let version = world.version();
        let patch = json!({"action": "patch", "diff": built["diff"], "version": version});
        assert!(world.tool(true, "document_edit", patch).is_ok());
        assert_eq!(world.text(), expected);
    }
    // Twice, nowhere, and nothing at all: a diff of the slices, and a warning.
    for (original, updated) in [("- two\n", "- 2\n"), ("- six\n", "- 6\n"), ("", "x\n")] {
        let built = build(original, updated);
        assert_eq!((&built["applies"], built["advice"].is_string()), (&json!(false), true), "{built}");
        assert!(built["diff"].as_str().unwrap().starts_with("@@"));
    }
    let empty = World::new("");
    let built = empty.tool(true, "diff_builder", json!({"original": "", "updated": "x\n"}));
    assert_eq!(
        (&built.body()["applies"], &built.body()["diff"]),
        (&json!(true), &json!("@@ -0,0 +1 @@\n+x\n"))
    );
    // Two places that overlap are two.
    let overlap = World::new("aaa");
    let built = overlap.tool(true, "diff_builder", json!({"original": "aa", "updated": "b"}));
    assert_eq!(built.body()["applies"], json!(false));
    assert_eq!(CharRange::new(2, 1), Err(CharRangeError { start: 2, end: 1 }));
}

/// Models copy the lines of a diff better than its numbers, so a built diff must not need its numbers.
#[test]
fn a_built_diff_applies_without_its_line_numbers() {
    let steps = "- lift\n- turn\n- look\n- press\n- wait\n- check\n- drop\n- rest\n- leave\n";
    let text = format!("# One\n{steps}# Two\n{steps}# Three\n{steps}");
    let original = format!("# Two\n{steps}# Three\n");
    let updated = original.replace("- wait\n", "- wait long\n");
    let world = World::new(&text);
    let built = world.tool(true, "diff_builder", json!({"original": original, "updated": updated}));
    let diff = built.body()["diff"].as_str().unwrap();
    let bare = |line| if str::starts_with(line, "@@ ") { "@@\n" } else { line };
    let bare: String = diff.split_inclusive('\n').map(bare).collect();
    let patch = json!({"action": "patch", "diff": bare, "version": world.version()});
    let edited = world.tool(true, "document_edit", patch);
    assert!(edited.is_ok(), "{}\n{diff}", edited.body());
    assert_eq!(world.text(), text.replace(&original, &updated));
}

#[test]
fn the_diff_builder_takes_texts_up_to_the_limit() {
    let world = World::new(TEXT);
    let line = format!("{}\n", "x".repeat(99));
    let text = |bytes: usize, last: &str| {
        let lines = line.repeat(bytes / line.len() + 1);
        format!("{}{last}", &lines[..bytes - last.len()])
    };
    let limit = MAX_CONTENT_BYTES;
    for (original, updated, expected) in [
        (limit, limit, "OK"),
        (limit + 1, limit, "INVALID_ARGUMENTS at /original"),
        (limit, limit + 1, "INVALID_ARGUMENTS at /updated"),
    ] {
        let texts = json!({"original": text(original, "a"), "updated": text(updated, "b")});
        let reply = world.tool(true, "diff_builder", texts);
        assert_eq!(of_json(&reply.body()["error"]), expected, "{original} {updated}");
    }
}
