//! Two conversations and people on one canvas, by the bridge, in each mode.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

const DOCUMENT: &str = "# A\n\none\ntwo\nthree\nfour\nfive\nsix\n\n# B\n\nalpha\nbeta\ngamma\ndelta\n";

fn ask(bridge: &mut Bridge, request: &Value) -> Value {
    let reply: Value = serde_json::from_str(&bridge.call(&request.to_string())).unwrap();
    assert_eq!(reply["ok"], json!(true), "{request} gave {reply}");
    reply["result"].clone()
}

fn canvas(mode: &str) -> Bridge {
    let mut bridge = Bridge::new();
    ask(&mut bridge, &json!({"op": "canvas.create", "canvas": "c", "markdown": DOCUMENT, "now": 1000}));
    assert_eq!(
        ask(&mut bridge, &json!({"op": "canvas.mode", "canvas": "c", "mode": mode, "now": 1000})),
        json!({})
    );
    for session in ["x", "y"] {
        ask(&mut bridge, &json!({"op": "user.message", "canvas": "c", "session": session, "now": 1001}));
    }
    bridge
}

fn text(bridge: &mut Bridge) -> String {
    let text = ask(bridge, &json!({"op": "canvas.text", "canvas": "c"}));
    text["markdown"].as_str().unwrap().to_owned()
}

fn save(bridge: &mut Bridge, person: &str, markdown: &str, base: &Value, now: u64) -> Value {
    let op = json!({"op": "user.edit", "canvas": "c", "person": person, "markdown": markdown, "now": now,
                    "base_revision_id": base});
    serde_json::from_str(&bridge.call(&op.to_string())).unwrap()
}

/// A patch in a session, with no lease.
fn patch(bridge: &mut Bridge, session: &str, call: &str, patch: &str, now: u64) -> Value {
    let arguments = json!({"patch": patch});
    ask(
        bridge,
        &json!({"op": "tool.call", "canvas": "c", "session": session, "call_id": call,
                        "name": "canvas_apply_patch", "arguments": arguments, "now": now}),
    )
}

fn code(reply: &Value) -> String {
    let part = |pointer| reply.pointer(pointer).and_then(Value::as_str);
    match (part("/error/code"), part("/error/reason")) {
        (Some(code), Some(reason)) => format!("{code}/{reason}"),
        (code, _) => code.unwrap_or("OK").to_owned(),
    }
}

#[test]
fn a_patch_needs_no_lease_and_moves_past_an_edit() {
    let mut bridge = canvas("collaborative");
    let base = ask(&mut bridge, &json!({"op": "canvas.text", "canvas": "c"}))["revision_id"].clone();
    let edited = DOCUMENT.replace("# A\n", "# A\n\nzero\n");
    assert_eq!(save(&mut bridge, "anna", &edited, &base, 1002)["ok"], json!(true));
    let reply = patch(&mut bridge, "x", "1", "@@\n alpha\n-beta\n+BETA\n", 1003);
    assert_eq!(code(&reply), "OK", "{reply}");
    assert_eq!(reply["repairs"][0]["kind"], "REBASED");
    assert!(reply["changes"]["diff"].as_str().is_some_and(|diff| diff.contains("+zero")));
    let retry = patch(&mut bridge, "x", "1", "@@\n alpha\n-beta\n+BETA\n", 1004);
    assert_eq!(retry["new_revision_id"], reply["new_revision_id"]);
    // The other conversation quotes as context what the first has changed.
    let reply = patch(&mut bridge, "y", "1", "@@\n beta\n-gamma\n+GAMMA\n", 1005);
    assert_eq!(code(&reply), "PATCH_REJECTED/STALE_BASE");
    assert!(reply["error"].to_string().contains("+BETA"), "it shows the change: {reply}");
    // A part of the changes was shown, so the next patch names the text that it is for.
    let again = json!({"op": "tool.call", "canvas": "c", "session": "y", "call_id": "2", "now": 1006,
        "name": "canvas_apply_patch", "arguments": {"patch": "@@\n BETA\n-gamma\n+GAMMA\n",
        "base_revision_id": reply["revision_id"]}});
    let reply = ask(&mut bridge, &again);
    assert_eq!(code(&reply), "OK", "{reply}");
    assert_eq!(text(&mut bridge), edited.replace("beta", "BETA").replace("gamma", "GAMMA"));
}

#[test]
fn a_message_in_one_chat_leaves_the_calls_of_another() {
    for (mode, expected) in [("collaborative", "OK"), ("exclusive", "STALE_EPOCH")] {
        let mut bridge = canvas(mode);
        let out = |bridge: &mut Bridge, session, call| {
            let request = json!({"op": "tool.call", "canvas": "c", "session": session, "call_id": call,
                                 "name": "canvas_check_out", "arguments": {}, "now": 1002});
            ask(bridge, &request)
        };
        let lease = out(&mut bridge, "x", "out")["lease_id"].clone();
        let epoch =
            ask(&mut bridge, &json!({"op": "user.message", "canvas": "c", "session": "y", "now": 1003}));
        let write = json!({"op": "tool.call", "canvas": "c", "session": "x", "call_id": "write", "now": 1004,
            "name": "canvas_apply_patch", "arguments": {"lease_id": lease, "patch": "@@\n-one\n+ONE\n"}});
        assert_eq!(code(&ask(&mut bridge, &write)), expected, "{mode}");
        ask(&mut bridge, &json!({"op": "user.cancel", "canvas": "c", "session": "x", "now": 1005}));
        let again =
            ask(&mut bridge, &json!({"op": "user.message", "canvas": "c", "session": "y", "now": 1006}));
        assert!(epoch["canvas_epoch"].as_u64() < again["canvas_epoch"].as_u64());
        let late = patch(&mut bridge, "x", "late", "@@\n-two\n+TWO\n", 1007);
        assert_ne!(code(&late), "OK", "{mode}: its turn was cancelled");
    }
}

#[test]
fn people_s_words_of_one_line_are_both_kept() {
    let mut bridge = canvas("collaborative");
    let before = DOCUMENT.replace("one\n", "The quick brown fox jumps over the lazy dog.\n");
    let base = ask(&mut bridge, &json!({"op": "canvas.text", "canvas": "c"}))["revision_id"].clone();
    let base = save(&mut bridge, "anna", &before, &base, 1002)["result"]["revision_id"].clone();
    save(&mut bridge, "anna", &before.replace("quick", "slow"), &base, 1003);
    let saved = save(&mut bridge, "bert", &before.replace("lazy", "sleepy"), &base, 1004);
    assert_eq!(
        saved["result"]["merged"][0],
        json!({
            "line": 3,
            "mine": "The quick brown fox jumps over the sleepy dog.",
            "theirs": "The slow brown fox jumps over the lazy dog.",
            "now": "The slow brown fox jumps over the sleepy dog.",
        }),
        "{saved}"
    );
    let refused = save(&mut bridge, "carl", &before.replace("brown", "red"), &base, 1005);
    assert_eq!(refused["ok"], json!(false), "its word borders on a changed one: {refused}");
    assert!(text(&mut bridge).contains("The slow brown fox jumps over the sleepy dog.\n"));
}

#[test]
fn modes_are_words_and_a_switch_ends_every_turn() {
    let mut bridge = canvas("collaborative");
    let wrong = json!({"op": "canvas.mode", "canvas": "c", "mode": "both", "now": 1002});
    let reply: Value = serde_json::from_str(&bridge.call(&wrong.to_string())).unwrap();
    assert_eq!(code(&reply), "BAD_REQUEST");
    for mode in ["exclusive", "collaborative"] {
        ask(&mut bridge, &json!({"op": "canvas.mode", "canvas": "c", "mode": mode, "now": 1003}));
        let reply = ask(
            &mut bridge,
            &json!({"op": "tool.call", "canvas": "c", "session": "x", "call_id": mode,
                                            "name": "canvas_check_out", "arguments": {}, "now": 1004}),
        );
        assert_eq!(code(&reply), "LOCK_NOT_AVAILABLE/USER_ACTIVE", "{mode}");
        ask(&mut bridge, &json!({"op": "user.message", "canvas": "c", "session": "x", "now": 1005}));
        let reply = ask(
            &mut bridge,
            &json!({"op": "tool.call", "canvas": "c", "session": "x",
            "call_id": format!("{mode} again"), "name": "canvas_check_out", "arguments": {}, "now": 1006}),
        );
        assert_eq!(code(&reply), "OK", "{mode}");
    }
}

#[test]
fn a_native_edit_needs_the_current_document() {
    let mut bridge = canvas("collaborative");
    save(&mut bridge, "anna", &DOCUMENT.replace("one\n", "ONE\n"), &Value::Null, 1002);
    let edit = |call: &str, old: &str, new: &str| {
        json!({"op": "tool.call", "canvas": "c", "session": "x", "call_id": call, "name": "edit", "dialect": "edit",
               "arguments": {"file_path": "document.md", "old_string": old, "new_string": new}, "now": 1003})
    };
    let reply = ask(&mut bridge, &edit("1", "beta", "BETA"));
    assert_eq!((&reply["ok"], &reply["code"]), (&json!(false), &json!("PATCH_REJECTED")), "{reply}");
    assert!(reply["text"].as_str().is_some_and(|text| text.contains("+ONE")), "it shows the change: {reply}");
    assert_eq!(ask(&mut bridge, &edit("2", "beta", "BETA"))["ok"], json!(true));
}
