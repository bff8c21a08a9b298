//! The user comes first.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, Folder, PATIENCE, pages};

/// A model and a page of one canvas.
fn pair(folder: &Folder, more: &[&str]) -> (Client, Client) {
    let database = folder.file("notes.db");
    let arguments: Vec<&str> = ["--db", &database].into_iter().chain(more.iter().copied()).collect();
    (Client::start(&arguments), Client::start_as("page", pages(), &arguments))
}

fn hidden(result: &Value) -> Option<&str> {
    result["content"].get(1)?["text"].as_str()
}

#[test]
fn the_next_reply_brings_what_the_user_changed_and_only_once() {
    let folder = Folder::new();
    let (mut model, mut page) = pair(&folder, &[]);
    let lease = model.check_out();
    page.done("app_edit", json!({"markdown": "# Notes\n\n- mine\n"}));
    assert_eq!(model.refused("canvas_read_all", json!({"lease_id": lease})), "STALE_EPOCH");
    page.done("app_edit", json!({"markdown": "# Notes\n\n- mine\n- too\n"}));
    let state = page.done("app_state", json!({}));
    assert_eq!(state["lock"]["locked"], false);
    let taken = model.call("canvas_check_out", json!({}));
    assert!(hidden(&taken).unwrap().contains("+- too"), "{taken}");
    let lease = &taken["structuredContent"]["lease_id"];
    let patched =
        model.call("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n-- mine\n+- yours\n"}));
    assert_eq!((patched["isError"].as_bool(), hidden(&patched)), (Some(false), None), "{patched}");
}

#[test]
fn an_edit_on_an_older_text_is_moved_or_refused_with_both() {
    let folder = Folder::new();
    let (mut model, mut page) = pair(&folder, &[]);
    let base = page.done("app_state", json!({}))["revision_id"].take();
    let lease = model.check_out();
    model.done("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n # Notes\n+\n+- model\n"}));
    let moved = page.done("app_edit", json!({"markdown": "# My notes\n", "base_revision_id": base}));
    assert_eq!((&moved["moved"], &moved["markdown"]), (&json!(true), &json!("# My notes\n\n- model\n")));
    let refused = page.call("app_edit", json!({"markdown": "# Other notes\n", "base_revision_id": base}));
    let error = &refused["structuredContent"]["error"];
    assert_eq!(
        (&error["code"], &error["reason"]),
        (&json!("PATCH_REJECTED"), &json!("STALE_BASE")),
        "{error}"
    );
    assert_eq!(error["markdown"], "# Other notes\n");
    assert_eq!(page.refused("app_edit", json!({"markdown": 7})), "INVALID_ARGUMENTS");
    assert_eq!(page.refused("app_edit", json!({"markdown": "", "canvas": "x"})), "CANVAS_NOT_FOUND");
}

#[test]
fn after_the_user_took_control_a_model_waits() {
    let folder = Folder::new();
    let (mut model, mut page) = pair(&folder, &["--quiet", "86400"]);
    model.check_out();
    let state = page.done("app_state", json!({}));
    assert_eq!((&state["lock"]["locked"], &state["lock"]["can_take_control"]), (&json!(true), &json!(true)));
    page.done("app_take_control", json!({}));
    assert_eq!(model.refused("canvas_check_out", json!({})), "LOCK_NOT_AVAILABLE");

    // A prompt begins at once, since people choose it.
    model.ask("prompts/get", json!({"name": "edit-document", "arguments": {"task": "sort"}})).unwrap();
    model.check_out();

    // Taking control is a prompt too, and no tool of the model.
    model.ask("prompts/get", json!({"name": "take-control"})).unwrap();
    assert_eq!(model.refused("canvas_check_out", json!({})), "LOCK_NOT_AVAILABLE");
    page.done("app_hand_back", json!({}));
    model.check_out();
}

/// The test above shows with a pause of a day that it waits until then.
#[test]
fn after_the_pause_a_model_begins_by_itself() {
    let folder = Folder::new();
    let (mut model, mut page) = pair(&folder, &["--quiet", "1"]);
    model.check_out();
    page.done("app_take_control", json!({}));
    let end = Instant::now() + PATIENCE;
    loop {
        let taken = model.call("canvas_check_out", json!({}));
        if taken["isError"] == false {
            break;
        }
        assert_eq!(taken["structuredContent"]["error"]["code"], "LOCK_NOT_AVAILABLE", "{taken}");
        assert!(Instant::now() < end, "the pause does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_the_user_does_on_the_board_is_told_and_undone() {
    let folder = Folder::new();
    let (mut model, mut page) = pair(&folder, &[]);
    let made = model.done("create_component", json!({"type_id": "text.note", "config": {"text": "x"}}));
    let id = &made["component_id"];
    let action = json!({"type": "user.move", "componentId": id, "position": {"col": 4, "row": 3}});
    let moved = page.done("app_board_action", json!({"action": action}));
    assert_eq!(moved["success"], true);
    let shown = model.call("show_canvas", json!({}));
    assert!(hidden(&shown).unwrap().starts_with("Board update (do not display to user)."), "{shown}");
    page.done("app_board_action", json!({"action": {"type": "user.undo"}}));
    let command = json!({"type": "component.remove", "payload": {"componentId": "nothing"}});
    let refused = page.call("app_board_command", json!({"command": command}));
    assert_eq!(refused["structuredContent"]["success"], false, "{refused}");
    let undone = page.done("app_undo", json!({}));
    assert_eq!(undone["entries"].as_array().unwrap().len(), 1);
    assert_eq!(page.done("app_state", json!({}))["board"]["canvas"]["components"], json!([]));
    page.done("app_redo", json!({}));
    assert_eq!(page.refused("app_redo", json!({"steps": 5})), "HISTORY_EMPTY");
}

#[test]
fn pages_are_whole_and_have_their_tools() {
    let mut page = Client::start_as("page", pages(), &[]);
    let listed = page.ask("resources/list", json!({})).unwrap();
    for uri in ["ui://canvas/document", "ui://canvas/board"] {
        assert!(listed["resources"].as_array().unwrap().iter().any(|one| one["uri"] == uri));
        let read = page.ask("resources/read", json!({"uri": uri})).unwrap();
        assert_eq!(read["contents"][0]["mimeType"], "text/html;profile=mcp-app");
    }
    let tools = page.ask("tools/list", json!({})).unwrap();
    for tool in tools["tools"].as_array().unwrap() {
        let (name, ui) = (tool["name"].as_str().unwrap(), &tool["_meta"]["ui"]);
        if name.starts_with("app_") {
            assert_eq!(ui["visibility"], json!(["app"]), "{name}");
        }
        if name.starts_with("canvas_") {
            assert_eq!(ui["resourceUri"], "ui://canvas/document", "{name}");
        }
    }
}

#[test]
fn a_page_that_told_the_model_says_so() {
    let folder = Folder::new();
    let mut both = Client::start_as("page", pages(), &["--db", &folder.file("notes.db")]);
    both.check_out();
    both.done("app_edit", json!({"markdown": "# Mine\n"}));
    let state = both.done("app_state", json!({}));
    assert!(state["changes"].as_str().unwrap().contains("+# Mine"));
    let told = both.done("app_state", json!({"told": state["revision"]}));
    assert_eq!(told["changes"], Value::Null);
    assert_eq!(hidden(&both.call("canvas_check_out", json!({}))), None);
}

#[test]
fn a_question_is_answered_by_who_was_asked_it_and_once() {
    let folder = Folder::new();
    let database = folder.file("notes.db");
    let mut client = Client::spawn(&["--db", &database]);
    let meta = |name: &str| {
        json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": name, "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
        })
    };
    let spec = json!({
        "version": 1, "mode": "html", "toolPolicy": {"allow": ["document.append"]}, "state": {}, "bindings": {},
        "actions": {"add": {"kind": "tool.call", "tool": "document.append", "args": {"text": "{{input.text}}"}}},
    });
    let made = json!({"operation": "upsert", "title": "x", "spec": spec});
    client.ask("tools/call", json!({"name": "gsv__Canvas", "arguments": made, "_meta": meta("a")})).unwrap();
    let arguments = json!({"actionId": "add", "input": {"text": "confirmed"}});
    let call = |arguments: &Value, meta: Value| json!({"name": "surface_action", "arguments": arguments, "_meta": meta});
    let asked = client.ask("tools/call", call(&arguments, meta("a"))).unwrap();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let state = asked["requestState"].as_str().unwrap();
    let answer = |arguments: &Value, who: &str, state: &str, action: &str| {
        let mut params = call(arguments, meta(who));
        params["requestState"] = state.into();
        params["inputResponses"] = json!({"confirm": {"action": action}});
        params
    };
    let altered = format!("{}A", &state[..state.len() - 1]);
    let others = json!({"actionId": "add", "input": {"text": "another"}});
    for (what, params) in [
        ("altered", answer(&arguments, "a", &altered, "accept")),
        ("nothing", answer(&arguments, "a", "nothing", "accept")),
        ("of another", answer(&arguments, "b", state, "accept")),
        ("of another call", answer(&others, "a", state, "accept")),
    ] {
        let refused = client.ask("tools/call", params);
        // The last character of base64 may have bits that mean nothing.
        let is_same = what == "altered" && refused.is_ok();
        assert!(is_same || refused.as_ref().unwrap_err()["code"] == -32602, "{what}: {refused:?}");
        if is_same {
            return;
        }
    }
    let declined = client.ask("tools/call", answer(&arguments, "a", state, "decline")).unwrap();
    assert_eq!(declined["structuredContent"]["error"]["code"], "CONFIRMATION_DECLINED");
    for _ in 0..2 {
        let done = client.ask("tools/call", answer(&arguments, "a", state, "accept")).unwrap();
        assert_eq!(done["structuredContent"]["ok"], true, "{done}");
    }
    let params = json!({"uri": "canvas://notes/document", "_meta": meta("a")});
    let read = client.ask("resources/read", params).unwrap();
    assert_eq!(read["contents"][0]["text"], "# Notes\nconfirmed\n", "it ran once");
}

/// Two models and two people at one canvas whose conversations have turns of their own.
#[test]
fn on_a_collaborative_canvas_nobody_ends_the_turn_of_another() {
    use canvas_core::store::Blocking;
    use canvas_core::testing::block_on;
    use canvas_core::turn::{SetWorkMode, WorkMode};
    use canvas_core::{Actor, CanvasId, Engine, OpKey, PersonId, Policy};
    use canvas_store_sqlite::{SqliteStore, system_clock};

    let folder = Folder::new();
    let database = folder.file("notes.db");
    let engine =
        Engine::new(Blocking::new(SqliteStore::open(&database, system_clock).unwrap()), Policy::default());
    let canvas = CanvasId::new("notes").unwrap();
    let key = |call: &str| OpKey::host(call.parse().unwrap());
    let text = "# Notes\n\n- one\n\n- two\n\n- three\n";
    block_on(engine.create(&canvas, text, &key("create"), system_clock())).unwrap();
    let mode = SetWorkMode { mode: WorkMode::Collaborative };
    block_on(engine.call(&canvas, &key("mode"), mode, system_clock())).unwrap().result.unwrap();

    let quiet = ["--db", &database, "--quiet", "86400"];
    let anna = [&quiet[..], &["--person", "Anna"]].concat();
    let (mut one, mut two) = (Client::start(&quiet), Client::start_as("other", json!({}), &quiet));
    let mut page = Client::start_as("page", pages(), &anna);
    let (first, second) = (one.check_out(), two.check_out());
    let base = page.done("app_state", json!({}))["revision_id"].take();
    let edited = text.replace("- three", "- 3");
    page.done("app_edit", json!({"markdown": edited, "base_revision_id": base}));
    let patch = |from: &str, to: &str| format!("@@\n-- {from}\n+- {to}\n");
    let done = one.done("canvas_apply_patch", json!({"lease_id": first, "patch": patch("one", "1")}));
    assert_eq!(done["repairs"][0]["kind"], "REBASED", "{done}");
    two.done("canvas_apply_patch", json!({"lease_id": second, "patch": patch("two", "2")}));
    let refused = two.call("canvas_apply_patch", json!({"lease_id": second, "patch": patch("three", "III")}));
    assert_eq!(refused["isError"], true, "{refused}");
    one.done("canvas_check_in", json!({"lease_id": first}));
    one.check_out();

    // A person at the page, whose name no model sees, takes control.
    page.done("app_take_control", json!({}));
    assert_eq!(one.refused("canvas_apply_patch", json!({"patch": patch("1", "I")})), "LOCK_NOT_AVAILABLE");
    page.done("app_hand_back", json!({}));
    let entries = block_on(engine.history(&canvas, None, 100, system_clock())).unwrap();
    let by_anna = Actor::Person { person: PersonId::new("Anna").unwrap() };
    assert_eq!(entries.iter().filter(|entry| entry.made_by() == by_anna).count(), 1);
    assert_eq!(
        block_on(engine.snapshot(&canvas, system_clock())).unwrap().text(),
        "# Notes\n\n- 1\n\n- 2\n\n- 3\n"
    );
    for seen in [done, refused] {
        assert!(!seen.to_string().contains("Anna"), "{seen}");
    }
}
