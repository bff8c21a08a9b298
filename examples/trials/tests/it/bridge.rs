//! The bridge as acceptance checks use it: requests in, replies out.

use canvas_examples::bridge::Bridge;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Asks and expects a result.
fn ask(bridge: &mut Bridge, request: Value) -> Value {
    let reply = raw(bridge, &request.to_string());
    assert_eq!(reply["ok"], json!(true), "{request} gave {reply}");
    reply["result"].clone()
}

fn raw(bridge: &mut Bridge, line: &str) -> Value {
    let reply = bridge.call(line);
    assert!(!reply.contains('\n'), "a reply is one line");
    serde_json::from_str(&reply).expect("a reply is JSON")
}

fn tool(bridge: &mut Bridge, call_id: &str, name: &str, arguments: Value, now: u64) -> Value {
    let (op, canvas, session) = ("tool.call", "c", "main");
    ask(
        bridge,
        json!({"op": op, "canvas": canvas, "session": session, "call_id": call_id, "name": name,
               "arguments": arguments, "now": now}),
    )
}

/// The lease of a check-out that must succeed.
fn check_out(bridge: &mut Bridge, call_id: &str, now: u64) -> String {
    let reply = tool(bridge, call_id, "canvas_check_out", json!({}), now);
    reply["lease_id"].as_str().unwrap_or_else(|| panic!("no lease in {reply}")).to_owned()
}

fn code(reply: &Value) -> &str {
    reply.pointer("/error/code").and_then(Value::as_str).unwrap_or("OK")
}

const DOCUMENT: &str = "# Plan\n\n- one\n- two\n";

fn with_canvas() -> Bridge {
    let mut bridge = Bridge::new();
    ask(&mut bridge, json!({"op": "canvas.create", "canvas": "c", "markdown": DOCUMENT, "now": 1000}));
    bridge
}

#[test]
fn bad_lines_get_an_error_and_the_bridge_goes_on() {
    let mut bridge = Bridge::new();
    let deep = "[".repeat(100_000);
    for (line, code) in [
        ("", "BAD_REQUEST"),
        ("nonsense", "BAD_REQUEST"),
        ("[]", "BAD_REQUEST"),
        ("null", "BAD_REQUEST"),
        ("{}", "BAD_REQUEST"),
        (r#"{"op": 1}"#, "BAD_REQUEST"),
        (r#"{"op": "no.such"}"#, "BAD_REQUEST"),
        (r#"{"op": "patch.apply", "text": 1, "patch": ""}"#, "BAD_REQUEST"),
        (r#"{"op": "patch.apply", "text": "", "patch": "", "mode": "fuzzy"}"#, "BAD_REQUEST"),
        (r#"{"op": "canvas.create", "canvas": "c", "markdown": "", "now": -1}"#, "BAD_REQUEST"),
        (r#"{"op": "canvas.create", "canvas": "c", "markdown": "", "now": 9007199254740992}"#, "BAD_REQUEST"),
        (r#"{"op": "canvas.create", "canvas": "", "markdown": "", "now": 1}"#, "BAD_REQUEST"),
        (r#"{"op": "canvas.text", "canvas": "c"}"#, "CANVAS_NOT_FOUND"),
        (r#"{"op": "tool.list", "toolset": "magic"}"#, "BAD_REQUEST"),
        (r#"{"op": "canvas.text", "canvas": "c", "now": "soon"}"#, "BAD_REQUEST"),
        (r#"{"op": "engine.policy", "lease_ttl": 0}"#, "BAD_REQUEST"),
        (r#"{"op": "json.canonical"}"#, "BAD_REQUEST"),
        (r#"{"op": "recipe.replay", "canvas": "c"}"#, "BAD_REQUEST"),
        (r#"{"op": "provider.replay", "provider": "mcp", "body": {}}"#, "NOT_SUPPORTED"),
        (r#"{"op": "provider.decode", "provider": "nobody", "body": {}}"#, "BAD_REQUEST"),
        (deep.as_str(), "BAD_REQUEST"),
    ] {
        let reply = raw(&mut bridge, line);
        assert_eq!((&reply["ok"], self::code(&reply)), (&json!(false), code), "{line:.80}");
        assert!(reply["error"]["message"].as_str().is_some_and(|m| m.len() > 10));
    }
    assert_eq!(raw(&mut bridge, r#"{"id": [7], "op": "x"}"#)["id"], json!([7]));
}

#[test]
fn a_read_takes_the_clock_of_its_request() {
    let mut bridge = with_canvas();
    check_out(&mut bridge, "one", 2_000);
    for (now, is_locked) in [(json!(null), true), (json!(16_999), true), (json!(17_000), false)] {
        let text = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c", "now": now}));
        assert_eq!(text["locked"], json!(is_locked), "{now}");
    }
}

#[test]
fn a_policy_holds_from_the_next_request_on() {
    let mut bridge = with_canvas();
    let policy = ask(&mut bridge, json!({"op": "engine.policy", "lease_ttl": 60_000, "retake": true}));
    assert_eq!(policy, json!({"lease_ttl": 60_000, "rebase": false, "retake": true, "merge_words": false}));
    let lease_id = check_out(&mut bridge, "one", 2_000);
    let mut is_locked = |now| {
        ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c", "now": now}))["locked"] == json!(true)
    };
    assert!(is_locked(61_999) && !is_locked(62_000));
    // The lease is over, and nobody was there in the meantime.
    let patch = "@@ -3,2 +3,2 @@\n - one\n-- two\n+- three\n";
    let arguments = json!({"lease_id": lease_id, "patch": patch});
    assert_eq!(
        code(&tool(&mut bridge, "two", "canvas_read_all", json!({"lease_id": lease_id}), 3_000)),
        "OK"
    );
    assert_eq!(code(&tool(&mut bridge, "three", "canvas_apply_patch", arguments, 62_000)), "OK");
}

#[test]
fn a_strict_call_runs_a_listed_tool_alone() {
    let mut bridge = with_canvas();
    let mut call = |toolset: &str, name: &str, strict: bool| {
        let call_id = format!("{toolset}-{name}-{strict}");
        let request = json!({"op": "tool.call", "canvas": "c", "call_id": call_id, "name": name, "now": 2_000,
                             "arguments": {}, "toolset": toolset, "strict": strict});
        code(&ask(&mut bridge, request)).to_owned()
    };
    for (toolset, name, is_listed) in [
        ("document", "canvas_outline", false),
        ("document", "create_component", false),
        ("document", "canvas_check_in", true),
        ("extended", "canvas_outline", true),
        ("extended", "create_component", true),
        ("extended", "document_edit", false),
        ("board", "canvas_check_in", false),
        ("all", "create_component", true),
    ] {
        let is_known = call(toolset, name, true) != "UNKNOWN_TOOL";
        assert_eq!(is_known, is_listed, "{toolset} {name}");
        assert_ne!(call(toolset, name, false), "UNKNOWN_TOOL", "{toolset} {name}");
    }
}

#[test]
fn the_past_is_read_and_compared() {
    let mut bridge = with_canvas();
    let ids: Vec<Value> = ["# One\n", "# One\n\nmore\n", "# Two\n\nmore\n"]
        .into_iter()
        .map(|markdown| {
            let edit = json!({"op": "user.edit", "canvas": "c", "markdown": markdown, "person": "ana", "now": 2_000});
            ask(&mut bridge, edit)["revision_id"].clone()
        })
        .collect();
    let text_at = |revision: &Value| json!({"op": "history.text_at", "canvas": "c", "revision": revision, "now": 2_001});
    let past = ask(&mut bridge, text_at(&ids[0]));
    assert_eq!(past, json!({"markdown": "# One\n", "revision_id": ids[0]}));
    let number = ids[1].as_str().unwrap()[1..].split_once('-').unwrap().0.parse::<u64>().unwrap();
    assert_eq!(ask(&mut bridge, text_at(&json!(number)))["markdown"], "# One\n\nmore\n");

    let diff = json!({"op": "history.diff", "canvas": "c", "from": ids[0], "to": ids[2], "now": 2_001});
    let diff = ask(&mut bridge, diff);
    assert_eq!(diff["patch"], "@@ -1 +1,3 @@\n-# One\n+# Two\n+\n+more\n");
    assert_eq!(diff["actors"], json!([{"person": "ana"}]));
    let words = diff["words"].as_array().unwrap().iter();
    let before: String =
        words.filter(|span| span["kind"] != "insert").map(|span| span["text"].as_str().unwrap()).collect();
    assert_eq!(before, "# One\n");

    ask(
        &mut bridge,
        json!({"op": "store.collect", "canvas": "c", "keep_entries": 1, "older_than": 0, "now": 2_002}),
    );
    let gone = raw(&mut bridge, &text_at(&ids[0]).to_string());
    let later = raw(&mut bridge, &text_at(&json!(99)).to_string());
    assert_eq!([&gone, &later].map(code), ["REVISION_NOT_KEPT", "REVISION_NOT_FOUND"], "{gone} {later}");
    assert_eq!(gone["error"]["oldest"], json!(number));
}

#[test]
fn a_version_is_named_and_restored() {
    let mut bridge = with_canvas();
    let mut run = |mut request: Value| {
        request["canvas"] = json!("c");
        request["now"] = json!(2_000);
        raw(&mut bridge, &request.to_string())
    };
    let created = run(json!({"op": "version.create", "label": "sent", "note": "to ana", "person": "bert"}));
    let sent = json!({"label": "sent", "revision": 1, "revision_id": created["result"]["version"]["revision_id"],
                      "at": 2_000, "actor": {"person": "bert"}, "note": "to ana"});
    assert_eq!(created["result"]["version"], sent);
    run(json!({"op": "user.edit", "markdown": "# New\n"}));
    let first = run(json!({"op": "version.create", "label": "first", "revision": 1}));
    assert_eq!(first["result"]["version"]["revision"], 1);
    for (request, expected) in [
        (json!({"op": "version.create", "label": "sent"}), "VERSION_EXISTS"),
        (json!({"op": "version.create", "label": ""}), "LABEL_INVALID"),
        (json!({"op": "version.create", "label": "late", "revision": 99}), "REVISION_NOT_FOUND"),
        (json!({"op": "version.remove", "label": "none"}), "VERSION_NOT_FOUND"),
        (json!({"op": "version.rename", "label": "first", "to": "sent"}), "VERSION_EXISTS"),
        (json!({"op": "version.restore", "version": "none"}), "VERSION_NOT_FOUND"),
        (json!({"op": "version.restore", "revision": 2}), "NO_EFFECT"),
        (json!({"op": "version.restore"}), "BAD_REQUEST"),
        (json!({"op": "version.restore", "version": "sent", "revision": 1}), "BAD_REQUEST"),
        (json!({"op": "history.text_at", "version": "a\nb"}), "LABEL_INVALID"),
        (
            json!({"op": "history.undo", "by": {"person": "bert"}, "since": {"version": "sent"}}),
            "BAD_REQUEST",
        ),
    ] {
        let refused = run(request.clone());
        assert_eq!(code(&refused), expected, "{request} {refused}");
    }
    assert_eq!(run(json!({"op": "history.text_at", "version": "sent"}))["result"]["markdown"], DOCUMENT);
    let diff = run(json!({"op": "history.diff", "from": {"version": "sent"}, "to": 2}));
    assert_eq!(diff["result"]["actors"], json!([{"person": "user"}]), "{diff}");
    let renamed = run(json!({"op": "version.rename", "label": "first", "to": "old"}));
    assert_eq!(renamed["result"]["versions"].as_array().map(Vec::len), Some(2), "{renamed}");
    let restored = run(json!({"op": "version.restore", "version": "sent"}));
    assert_eq!(restored["result"]["changed"], json!(["document"]), "{restored}");
    let of_board = run(json!({"op": "version.restore", "version": "sent", "faces": ["document", "board"]}));
    assert_eq!(code(&of_board), "FACE_NOT_FOUND", "{of_board}");
    assert_eq!(run(json!({"op": "canvas.text"}))["result"]["markdown"], DOCUMENT);
    run(json!({"op": "history.undo", "steps": 1}));
    assert_eq!(run(json!({"op": "canvas.text"}))["result"]["markdown"], "# New\n");
    let left = run(json!({"op": "version.remove", "label": "old"}));
    assert_eq!(left["result"]["versions"], json!([sent]));
}

#[test]
fn a_version_is_new_after_each_commit_and_no_read() {
    let mut bridge = with_canvas();
    let mut version = |op: Value| {
        ask(&mut bridge, op);
        ask(&mut bridge, json!({"op": "canvas.version", "canvas": "c", "now": 2_000}))
    };
    let read = json!({"op": "canvas.text", "canvas": "c", "now": 2_000});
    let edit = json!({"op": "user.edit", "canvas": "c", "markdown": "# New\n", "now": 2_000});
    let message = json!({"op": "user.message", "canvas": "c", "now": 2_000});
    let [first, same, edited, preempted] = [read.clone(), read, edit, message].map(&mut version);
    assert_eq!(first, same);
    assert!(edited["revision"].as_u64() > first["revision"].as_u64(), "{first} {edited}");
    assert_eq!(edited["revision_id"], preempted["revision_id"]);
    assert!(preempted["version"] != edited["version"] && edited["version"] != first["version"]);
}

#[test]
fn a_rule_that_is_set_holds_for_the_extended_toolset_too() {
    for (retake, expected) in [(json!(null), "OK"), (json!(true), "OK"), (json!(false), "LEASE_EXPIRED")] {
        let mut bridge = with_canvas();
        ask(&mut bridge, json!({"op": "engine.policy", "retake": retake}));
        let lease_id = check_out(&mut bridge, "one", 2_000);
        tool(&mut bridge, "two", "canvas_read_all", json!({"lease_id": lease_id}), 2_001);
        let arguments = json!({"lease_id": lease_id, "patch": "@@ -4,1 +4,1 @@\n-- two\n+- three\n"});
        let request = json!({"op": "tool.call", "canvas": "c", "session": "main", "call_id": "three", "now": 60_000,
                             "name": "canvas_apply_patch", "arguments": arguments, "toolset": "extended"});
        assert_eq!(code(&ask(&mut bridge, request)), expected, "{retake}");
    }
}

#[test]
fn a_closed_session_returns_its_own_lease_alone() {
    let mut bridge = with_canvas();
    check_out(&mut bridge, "one", 2_000);
    let mut close = |session: &str| {
        ask(&mut bridge, json!({"op": "session.close", "canvas": "c", "session": session, "now": 2_001}))
    };
    assert_eq!(close("other"), json!({"released": false}));
    assert_eq!(close("main"), json!({"released": true}));
    assert_eq!(close("main"), json!({"released": false}));
    let text = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
    assert_eq!(text["locked"], json!(false));
    let closed = raw(&mut bridge, r#"{"op": "session.close", "canvas": "none", "now": 2002}"#);
    assert_eq!(code(&closed), "CANVAS_NOT_FOUND");
}

#[test]
fn a_prompt_names_the_tools_of_its_toolset() {
    let mut bridge = with_canvas();
    for (toolset, name) in
        [("document", "canvas_check_out"), ("extended", "canvas_move"), ("board", "create")]
    {
        let prompt = ask(&mut bridge, json!({"op": "tool.prompt", "toolset": toolset}));
        let prompt = prompt["prompt"].as_str().unwrap();
        assert!(prompt.contains(name), "{toolset}: {prompt}");
    }
}

#[test]
fn a_collection_makes_the_count_of_blobs_smaller() {
    let mut bridge = with_canvas();
    for number in 0..20 {
        let markdown = format!("{}{number}\n", "text\n".repeat(1_000));
        ask(
            &mut bridge,
            json!({"op": "user.edit", "canvas": "c", "markdown": markdown, "now": 2_000 + number}),
        );
    }
    let mut blobs = |op: &str| {
        let request = json!({"op": op, "canvas": "c", "keep_entries": 1, "older_than": 0, "now": 900_000});
        let collected = (op == "store.collect").then(|| ask(&mut bridge, request));
        let stats = ask(&mut bridge, json!({"op": "store.stats", "canvas": "c"}))["blobs"].as_u64().unwrap();
        (stats, collected.and_then(|collected| collected["removed"].as_u64()).unwrap_or(0))
    };
    let (before, _) = blobs("store.stats");
    let (after, removed) = blobs("store.collect");
    assert!(removed > 0 && before == after + removed, "{before} {after} {removed}");
}

proptest! {
    /// A field that an operation does not have is named, and the operation has no effect.
    #[test]
    fn fields_that_an_operation_does_not_have_are_refused(
        which in 0..EFFECTS.len(),
        field in "[a-z_]{1,12}",
        more in "[A-Z][a-z]{1,8}",
    ) {
        let mut bridge = with_canvas();
        let text = json!({"op": "canvas.text", "canvas": "c"});
        let before = ask(&mut bridge, text.clone());
        let mut request: Value = serde_json::from_str(EFFECTS[which]).expect("a request is JSON");
        let fields = request.as_object_mut().expect("a request is an object");
        let field = match fields.contains_key(&field) || ["id", "session", "base_revision_id"].contains(&&*field) {
            true => format!("{field}{more}"),
            false => field,
        };
        fields.insert(field.clone(), json!(1));
        let reply = raw(&mut bridge, &request.to_string());
        prop_assert_eq!(code(&reply), "BAD_REQUEST", "{} {}", request, reply);
        let message = reply["error"]["message"].as_str().unwrap_or_default();
        prop_assert!(message.contains(&format!("{field:?}")), "{message}");
        prop_assert_eq!(ask(&mut bridge, text), before);
        request.as_object_mut().expect("a request is an object").remove(&field);
        ask(&mut bridge, request);
    }
}

/// Requests that change something, with all that they need.
const EFFECTS: [&str; 8] = [
    r#"{"op": "canvas.create", "canvas": "other", "markdown": "a\n", "now": 2000}"#,
    r#"{"op": "user.edit", "canvas": "c", "markdown": "a\n", "now": 2000}"#,
    r#"{"op": "user.message", "canvas": "c", "now": 2000}"#,
    r#"{"op": "user.cancel", "canvas": "c", "now": 2000}"#,
    r#"{"op": "turn.end", "canvas": "c", "now": 2000}"#,
    r#"{"op": "directive.apply", "canvas": "c", "now": 2000, 
        "directive": {"action": "replace", "content": "b", "target_range": [0, 1]}}"#,
    r#"{"op": "board.create", "canvas": "c", "now": 2000,
        "grid": {"columns": 4, "rows": 4, "gap": 8, "cellWidth": 80, "cellHeight": 80}}"#,
    r#"{"id": 1, "op": "store.collect", "canvas": "c", "now": 2000}"#,
];

#[test]
fn text_operations_have_their_shapes() {
    let mut bridge = Bridge::new();
    let pieces = ["{\"patch\": \"@@\\n-", "b\\n+c\\n@@\\n-x\\", "n\"}"];
    let previewed = ask(&mut bridge, json!({"op": "patch.preview", "text": "a\nb\n", "pieces": pieces}));
    let located = json!({"hunk": 1, "state": "located", "start_line": 2, "end_line": 2, "added": 1, "removed": 1, "piece": 1});
    assert_eq!(previewed["events"][0], located);
    assert_eq!(
        (&previewed["events"][1]["state"], &previewed["events"][1]["piece"]),
        (&json!("missing"), &json!(2))
    );
    let built = ask(&mut bridge, json!({"op": "patch.build", "before": "a\nb\n", "after": "a\nc\n"}));
    let applied = ask(&mut bridge, json!({"op": "patch.apply", "text": "a\nb\n", "patch": built["patch"]}));
    assert_eq!(
        applied,
        json!({"applied_hunks": 1, "repairs": [], "spans": [{"start_line": 2, "end_line": 2}],
               "reverse": "@@ -1,2 +1,2 @@\n a\n-c\n+b\n", "summary": "+1 −1, 1 hunk", "text": "a\nc\n"})
    );
    let equal = ask(&mut bridge, json!({"op": "patch.build", "before": "a", "after": "a", "context": 0}));
    assert_eq!(equal, json!({"patch": ""}));
    let refused = raw(
        &mut bridge,
        &json!({"op": "patch.apply", "text": "a\n", "patch": "@@\n-b\n+c\n", "mode": "anchored"}).to_string(),
    );
    assert_eq!(refused["error"]["code"], "PATCH_REJECTED");
    assert_eq!(refused["error"]["reason"], "NOT_FOUND");
    assert_eq!(refused["error"]["conflicts"][0]["line"], 1);
    let text = "# A\n\n- x\n- y\n\n## B\n\ntext\n";
    let outline = ask(&mut bridge, json!({"op": "markdown.outline", "text": text}));
    assert_eq!(
        outline["sections"][1],
        json!({"path": ["A", "B"], "level": 2, "heading_line": 6, "start_line": 6, "end_line": 8})
    );
    for (address, expected) in [
        (json!({"lines": [3, 4]}), json!({"start_line": 3, "end_line": 4, "text": "- x\n- y\n"})),
        (json!({"section": ["A", "B"]}), json!({"start_line": 6, "end_line": 8, "text": "## B\n\ntext\n"})),
        (json!({"section": ["A"], "item": 2}), json!({"start_line": 4, "end_line": 4, "text": "- y\n"})),
        (json!({"section": ["A"], "item": [2]}), json!({"start_line": 4, "end_line": 4, "text": "- y\n"})),
        (json!({"grep": "y"}), json!({"start_line": 4, "end_line": 4, "text": "- y\n"})),
    ] {
        let request = json!({"op": "markdown.resolve", "text": text, "address": address});
        assert_eq!(ask(&mut bridge, request), expected);
    }
    let request = json!({"op": "markdown.resolve", "text": text, "address": {"grep": "- "}});
    let refused = raw(&mut bridge, &request.to_string());
    assert_eq!(code(&refused), "ADDRESS_AMBIGUOUS");
    assert_eq!(refused["error"]["candidates"], json!([{"line": 3}, {"line": 4}]));
    let found = ask(&mut bridge, json!({"op": "text.grep", "text": text, "query": "^- ", "regex": true}));
    assert_eq!(found["matches"][1]["line"], 4);
}

#[test]
fn structure_is_edited() {
    let mut bridge = Bridge::default();
    let text = "# A\n\n- [ ] x\n\n# B\n\n| n |\n| - |\n| 1 |\n";
    let apply = |edit: Value| json!({"op": "structure.apply", "text": text, "edit": edit});
    let moved =
        ask(&mut bridge, apply(json!({"move": {"from": {"section": ["B"]}, "before": {"section": ["A"]}}})));
    assert_eq!(moved["text"], "# B\n\n| n |\n| - |\n| 1 |\n\n# A\n\n- [ ] x\n");
    let back = json!({"op": "patch.apply", "text": moved["text"], "patch": moved["reverse"]});
    assert_eq!(ask(&mut bridge, back)["text"], text);
    let set = ask(
        &mut bridge,
        apply(json!({"table": {"table": 1, "set": {"row": 1, "column": "n", "value": "2"}}})),
    );
    assert_eq!(set["spans"], json!([{"start_line": 9, "end_line": 9}]));
    let refused =
        raw(&mut bridge, &apply(json!({"replace_all": {"find": "x", "with": "y", "count": 2}})).to_string());
    assert_eq!((code(&refused), &refused["error"]["places"]), ("COUNT_DIFFERS", &json!([{"line": 3}])));
    let column = json!({"table": {"table": 1, "remove_column": {"column": "m"}}});
    let refused = raw(&mut bridge, &apply(column).to_string());
    assert_eq!(
        (code(&refused), &refused["error"]["candidates"]),
        ("COLUMN_NOT_FOUND", &json!([{"name": "n"}]))
    );
    let effects =
        json!({"op": "markdown.effects", "before": "# A\n\n[x](#a)\n", "after": "# B\n\n[x](#a)\n"});
    assert_eq!(
        ask(&mut bridge, effects)["effects"],
        json!([
            {"code": "ANCHOR_CHANGED", "line": 1, "detail": "#a is now #b"},
            {"code": "LINK_BROKEN", "line": 3, "detail": "no heading has the anchor #a"},
        ])
    );
    let mut request = apply(json!({"item": {"section": ["A"], "item": 1, "check": true}}));
    assert_eq!(ask(&mut bridge, request.clone())["spans"], json!([{"start_line": 3, "end_line": 3}]));
    request["protected"] = json!([{"section": ["C"]}, {"section": ["A"]}]);
    let refused = raw(&mut bridge, &request.to_string());
    assert_eq!(
        (code(&refused), &refused["error"]["unresolved"]),
        ("PROTECTED", &json!([{"section": ["C"]}]))
    );
    let unknown =
        raw(&mut bridge, &apply(json!({"item": {"item": 1, "check": true, "checked": 1}})).to_string());
    assert_eq!(code(&unknown), "BAD_REQUEST");
    for (address, expected) in [
        (json!({"section": ["B"], "table": 1, "row": 1, "column": "n"}), (9, "1")),
        (json!({"table": 1}), (7, "| n |\n| - |\n| 1 |\n")),
        (json!({"section": ["A"], "body": true}), (3, "- [ ] x\n")),
    ] {
        let found = ask(&mut bridge, json!({"op": "markdown.resolve", "text": text, "address": address}));
        assert_eq!(
            (found["start_line"].as_u64(), found["text"].as_str()),
            (Some(expected.0), Some(expected.1))
        );
    }
}

#[test]
fn a_turn_edits_and_the_user_takes_over() {
    let mut bridge = with_canvas();
    let lease = check_out(&mut bridge, "1", 1000);
    let patch =
        |from: &str, to: &str| json!({"lease_id": lease, "patch": format!("@@\n - one\n-{from}\n+{to}\n")});
    let missed = tool(&mut bridge, "2", "canvas_apply_patch", patch("- TWO", "- 2"), 2000);
    assert_eq!((code(&missed), &missed["error"]["reason"]), ("PATCH_REJECTED", &json!("NOT_FOUND")));
    let applied = tool(&mut bridge, "3", "canvas_apply_patch", patch("- two", "- 2"), 3000);
    assert_eq!((code(&applied), &applied["applied_hunks"]), ("OK", &json!(1)));
    // A retry is answered and not done again.
    assert_eq!(tool(&mut bridge, "3", "canvas_apply_patch", patch("- two", "- 2"), 4000), applied);
    let text = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
    assert_eq!(text["markdown"], "# Plan\n\n- one\n- 2\n");
    assert_eq!(text["locked"], true);
    let edit = json!({"op": "user.edit", "canvas": "c", "markdown": "# Plan\n\n- mine\n", "now": 5000});
    assert_eq!(ask(&mut bridge, edit)["canvas_epoch"], 1);
    let stale = tool(&mut bridge, "4", "canvas_apply_patch", patch("- 2", "- 3"), 6000);
    assert_eq!(code(&stale), "STALE_EPOCH");
    assert!(stale["error"]["changes"]["diff"].as_str().is_some_and(|diff| diff.contains("+- mine")));
    // The retry of the write still answers as it did.
    assert_eq!(tool(&mut bridge, "3", "canvas_apply_patch", patch("- two", "- 2"), 7000), applied);
    let ended = ask(&mut bridge, json!({"op": "turn.end", "canvas": "c", "now": 8000}));
    assert_eq!(ended["promoted"], false, "the user has interrupted this turn");
    let message = ended["hidden_message"].as_str().expect("the text has changed");
    assert!(message.starts_with(canvas_tools::HIDDEN_HEADER) && message.ends_with("```"));
    let next = ask(&mut bridge, json!({"op": "user.message", "canvas": "c", "now": 9000}));
    assert_eq!(next, json!({"canvas_epoch": 2, "hidden_message": null}));
}

#[test]
fn a_cancel_ends_the_turn_until_the_next_message() {
    let mut bridge = with_canvas();
    check_out(&mut bridge, "1", 1000);
    ask(&mut bridge, json!({"op": "user.cancel", "canvas": "c", "now": 2000}));
    let late = tool(&mut bridge, "2", "canvas_check_out", json!({}), 3000);
    assert_eq!((code(&late), &late["error"]["reason"]), ("LOCK_NOT_AVAILABLE", &json!("USER_ACTIVE")));
    ask(&mut bridge, json!({"op": "user.message", "canvas": "c", "now": 4000}));
    check_out(&mut bridge, "3", 5000);
}

#[test]
fn a_clock_that_jumps_ends_leases_and_nothing_else() {
    let mut bridge = with_canvas();
    for (i, (at, expected)) in
        [(1_000_000, "OK"), (1_014_999, "OK"), (1_011_000, "OK"), (u64::MAX >> 11, "LEASE_EXPIRED")]
            .into_iter()
            .enumerate()
    {
        let lease = if i == 0 { check_out(&mut bridge, "out", at) } else { "lease-1-0".into() };
        let read = tool(&mut bridge, &format!("r{i}"), "canvas_read_all", json!({"lease_id": lease}), at);
        assert_eq!(code(&read), expected, "at {at}");
    }
    let lease = check_out(&mut bridge, "again", u64::MAX >> 11);
    let back = tool(&mut bridge, "b", "canvas_read_all", json!({"lease_id": lease}), 1_000);
    assert_eq!(code(&back), "STALE_EPOCH");
}

fn answer(stop: &str, content: Value) -> Value {
    json!({"type": "message", "role": "assistant", "model": "m", "id": "msg", "stop_reason": stop, "content": content})
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}

fn play(bridge: &mut Bridge, bodies: Value, more: Value) -> Value {
    let mut request = json!({"op": "loop.script", "provider": "anthropic", "canvas": "c", "prompt": "Tidy up.",
                             "bodies": bodies, "max_steps": 8, "now": 10_000});
    request.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    ask(bridge, request)
}

#[test]
fn scripts_run_on_a_real_canvas_and_leave_no_lock() {
    let out = answer("tool_use", json!([call("t1", "canvas_check_out", json!({}))]));
    let patch = json!({"lease_id": "lease-1-1", "patch": "@@\n - one\n-- two\n+- 2\n"});
    let write = answer("tool_use", json!([call("t2", "canvas_apply_patch", patch.clone())]));
    let cut = answer("max_tokens", json!([call("t2", "canvas_apply_patch", patch)]));
    let bye = answer("end_turn", json!([{"type": "text", "text": "Done."}]));
    for (bodies, more, outcome, requests, markdown) in [
        (json!([out, write, bye]), json!({}), "completed", 3, "# Plan\n\n- one\n- 2\n"),
        (json!([out, cut, bye]), json!({}), "completed", 3, DOCUMENT),
        (json!([out, write, bye]), json!({"max_steps": 1}), "max_steps", 1, DOCUMENT),
        (json!([out, write, bye]), json!({"interrupt_after": 1}), "interrupted", 1, DOCUMENT),
        (json!([out]), json!({}), "transport_failed", 2, DOCUMENT),
        (json!([out, "garbage"]), json!({}), "unusable", 2, DOCUMENT),
    ] {
        let mut bridge = with_canvas();
        let result = play(&mut bridge, bodies, more);
        assert_eq!((&result["outcome"], &result["locked"]), (&json!(outcome), &json!(false)));
        assert_eq!(result["requests"].as_array().map(Vec::len), Some(requests), "{outcome}");
        assert!(result["steps"].as_array().is_some_and(|steps| !steps.is_empty()));
        let text = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
        assert_eq!((&text["markdown"], &text["locked"]), (&json!(markdown), &json!(false)), "{outcome}");
    }
}

/// On the wire: an edit of the user comes before what the user says, that of a turn before the next prompt, and each
/// is sent once.
#[test]
fn hidden_messages_are_sent_once_and_in_their_places() {
    let mut bridge = with_canvas();
    let out = answer("tool_use", json!([call("t1", "canvas_check_out", json!({}))]));
    let patch = json!({"lease_id": "lease-1-2", "patch": "@@\n-- mine\n+- ours\n"});
    let write = answer("tool_use", json!([call("t2", "canvas_apply_patch", patch)]));
    let bye = answer("end_turn", json!([{"type": "text", "text": "Done."}]));
    let edit = json!({"op": "user.edit", "canvas": "c", "markdown": "# Plan\n\n- mine\n", "now": 1000});
    ask(&mut bridge, edit);
    let played = play(&mut bridge, json!([out, write, bye]), json!({}));
    for request in played["requests"].as_array().expect("requests") {
        let first = request["messages"][0]["content"].as_array().expect("parts");
        let reported = first[0]["text"].as_str().expect("a text");
        assert!(first.len() == 2 && reported.starts_with(canvas_tools::HIDDEN_HEADER), "{first:?}");
        assert!(reported.contains("\n+- mine\n"), "{reported}");
    }
    let ended = ask(&mut bridge, json!({"op": "turn.end", "canvas": "c", "now": 1000}));
    let reported = ended["hidden_message"].as_str().expect("the model has written");
    assert!(reported.contains("\n-- mine\n+- ours\n"), "{reported}");
    // The next prompt begins a history of its own, in which nothing is left to tell.
    let played = play(&mut bridge, json!([bye]), json!({}));
    assert_eq!(played["requests"][0]["messages"][0]["content"].as_array().map(Vec::len), Some(1));
}

/// Two windows show one revision, and both save.
#[test]
fn an_edit_on_an_older_revision_is_moved_or_refused_with_both_texts() {
    let mut bridge = with_canvas();
    let base = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}))["revision_id"].clone();
    let edit = |markdown: &str| json!({"op": "user.edit", "canvas": "c", "markdown": markdown, "base_revision_id": base, "now": 1000});
    let first = ask(&mut bridge, edit("# Plan\n\n- ONE\n- two\n"));
    let moved = ask(&mut bridge, edit("# The plan\n\n- one\n- two\n"));
    assert_eq!((&first["moved"], &moved["moved"]), (&json!(false), &json!(true)));
    let both = "# The plan\n\n- ONE\n- two\n";
    let mine = "# Plan\n\n- 1\n- two\n";
    let reply = raw(&mut bridge, &edit(mine).to_string());
    let error = &reply["error"];
    assert_eq!((code(&reply), &error["reason"]), ("PATCH_REJECTED", &json!("STALE_BASE")));
    assert_eq!((&error["markdown"], &error["revision_id"]), (&json!(mine), &moved["revision_id"]));
    assert!(
        error["changes"]["diff"].as_str().is_some_and(|diff| diff.contains("-- one\n+- ONE\n")),
        "{error}"
    );
    let text = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
    assert_eq!((&text["markdown"], &text["revision_id"]), (&json!(both), &moved["revision_id"]));
    for base in [json!("r1"), json!(1), json!("r9-00000000")] {
        let request =
            json!({"op": "user.edit", "canvas": "c", "markdown": "", "base_revision_id": base, "now": 1000});
        let expected = if base == "r9-00000000" { "PATCH_REJECTED" } else { "BAD_REQUEST" };
        assert_eq!(code(&raw(&mut bridge, &request.to_string())), expected, "{base}");
    }
}

#[test]
fn a_person_is_named_by_the_operations_of_people_and_checked() {
    let mut bridge = with_canvas();
    let long = "p".repeat(129);
    for (person, expected) in [
        (json!("p-17"), "OK"),
        (json!(null), "OK"),
        (json!(""), "BAD_REQUEST"),
        (json!(long), "BAD_REQUEST"),
        (json!("a\u{202e}b"), "BAD_REQUEST"),
        (json!("a\nb"), "BAD_REQUEST"),
        (json!(17), "BAD_REQUEST"),
    ] {
        let before = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
        let edit = json!({"op": "user.edit", "canvas": "c", "markdown": format!("{person}\n"), "person": person, "now": 1000});
        let reply = raw(&mut bridge, &edit.to_string());
        let after = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
        if expected == "OK" {
            assert_eq!(
                (&reply["ok"], after["markdown"] == before["markdown"]),
                (&json!(true), false),
                "{reply}"
            );
        } else {
            assert_eq!((code(&reply), &after), (expected, &before), "{person}");
        }
    }
    // A person who undoes, and an operation that is nobody's.
    let undo = json!({"op": "history.undo", "canvas": "c", "person": "p-18", "now": 1000});
    assert_eq!(ask(&mut bridge, undo)["undone"].as_array().map(Vec::len), Some(1));
    let text = json!({"op": "canvas.text", "canvas": "c", "person": "p-17"});
    assert_eq!(code(&raw(&mut bridge, &text.to_string())), "BAD_REQUEST");
}

#[test]
fn the_same_script_runs_twice() {
    let mut bridge = with_canvas();
    for _ in 0..2 {
        let out = answer("tool_use", json!([call("t1", "canvas_check_out", json!({}))]));
        let result = play(&mut bridge, json!([out, answer("end_turn", json!([]))]), json!({}));
        assert_eq!(result["outcome"], "completed");
        let last = &result["requests"][1]["messages"];
        let results = last.as_array().and_then(|m| m.last()).expect("the results come last");
        assert!(results.to_string().contains("lease_id"), "{results}");
    }
}

#[test]
fn a_call_id_that_left_no_receipt_may_be_used_again() {
    let mut bridge = with_canvas();
    let wrong = tool(&mut bridge, "1", "canvas_check_out", json!({"x": 1}), 1000);
    assert_eq!(code(&wrong), "INVALID_ARGUMENTS");
    ask(&mut bridge, json!({"op": "user.message", "canvas": "c", "now": 2000}));
    check_out(&mut bridge, "1", 3000);
}

#[test]
fn callers_may_name_sessions_and_calls_as_they_like() {
    let mut bridge = with_canvas();
    for (session, call) in [("user", "bridge-1"), ("host", "create"), ("main", "bridge-2")] {
        let request = json!({"op": "tool.call", "canvas": "c", "session": session, "call_id": call,
                             "name": "canvas_check_out", "arguments": {}, "now": 1000});
        let reply = ask(&mut bridge, request);
        assert_ne!(code(&reply), "CALL_ID_REUSED", "{session} {call}");
        ask(&mut bridge, json!({"op": "user.message", "canvas": "c", "session": session, "now": 2000}));
    }
}

#[test]
fn an_address_is_one_of_two() {
    let mut bridge = Bridge::new();
    for address in [
        json!({}),
        json!({"lines": [1, 1], "item": 4}),
        json!({"lines": [1, 1], "section": ["A"]}),
        json!({"section": ["A"], "item": 1, "fence": 1}),
    ] {
        let request = json!({"op": "markdown.resolve", "text": "# A\n", "address": address});
        assert_eq!(code(&raw(&mut bridge, &request.to_string())), "BAD_REQUEST", "{address}");
    }
}

/// The host takes back what anyone has done, and does it again.
#[test]
fn the_history_goes_back_and_forth() {
    let mut bridge = with_canvas();
    let lease = check_out(&mut bridge, "1", 1000);
    let patch = json!({"lease_id": lease, "patch": "@@\n - one\n-- two\n+- 2\n"});
    tool(&mut bridge, "2", "canvas_apply_patch", patch.clone(), 2000);
    let edit =
        json!({"op": "user.edit", "canvas": "c", "markdown": "# Plan\n\n- one\n- 2\n- 3\n", "now": 3000});
    ask(&mut bridge, edit);
    let text = |bridge: &mut Bridge| {
        ask(bridge, json!({"op": "canvas.text", "canvas": "c"}))["markdown"].as_str().unwrap().to_owned()
    };
    let undone = ask(&mut bridge, json!({"op": "history.undo", "canvas": "c", "steps": 2, "now": 4000}));
    assert_eq!(
        undone["undone"],
        json!([
            {"number": 3, "change": 2, "kind": "undo", "author": "user", "summary": "+1 −0, 1 hunk", "revision": 4},
            {"number": 4, "change": 1, "kind": "undo", "author": "assistant", "summary": "+1 −1, 1 hunk",
             "revision": 5},
        ])
    );
    assert_eq!(text(&mut bridge), DOCUMENT);
    let redone = ask(&mut bridge, json!({"op": "history.redo", "canvas": "c", "now": 5000}));
    assert_eq!(redone["redone"][0]["change"], 1);
    assert_eq!(text(&mut bridge), "# Plan\n\n- one\n- 2\n");
    for (request, code) in [
        (json!({"op": "history.undo", "canvas": "c", "steps": u64::MAX, "now": 6000}), "BAD_REQUEST"),
        (json!({"op": "history.undo", "canvas": "c", "steps": 0, "now": 6000}), "BAD_REQUEST"),
        (json!({"op": "history.undo", "canvas": "c", "steps": -1, "now": 6000}), "BAD_REQUEST"),
        (json!({"op": "history.undo", "canvas": "nowhere", "now": 6000}), "CANVAS_NOT_FOUND"),
    ] {
        let reply = raw(&mut bridge, &request.to_string());
        assert_eq!(self::code(&reply), code, "{request} gave {reply}");
    }
    // Of more steps than there are, those that there are.
    for (op, name, markdown) in [
        ("history.redo", "redone", "# Plan\n\n- one\n- 2\n- 3\n"),
        ("history.undo", "undone", DOCUMENT),
        ("history.redo", "redone", "# Plan\n\n- one\n- 2\n- 3\n"),
    ] {
        let request = json!({"op": op, "canvas": "c", "steps": 1000, "now": 6500});
        let done = ask(&mut bridge, request.clone());
        assert!(matches!(done[name].as_array().map(Vec::len), Some(1 | 2)), "{done}");
        assert_eq!(text(&mut bridge), markdown);
        let expected = if name == "undone" { "NOTHING_TO_UNDO" } else { "NOTHING_TO_REDO" };
        assert_eq!(code(&raw(&mut bridge, &request.to_string())), expected);
    }
    // The undoing was the user's, so it ended the lease.
    let late = tool(&mut bridge, "3", "canvas_apply_patch", patch, 7000);
    assert_eq!(code(&late), "STALE_EPOCH");
}

#[test]
fn directives_edit_by_offsets_and_by_diffs() {
    let mut bridge = with_canvas();
    let text = |bridge: &mut Bridge| ask(bridge, json!({"op": "canvas.text", "canvas": "c"}));
    let apply = |bridge: &mut Bridge, directive: Value| {
        let request = json!({"op": "directive.apply", "canvas": "c", "directive": directive, "now": 2000});
        raw(bridge, &request.to_string())
    };
    let first = text(&mut bridge)["revision_id"].clone();
    let diff = "@@ -3,2 +3,2 @@\n - one\n-- two\n+- zwei\n";
    let patch = json!({"action": "patch", "diff": diff, "document_version": first});
    let done = apply(&mut bridge, patch.clone())["result"].clone();
    let second = text(&mut bridge)["revision_id"].clone();
    assert_eq!(done["document_version"], second);
    assert_eq!(done["status"], format!("applied: +1 chars (patch, version={})", second.as_str().unwrap()));
    assert_eq!((&done["spans"][0]["start_line"], &done["spans"][0]["end_line"]), (&json!(4), &json!(4)));
    assert_eq!(done["summary"], "+1 chars");
    assert_eq!(text(&mut bridge)["markdown"], "# Plan\n\n- one\n- zwei\n");

    let replace = json!({"action": "replace", "content": "Plans", "target_range": {"start": 2, "end": 6}});
    assert_eq!(apply(&mut bridge, replace)["ok"], json!(true));
    let before = text(&mut bridge);
    assert_eq!(before["markdown"], "# Plans\n\n- one\n- zwei\n");
    for (directive, code) in [
        (patch, "STALE_VERSION"),
        (json!({"action": "patch", "diff": diff, "content": "x", "version": second}), "INVALID_DIRECTIVE"),
        (json!({"action": "patch", "diff": diff, "version": before["revision_id"]}), "PATCH_REJECTED"),
        (json!({"action": "insert", "content": "x", "target_range": [99, 99]}), "INVALID_RANGE"),
        (json!(null), "INVALID_DIRECTIVE"),
    ] {
        let reply = apply(&mut bridge, directive);
        assert_eq!((&reply["ok"], self::code(&reply)), (&json!(false), code), "{reply}");
        assert!(reply["error"]["status"].as_str().unwrap().starts_with("failed: "), "{reply}");
    }
    assert_eq!(text(&mut bridge), before);

    // Two edits, two steps back.
    ask(&mut bridge, json!({"op": "history.undo", "canvas": "c", "steps": 2, "now": 3000}));
    assert_eq!(text(&mut bridge)["markdown"], DOCUMENT);
    // While a model holds the lease, the host's directive waits.
    check_out(&mut bridge, "1", 4000);
    let insert = json!({"action": "insert", "content": "x", "target_range": [0, 0]});
    assert_eq!(code(&apply(&mut bridge, insert)), "LOCK_NOT_AVAILABLE");
}

fn error_code(bridge: &mut Bridge, request: Value) -> Value {
    raw(bridge, &request.to_string())["error"]["code"].clone()
}

#[test]
fn a_store_is_opened_at_the_start_only() {
    let mut bridge = Bridge::new();
    let open = |kind: &str| json!({"op": "store.open", "kind": kind, "path": "/nowhere/at/all.db"});
    assert_eq!(error_code(&mut bridge, open("paper")), "BAD_REQUEST");
    let unavailable = if cfg!(feature = "sqlite") { "STORE_UNAVAILABLE" } else { "NOT_SUPPORTED" };
    assert_eq!(error_code(&mut bridge, open("sqlite")), unavailable);
    ask(&mut bridge, open("memory"));
    ask(&mut bridge, json!({"op": "canvas.create", "canvas": "c", "markdown": "a\n", "now": 1_000}));
    assert_eq!(error_code(&mut bridge, open("memory")), "BAD_REQUEST");
}

#[cfg(feature = "sqlite")]
#[test]
fn canvases_in_a_file_outlive_the_bridge() {
    let folder = canvas_store_testing::Folder::new();
    let open = json!({"op": "store.open", "kind": "sqlite", "path": folder.file()});
    let edit = |text: &str| json!({"op": "user.edit", "canvas": "c", "markdown": text, "now": 2_000});
    let mut bridge = Bridge::new();
    ask(&mut bridge, open.clone());
    ask(&mut bridge, json!({"op": "canvas.create", "canvas": "c", "markdown": "a\n", "now": 1_000}));
    ask(&mut bridge, edit("b\n"));
    for text in ["c\n", "d\n"] {
        let mut bridge = Bridge::new();
        ask(&mut bridge, open.clone());
        ask(&mut bridge, edit(text));
        assert_eq!(ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}))["markdown"], text);
    }
}

#[test]
fn old_blobs_are_collected_and_counted() {
    let mut bridge = Bridge::new();
    ask(&mut bridge, json!({"op": "canvas.create", "canvas": "c", "markdown": "0\n", "now": 1_000}));
    for n in 1..=20 {
        let edit = json!({"op": "user.edit", "canvas": "c", "markdown": format!("{n}\n"), "now": 1_000 + n});
        ask(&mut bridge, edit);
    }
    let stats = |bridge: &mut Bridge| ask(bridge, json!({"op": "store.stats", "canvas": "c"}));
    let number = |value: &Value, name: &str| value[name].as_u64().unwrap();
    let before = stats(&mut bridge);
    let collect = |older_than: u64| json!({"op": "store.collect", "canvas": "c", "keep_entries": 5, "older_than": older_than, "now": 2_000});
    assert_eq!(ask(&mut bridge, collect(60_000))["removed"], 0, "all are young");
    let removed = number(&ask(&mut bridge, collect(0)), "removed");
    let after = stats(&mut bridge);
    assert!(removed > 20, "{removed}");
    assert_eq!(number(&before, "blobs") - removed, number(&after, "blobs"));
    assert!(number(&after, "blob_bytes") < number(&before, "blob_bytes"));
    assert!(number(&after, "written_bytes") > number(&before, "blob_bytes"));
    assert!(number(&after, "head_bytes") > 100);
    let undone = ask(&mut bridge, json!({"op": "history.undo", "canvas": "c", "steps": 99, "now": 2_000}));
    assert_eq!(undone["undone"].as_array().unwrap().len(), 5);
    assert_eq!(ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}))["markdown"], "15\n");
}

#[test]
fn time_expressions_in_a_zone() {
    let mut bridge = Bridge::new();
    let mut eval = |request: Value| {
        let mut request = request;
        request["op"] = json!("date.eval");
        let reply = raw(&mut bridge, &request.to_string());
        match code(&reply) {
            "OK" => reply["result"]["value"].clone(),
            code => json!([code, reply["error"]["column"]]),
        }
    };
    let now = 1_774_785_600_000_u64;
    for (request, expected) in [
        (json!({"expr": "now-30d/d", "now": now}), json!("2026-02-27T00:00:00+00:00")),
        (
            json!({"expr": "now-30d/d", "now": now, "timezone": "europe/berlin"}),
            json!("2026-02-27T00:00:00+01:00"),
        ),
        (json!({"expr": "now-30x", "now": now}), json!(["EXPR_INVALID", 7])),
        (json!({"expr": "now+7974y", "now": now}), json!(["EXPR_INVALID", 4])),
        (json!({"expr": "now", "now": now, "timezone": "Berlin"}), json!(["UNKNOWN_TIME_ZONE", null])),
        (json!({"expr": "now", "now": 9e18 as u64}), json!(["BAD_REQUEST", null])),
        (json!({"expr": "now"}), json!(["BAD_REQUEST", null])),
        (json!({"now": now}), json!(["BAD_REQUEST", null])),
    ] {
        assert_eq!(eval(request.clone()), expected, "{request}");
    }
}

#[test]
fn operations_on_a_list() {
    let mut bridge = Bridge::new();
    let mut apply = |request: Value| {
        let mut request = request;
        request["op"] = json!("ops.apply");
        let reply = raw(&mut bridge, &request.to_string());
        match code(&reply) {
            "OK" => reply["result"]["value"].clone(),
            code => json!([code, reply["error"]["place"], reply["error"]["errors"].as_array().map(Vec::len)]),
        }
    };
    let today = json!([{"op": "filter", "path": "", "cmp": "ge", "value": {"$date": "now/d", "as": "unix"}}]);
    for (request, expected) in [
        (json!({"value": [3, 1, 2], "ops": [{"op": "sort", "by": [{"path": ""}]}]}), json!([1, 2, 3])),
        (json!({"value": {}, "ops": []}), json!({})),
        (json!({"value": [0, 5, 86_400], "ops": today, "now": 86_500_000}), json!([86_400])),
        (
            json!({"value": [0, 1, 60_000], "ops": today, "now": 86_500_000, "timezone": "America/New_York"}),
            json!([60_000]),
        ),
        (json!({"value": [], "ops": today}), json!(["BAD_REQUEST", null, null])),
        (json!({"value": [], "ops": [], "timezone": "Mars"}), json!(["UNKNOWN_TIME_ZONE", null, null])),
        (json!({"value": 1, "ops": [{"op": "limit", "count": 1}]}), json!(["MAPPING_FAILED", "/0", 1])),
        (json!({"value": [], "ops": [{"op": "limit"}, 1]}), json!(["RECIPE_INVALID", "/0/count", 2])),
    ] {
        assert_eq!(apply(request.clone()), expected, "{request}");
    }
}

/// `canvas_check_out` and the others with the extended toolset and its policies, or without.
fn offered(
    bridge: &mut Bridge,
    toolset: Option<&str>,
    call: (&str, &str),
    arguments: Value,
    now: u64,
) -> Value {
    let (name, call_id) = call;
    let mut request = json!({"op": "tool.call", "canvas": "c", "session": "main", "call_id": call_id, "name": name,
                             "arguments": arguments, "now": now});
    if let Some(toolset) = toolset {
        request["toolset"] = json!(toolset);
    }
    ask(bridge, request)
}

#[test]
fn the_extended_toolset_moves_patches_and_takes_leases_anew() {
    for (toolset, moved, taken) in [(Some("extended"), "OK", "OK"), (None, "PATCH_REJECTED", "LEASE_EXPIRED")]
    {
        let mut bridge = with_canvas();
        let lease = check_out(&mut bridge, "out", 1000);
        offered(&mut bridge, toolset, ("canvas_read_all", "read"), json!({"lease_id": lease}), 1000);
        let markdown = "# Plan\n\n- one\n- two\n- of the user\n";
        ask(&mut bridge, json!({"op": "user.edit", "canvas": "c", "markdown": markdown, "now": 1000}));
        let lease = check_out(&mut bridge, "again", 1000);
        let patch = json!({"lease_id": lease, "patch": "@@\n-- one\n+- first\n"});
        let reply = offered(&mut bridge, toolset, ("canvas_apply_patch", "p"), patch, 1000);
        assert_eq!(code(&reply), moved, "{reply}");
        let patch = json!({"lease_id": lease, "patch": "@@\n-- two\n+- second\n"});
        let reply = offered(&mut bridge, toolset, ("canvas_apply_patch", "q"), patch, 60_000);
        assert_eq!(code(&reply), taken, "{reply}");
        assert_eq!(reply["lease_id"].is_string(), taken == "OK");
    }
}

/// The bridge keeps what each session was shown, and forgets it with a restart.
#[test]
fn an_old_number_decides_nothing_at_the_bridge() {
    let mut bridge = Bridge::new();
    let markdown = "# A\n- todo\n\n# B\n- todo\n";
    ask(&mut bridge, json!({"op": "canvas.create", "canvas": "c", "markdown": markdown, "now": 1000}));
    let lease = check_out(&mut bridge, "out", 1000);
    let patch = |lease: &str, patch: &str| json!({"lease_id": lease, "patch": patch});
    let status = "@@ -5 +5 @@\n-- todo\n+- done\n";
    let refused = tool(&mut bridge, "p1", "canvas_apply_patch", patch(&lease, status), 1000);
    assert_eq!(refused["error"]["reason"], "AMBIGUOUS", "{refused}");
    let header = refused["error"]["conflicts"][0]["places"][1]["header"].as_str().expect("it decides");
    let decided = format!("{header}\n-- todo\n+- done\n");
    let done = tool(&mut bridge, "p2", "canvas_apply_patch", patch(&lease, &decided), 1000);
    assert_eq!(done["ok"], true, "{done}");
    let text = ask(&mut bridge, json!({"op": "canvas.text", "canvas": "c"}));
    assert_eq!(text["markdown"], "# A\n- todo\n\n# B\n- done\n");
}

#[test]
fn positions_are_converted_among_all_units() {
    let mut bridge = Bridge::new();
    let ask_at = |at: Value| json!({"op": "text.positions", "text": "ä\r\n🦀b\n", "at": at});
    let crab = json!({"byte": 4, "scalar": 3, "utf16": 3, "line": 2, "scalar_column": 0});
    let after = json!({"byte": 8, "scalar": 4, "utf16": 5, "line": 2, "scalar_column": 1});
    let at = json!([{"byte": 4}, {"line": 2, "scalar_column": 0}, {"utf16": 5}, {"scalar": 4}]);
    let found = ask(&mut bridge, ask_at(at));
    assert_eq!(found["positions"], json!([crab, crab, after, after]));
    // Between CR and LF.
    assert_eq!(ask(&mut bridge, ask_at(json!([{"byte": 3}])))["positions"][0]["scalar_column"], 2);
    for (at, expected, place) in [
        (json!([{"byte": 0}, {"byte": 5}]), "POSITION_INVALID", json!("/at/1")),
        (json!([{"utf16": 4}]), "POSITION_INVALID", json!("/at/0")),
        (json!([{"scalar": 7}]), "POSITION_INVALID", json!("/at/0")),
        (json!([{"line": 2, "scalar_column": 3}]), "POSITION_INVALID", json!("/at/0")),
        (json!([{"line": 2}]), "BAD_REQUEST", Value::Null),
        (json!([{"char": 2}]), "BAD_REQUEST", Value::Null),
        (json!([{"byte": -1}]), "BAD_REQUEST", Value::Null),
        (json!([{"line": 1, "scalar_column": 0, "byte": 2}]), "BAD_REQUEST", Value::Null),
        (json!([{"byte": 1, "utf16": 1}]), "BAD_REQUEST", Value::Null),
    ] {
        let refused = raw(&mut bridge, &ask_at(at.clone()).to_string());
        assert_eq!(code(&refused), expected, "{at}");
        if !place.is_null() {
            assert_eq!(refused["error"]["place"], place, "{at}");
        }
    }
}
