//! A short story in which each tool answers at least once, and some calls fail. The same each time.

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_examples::bridge::Bridge;
use canvas_tools::native::Dialect;
use canvas_tools::{NativeTools, Session, ToolCall, Tools};
use serde_json::{Value, json};

/// A tool's reply.
#[derive(Debug, Clone)]
pub(crate) struct Recorded {
    pub(crate) tool: String,
    pub(crate) reply: Value,
}

impl Recorded {
    pub(crate) fn line(&self) -> String {
        json!({"tool": self.tool, "reply": self.reply}).to_string()
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.reply["ok"] == true
    }
}

/// 2026-04-15T12:00:00Z.
const NOON: u64 = 1_776_254_400_000;

const DOCUMENT: &str = "# Plan\n\n- [ ] tests\n- [ ] release\n\n# Notes\n\nNone yet.\n\n| day | by |\n| --- | --- |\n| Friday | all |\n";

pub(crate) fn all() -> Vec<Recorded> {
    let mut story = Story { bridge: Bridge::new(), now: NOON, recorded: Vec::new() };
    story.document();
    story.board();
    story.directives();
    story.surface();
    story.recipe();
    story.recorded.extend(native());
    story.recorded
}

struct Story {
    bridge: Bridge,
    now: u64,
    recorded: Vec<Recorded>,
}

impl Story {
    fn ask(&mut self, mut request: Value) -> Value {
        request["now"] = self.now.into();
        let reply = self.bridge.call(&request.to_string());
        let mut reply: Value = serde_json::from_str(&reply).expect("a reply of the bridge is JSON");
        assert_eq!(reply["ok"], true, "{request} is answered {reply}");
        reply["result"].take()
    }

    /// A call a second later, in the session of the canvas.
    fn tool(&mut self, canvas: &str, toolset: &str, tool: &str, arguments: Value) -> Value {
        self.tool_of("agent:main:main", canvas, toolset, tool, arguments)
    }

    fn tool_of(&mut self, session: &str, canvas: &str, toolset: &str, tool: &str, arguments: Value) -> Value {
        self.now += 1_000;
        let reply = self.ask(json!({
            "op": "tool.call", "canvas": canvas, "session": session, "toolset": toolset,
            "call_id": format!("call-{}", self.recorded.len()), "name": tool, "arguments": arguments,
        }));
        self.recorded.push(Recorded { tool: tool.to_owned(), reply: reply.clone() });
        reply
    }

    fn document(&mut self) {
        self.ask(json!({"op": "canvas.create", "canvas": "plan", "markdown": DOCUMENT}));
        let lease = self.tool("plan", "extended", "canvas_check_out", json!({}))["lease_id"].clone();
        let mut call = |tool: &str, mut arguments: Value| {
            arguments["lease_id"] = lease.clone();
            self.tool("plan", "extended", tool, arguments)
        };
        call("canvas_outline", json!({}));
        call("canvas_read_all", json!({}));
        call("canvas_read_section", json!({"path": ["Plan"]}));
        call("canvas_read_section", json!({"path": ["Plans"]}));
        call("canvas_grep", json!({"query": "\\[ \\]", "regex": true, "context": 1}));
        call("canvas_grep", json!({"query": "("}));
        let lines = call("canvas_read_lines", json!({"start_line": 8, "end_line": 8}));
        call("canvas_read_lines", json!({"start_line": 90, "end_line": 91}));
        call("canvas_apply_patch", json!({"patch": "@@ -3,1 +3,1 @@\n-- [ ] tests\n+- [x] tests\n"}));
        call("canvas_apply_patch", json!({"patch": "@@\n-- [ ] test\n+- [x] test\n"}));
        let text = json!({"start_line": 8, "end_line": 8, "expect_hash": lines["range_hash"], "text": "Ship on Friday.\n"});
        call("canvas_replace_lines", text.clone());
        call("canvas_replace_lines", text);
        call("canvas_edit_list", json!({"section": ["Plan"], "item": [2], "check": true}));
        call("canvas_edit_list", json!({"item": [90], "check": true}));
        let found = call("canvas_grep", json!({"query": "tests"}));
        let all = json!({"find": "tests", "with": "trials", "revision_id": found["revision_id"], "count": found["total"]});
        call("canvas_replace_all", all);
        call("canvas_rename_heading", json!({"section": ["Nowhere"], "title": "Here"}));
        call("canvas_rename_heading", json!({"section": ["Notes"], "title": "Remarks", "links": true}));
        call("canvas_move", json!({"from": {"section": ["Remarks"]}, "before": {"section": ["Plan"]}}));
        call("canvas_edit_table", json!({"table": 1, "set": {"row": 1, "column": "by", "value": "two"}}));
        call("canvas_set_front_matter", json!({"key": "title", "value": "Plan"}));
        let history = call("canvas_history", json!({"limit": 3, "versions": true}));
        let past = |revision: &Value| json!({"start_line": 1, "end_line": 3, "revision_id": revision});
        call("canvas_read_lines", past(&history["changes"][1]["revision_id"]));
        call("canvas_read_lines", past(&json!("r99-00000000")));
        call("canvas_renew_lease", json!({}));
        self.tool_of("agent:main:other", "plan", "extended", "canvas_check_out", json!({}));
        self.tool("plan", "extended", "canvas_check_in", json!({"lease_id": lease}));
        self.tool("plan", "extended", "canvas_read_all", json!({"lease_id": lease}));
        self.tool("plan", "extended", "canvas_read_all", json!({"lease": lease}));
    }

    fn board(&mut self) {
        self.ask(json!({
            "op": "board.create", "canvas": "board",
            "grid": {"columns": 12, "rows": 8, "gap": 8, "cellWidth": 80, "cellHeight": 60},
        }));
        let mut call = |tool: &str, arguments: Value| self.tool("board", "extended", tool, arguments);
        let create = |cols: u64| json!({"type_id": "github.pr-list", "config": {"repo": "o/r"}, "size": {"cols": cols, "rows": 2}});
        let made = call("create_component", create(3));
        call("create_component", create(20));
        let id = &made["component_id"];
        let move_to =
            |col: u64| json!({"operations": [{"component_id": id, "position": {"col": col, "row": 1}}]});
        call("modify_component", json!({"component_id": id, "config_updates": {"limit": 3}}));
        call("modify_component", json!({"component_id": id, "config_updates": {"limit": "many"}}));
        call("arrange_canvas", move_to(4));
        call("arrange_canvas", move_to(40));
        call("label_component", json!({"component_id": id, "label": "Pull requests", "pinned": true}));
        call("refresh_component", json!({"component_id": id}));
        call("request_action", json!({"component_id": id, "action_id": "open"}));
        call("request_action", json!({"component_id": id, "action_id": "close"}));
        call("show_canvas", json!({}));
        let view = call("save_view", json!({"name": "Morning"}));
        call("undo", json!({"steps": 2}));
        call("redo", json!({"steps": 2}));
        call("redo", json!({}));
        call("load_view", json!({"view_id": view["view_id"]}));
        call("delete_view", json!({"view_id": view["view_id"]}));
        call("delete_view", json!({"view_id": "view-9"}));
        let command = json!({"name": "create_component", "arguments": create(3)});
        let plan = call("plan_canvas", json!({"commands": [command]}));
        call("commit_plan", json!({"plan_id": plan["plan_id"]}));
        call("commit_plan", json!({"plan_id": "plan-9"}));
        call("remove_component", json!({"component_id": id}));
        call("remove_component", json!({"component_id": id}));
        call("clear_canvas", json!({}));
    }

    fn directives(&mut self) {
        self.ask(json!({"op": "canvas.create", "canvas": "text", "markdown": DOCUMENT}));
        let mut call = |tool: &str, arguments: Value| self.tool("text", "directive", tool, arguments);
        let snapshot = call("document_snapshot", json!({"selection": [8, 19]}));
        call("document_snapshot", json!({"offset": 9_000}));
        call("diff_builder", json!({"original": "- [ ] tests\n", "updated": "- [x] tests\n"}));
        let edit = json!({
            "action": "replace", "target_range": [8, 19], "content": "- [x] tests",
            "document_version": snapshot["document_version"], "selection_fingerprint": snapshot["selection_hash"],
        });
        call("document_edit", edit.clone());
        call("document_edit", edit);
        call("document_edit", json!({"action": "replace"}));
    }

    fn surface(&mut self) {
        self.ask(json!({"op": "surface.host", "tools": {"shell": {"result": "done"}}}));
        self.ask(json!({"op": "canvas.create", "canvas": "deploy", "markdown": ""}));
        let mut call = |mut arguments: Value, operation: &str| {
            arguments["operation"] = operation.into();
            self.tool("deploy", "surface", "gsv__Canvas", arguments)
        };
        let spec = json!({"version": 1, "mode": "html", "toolPolicy": {"allow": []}, "state": {"step": 1}});
        let assets = json!({"assets/index.html": "<p>Deploy</p>"});
        call(json!({}), "get");
        call(json!({"title": "Deploy", "spec": spec, "assets": assets}), "upsert");
        call(json!({"spec": {"version": 2}}), "upsert");
        call(json!({}), "get");
        call(json!({}), "list");
        call(json!({}), "open");
        call(json!({}), "close");
        call(json!({"patch": [{"op": "replace", "path": "/step", "value": 2}]}), "patchState");
        call(json!({"patch": [{"op": "move", "path": "/step", "from": "/a"}]}), "patchState");
    }

    fn recipe(&mut self) {
        let rows = json!({"rows": [{"id": "b", "amount": 20}]});
        self.ask(json!({
            "op": "surface.host",
            "tools": {"orders": {"readOnly": true, "version": "1.0", "result": rows}, "mail": {"result": {"sent": true}}},
        }));
        self.ask(json!({"op": "canvas.create", "canvas": "shop", "markdown": ""}));
        self.tool("shop", "recipe", "canvas_refresh", json!({}));
        for (id, tool, arguments, result) in [
            ("c1", "orders", json!({"from": "2026-04-08"}), rows),
            ("c2", "mail", json!({"to": "Ada"}), json!({"sent": true})),
        ] {
            let call = json!({"id": id, "name": tool, "arguments": arguments});
            self.ask(json!({
                "op": "recipe.observe", "canvas": "shop", "session": "agent:main:main", "call": call, "result": result,
            }));
        }
        let declared = |step: &str| {
            json!({
                "mappings": [
                    {"step": step, "path": "/rows/0/amount", "component": "amount"},
                    {"step": "c2", "path": "/sent", "component": "sent"},
                ],
                "params": {"c1": {"/from": {"$date": "now-7d/d", "as": "date"}}},
            })
        };
        self.tool("shop", "recipe", "canvas_record_recipe", declared("c9"));
        self.tool("shop", "recipe", "canvas_record_recipe", declared("c1"));
        self.tool("shop", "recipe", "canvas_refresh", json!({}));
        self.tool("shop", "recipe", "canvas_refresh", json!({"components": ["nobody"]}));
    }
}

/// A call that is right and one that misses, in each dialect.
fn native() -> Vec<Recorded> {
    let mut recorded = Vec::new();
    for dialect in Dialect::ALL {
        let now = Timestamp::from_millis(NOON);
        let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
        let (canvas, chat) = (CanvasId::new("plan"), ConversationId::new("chat"));
        let (canvas, chat) = (canvas.expect("a short name"), chat.expect("a short name"));
        let create = CallId::new("create").expect("a short name");
        let key = OpKey::of(chat.clone(), create);
        block_on(engine.create(&canvas, DOCUMENT, &key, now)).expect("the canvas is new");
        let mut session = block_on(Session::open(&engine, canvas, chat, now)).expect("the canvas is there");
        let tools = Tools::new(NativeTools::new(dialect)).expect("one toolset");
        let name = dialect.tool_names()[0];
        let mut calls = vec![edit(dialect, "- [ ] tests", "- [x] tests"), edit(dialect, "- [ ] test", "?")];
        if dialect == Dialect::TextEditor {
            calls.push(json!({"command": "view", "path": "document.md", "view_range": [1, 3]}));
        }
        for (number, arguments) in calls.into_iter().enumerate() {
            let call = ToolCall { id: format!("call-{number}"), name: name.to_owned(), arguments };
            let reply = block_on(tools.call(&engine, &mut session, &call, now));
            recorded.push(Recorded { tool: name.to_owned(), reply: reply.body().clone() });
        }
    }
    recorded
}

/// The line `old` becomes `new`.
fn edit(dialect: Dialect, old: &str, new: &str) -> Value {
    let path = "document.md";
    match dialect {
        Dialect::TextEditor => {
            json!({"command": "str_replace", "path": path, "old_str": format!("{old}\n"), "new_str": format!("{new}\n")})
        }
        Dialect::ApplyPatch => {
            json!({"type": "update_file", "path": path, "diff": format!("@@\n-{old}\n+{new}\n")})
        }
        Dialect::CodexPatch => {
            let patch =
                format!("*** Begin Patch\n*** Update File: {path}\n@@\n-{old}\n+{new}\n*** End Patch\n");
            json!({"input": patch})
        }
        Dialect::Edit | Dialect::Replace => {
            json!({"file_path": path, "old_string": format!("{old}\n"), "new_string": format!("{new}\n")})
        }
        Dialect::SearchReplace => {
            json!({"text": format!("<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n")})
        }
        _ => Value::Null,
    }
}
