//! The history of several people and conversations, through the bridge.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

const TEXT: &str = "# T\n\na\n\nb\n\nc\n\nd\n";

/// A bridge with one canvas, and a clock.
struct World {
    bridge: Bridge,
    now: u64,
}

impl World {
    fn new() -> Self {
        let mut world = Self { bridge: Bridge::new(), now: 1_000 };
        world.ask(json!({"op": "canvas.create", "markdown": TEXT}));
        world
    }

    fn raw(&mut self, mut request: Value) -> Value {
        self.now += 1;
        request["canvas"] = "c".into();
        request["now"] = self.now.into();
        serde_json::from_str(&self.bridge.call(&request.to_string())).unwrap()
    }

    #[track_caller]
    fn ask(&mut self, request: Value) -> Value {
        let reply = self.raw(request.clone());
        assert_eq!(reply["ok"], json!(true), "{request} gave {reply}");
        reply["result"].clone()
    }

    fn text(&mut self) -> String {
        self.ask(json!({"op": "canvas.text"}))["markdown"].as_str().unwrap().to_owned()
    }

    fn edit(&mut self, person: &str, old: &str, new: &str) {
        let markdown = self.text().replacen(old, new, 1);
        self.ask(json!({"op": "user.edit", "markdown": markdown, "person": person}));
    }

    fn write(&mut self, session: &str, old: &str, new: &str) {
        self.ask(json!({"op": "user.message", "session": session}));
        let mut tool = |name: &str, arguments: Value| {
            let call = format!("{name} {}", self.now);
            self.ask(json!({"op": "tool.call", "session": session, "call_id": call, "name": name,
                            "arguments": arguments}))
        };
        let lease = tool("canvas_check_out", json!({}))["lease_id"].clone();
        tool("canvas_read_all", json!({"lease_id": lease}));
        let patch = format!("@@\n-{old}\n+{new}\n");
        let done = tool("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}));
        assert_eq!(done["ok"], json!(true), "{done}");
        tool("canvas_check_in", json!({"lease_id": lease}));
    }

    /// What a request answers, in short: the moved and the kept changes, or the code.
    fn moved(&mut self, request: Value) -> String {
        let reply = self.raw(request);
        let list = |name: &str| {
            let list = reply["result"][name].as_array();
            let list = list.map(|list| list.iter().map(|one| one["change"].to_string()).collect::<Vec<_>>());
            list.map_or_else(String::new, |list| format!("{name} {}", list.join(",")))
        };
        match reply.pointer("/error/code").and_then(Value::as_str) {
            Some(code) => code.to_owned(),
            None => [list("undone"), list("redone"), list("kept")].concat(),
        }
    }
}

/// 1 anna, 2 main, 3 bert, 4 side, 5 anna on bert's line.
fn shared() -> World {
    let mut world = World::new();
    world.edit("anna", "a\n", "A\n");
    world.write("main", "b", "B");
    world.edit("bert", "c\n", "C\n");
    world.write("side", "d", "D");
    world.edit("anna", "C\n", "C!\n");
    world
}

#[test]
fn one_actor_is_undone_and_redone() {
    for (by, answer, text) in [
        (json!({"person": "anna"}), "undone 5,1kept ", "# T\n\na\n\nB\n\nC\n\nD\n"),
        (json!({"person": "bert"}), "HISTORY_CONFLICT", "# T\n\nA\n\nB\n\nC!\n\nD\n"),
        (json!({"person": "user"}), "NOTHING_TO_UNDO", "# T\n\nA\n\nB\n\nC!\n\nD\n"),
        (json!({"conversation": "main"}), "undone 2kept ", "# T\n\nA\n\nb\n\nC!\n\nD\n"),
        (json!({"conversation": "side", "turn": 2}), "undone 4kept ", "# T\n\nA\n\nB\n\nC!\n\nd\n"),
        (json!({"conversation": "side", "turn": 9}), "NOTHING_TO_UNDO", "# T\n\nA\n\nB\n\nC!\n\nD\n"),
        (json!({"change": 1}), "undone 1kept ", "# T\n\na\n\nB\n\nC!\n\nD\n"),
        (json!({"change": 1, "edits": [0]}), "undone 1kept ", "# T\n\na\n\nB\n\nC!\n\nD\n"),
        (json!({"change": 1, "edits": [1]}), "EDIT_NOT_FOUND", "# T\n\nA\n\nB\n\nC!\n\nD\n"),
        (json!({"change": 9}), "HISTORY_NOT_FOUND", "# T\n\nA\n\nB\n\nC!\n\nD\n"),
    ] {
        let mut world = shared();
        let before = world.text();
        assert_eq!(world.moved(json!({"op": "history.undo", "by": by, "person": "carl"})), answer, "{by}");
        assert_eq!(world.text(), text, "{by}");
        world.edit("bert", "# T", "# U");
        let redo = json!({"op": "history.redo", "by": {"person": "carl"}});
        let expected = if answer.starts_with("undone") { "OK" } else { "NOTHING_TO_REDO" };
        let redone = world.moved(redo);
        assert_eq!(redone.starts_with("redone"), expected == "OK", "{by} {redone}");
        assert_eq!(world.text(), before.replace("# T", "# U"), "{by}");
    }
}

#[test]
fn fewer_changes_are_undone_by_steps_and_revisions() {
    let mut world = shared();
    let third = world.ask(json!({"op": "history.list", "limit": 3}))["changes"][2]["revision"].clone();
    let undo = |more: Value| {
        let mut request = json!({"op": "history.undo", "by": {"person": "anna"}, "person": "anna"});
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    };
    for (request, answer) in [
        (undo(json!({"steps": 1})), "undone 5kept "),
        (undo(json!({"since": third})), "undone 5kept "),
        (undo(json!({"since": 99})), "NOTHING_TO_UNDO"),
        (undo(json!({"steps": 9})), "undone 5,1kept "),
        (undo(json!({"partial": true})), "undone 5,1kept "),
        (undo(json!({"since": 1})), "undone 5,1kept "),
    ] {
        let mut world = shared();
        assert_eq!(world.moved(request.clone()), answer, "{request}");
    }
    let id = world.ask(json!({"op": "canvas.text"}))["revision_id"].clone();
    assert_eq!(world.moved(undo(json!({"since": id}))), "NOTHING_TO_UNDO");
    let partial = json!({"op": "history.undo", "by": {"person": "bert"}, "partial": true});
    assert_eq!(
        world.raw(partial)["result"]["kept"],
        json!([{"change": 3, "reason": "HISTORY_CONFLICT", "with": 5}])
    );
    // Without by, the last changes of the canvas, or as many as there are.
    assert_eq!(world.moved(json!({"op": "history.undo", "steps": 2})), "undone 5,4kept ");
    assert_eq!(world.moved(json!({"op": "history.undo", "steps": 9})), "undone 3,2,1kept ");
    assert_eq!(world.moved(json!({"op": "history.undo"})), "NOTHING_TO_UNDO");
    assert_eq!(world.moved(json!({"op": "history.redo", "steps": 9})), "redone 1,2,3,4,5");
    assert_eq!(world.moved(json!({"op": "history.redo"})), "NOTHING_TO_REDO");
}

/// Anna's steps are one command each, so she redoes all that it undid.
#[test]
fn many_steps_are_undone_at_once_or_not_at_all() {
    let mut world = World::new();
    let step = |steps: u32| json!({"op": "history.undo", "steps": steps, "person": "anna"});
    for number in 0..10 {
        world.ask(json!({"op": "user.edit", "markdown": format!("{number}\n"), "person": "anna"}));
    }
    let written = world.text();
    assert_eq!(world.moved(step(300)), "undone 10,9,8,7,6,5,4,3,2,1kept ");
    assert_eq!(world.text(), TEXT);
    assert_eq!(world.moved(step(300)), "NOTHING_TO_UNDO");
    let redo = json!({"op": "history.redo", "by": {"person": "anna"}, "person": "anna"});
    assert_eq!(world.moved(redo.clone()), "redone 1,2,3,4,5,6,7,8,9,10");
    assert_eq!(world.text(), written);
    for number in 10..290 {
        world.ask(json!({"op": "user.edit", "markdown": format!("{number}\n"), "person": "anna"}));
    }
    let written = world.text();
    assert_eq!(world.moved(step(257)), "HISTORY_TOO_DEEP");
    assert_eq!(world.text(), written);
    assert!(world.moved(step(256)).starts_with("undone "));
    assert_eq!(world.moved(json!({"op": "history.redo", "steps": 257})).split(',').count(), 256);
    assert_eq!(world.text(), written);
    assert!(world.moved(step(256)).starts_with("undone "));
    assert_eq!(world.moved(redo).split(',').count(), 256);
    assert_eq!(world.text(), written);
}

#[test]
fn a_redo_of_some_edits_names_their_change() {
    let mut world = World::new();
    let written = TEXT.replace("a\n", "A\n").replace("c\n", "C\n");
    world.ask(json!({"op": "user.edit", "markdown": written, "person": "anna"}));
    world.edit("bert", "d\n", "D\n");
    let undo = json!({"op": "history.undo", "by": {"change": 1, "edits": [1]}, "person": "anna"});
    assert_eq!(world.moved(undo), "undone 1kept ");
    let redo = json!({"op": "history.redo", "by": {"person": "anna"}, "person": "anna"});
    assert_eq!(world.moved(redo), "redone 1");
    // An undo is itself a change.
    let undo = json!({"op": "history.undo", "by": {"change": 1}, "person": "bert"});
    assert_eq!(world.moved(undo), "undone 1kept ");
    let undo = json!({"op": "history.undo", "by": {"change": 5}, "person": "bert"});
    assert_eq!(world.moved(undo), "undone 5kept ");
}

#[test]
fn the_list_names_actors_and_authors() {
    let mut world = shared();
    world.ask(json!({"op": "history.undo", "by": {"conversation": "main"}, "person": "bert"}));
    world.ask(json!({"op": "history.redo", "by": {"person": "bert"}, "person": "bert"}));
    let list = world.ask(json!({"op": "history.list"}));
    assert_eq!(list["next"], Value::Null);
    let short = |row: &Value| {
        let name = |actor: &Value| {
            actor["person"].as_str().or_else(|| actor["conversation"].as_str()).unwrap().to_owned()
        };
        let (actor, author) = (name(&row["actor"]), name(&row["author"]));
        format!("{} {} {actor} {author} {}", row["change"], row["kind"].as_str().unwrap(), row["edits"])
    };
    let rows = |list: &Value| list["changes"].as_array().unwrap().iter().map(short).collect::<Vec<_>>();
    let all = [
        "1 edit anna anna 1",
        "2 edit main main 1",
        "3 edit bert bert 1",
        "4 edit side side 1",
        "5 edit anna anna 1",
        "6 revert bert bert 1",
        "2 redo bert main 1",
    ];
    assert_eq!(rows(&list), all);
    let at: Vec<_> =
        list["changes"].as_array().unwrap().iter().map(|row| row["at"].as_u64().unwrap()).collect();
    assert!(at.is_sorted());
    for (by, expected) in [
        (json!({"person": "anna"}), vec![0, 4]),
        (json!({"person": "bert"}), vec![2, 5, 6]),
        (json!({"conversation": "main"}), vec![1, 6]),
        (json!({"conversation": "main", "turn": 1}), vec![1, 6]),
        (json!({"change": 2}), vec![1, 6]),
        (json!({"person": "nobody"}), vec![]),
    ] {
        let expected: Vec<_> = expected.into_iter().map(|row: usize| all[row]).collect();
        let (mut found, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = world.ask(json!({"op": "history.list", "by": by, "limit": 1, "after": after}));
            found.extend(rows(&page));
            after = page["next"].clone();
            if after.is_null() {
                break;
            }
        }
        assert_eq!(found, expected, "{by}");
    }
}

#[test]
fn what_by_cannot_mean_is_named() {
    let mut world = shared();
    let before = world.text();
    for (fields, named) in [
        (json!({"by": {}}), "by"),
        (json!({"by": "anna"}), "by"),
        // The fields in their order are not an object.
        (json!({"by": ["anna", null, null, null, null]}), "by"),
        (json!({"by": {"person": ""}}), "by"),
        (json!({"by": {"person": 7}}), "by"),
        (json!({"by": {"turn": 1}}), "by"),
        (json!({"by": {"host": true}}), "host"),
        (json!({"by": {"person": "anna", "conversation": "main"}}), "by"),
        (json!({"by": {"person": "anna", "turn": 1}}), "by"),
        (json!({"by": {"change": 1, "turn": 1}}), "by"),
        (json!({"by": {"edits": [0]}}), "by"),
        (json!({"by": {"change": 1, "edits": []}}), "edits"),
        (json!({"by": {"change": 1, "edits": [0, 0]}}), "edits"),
        (json!({"by": {"change": 1, "edits": [-1]}}), "by"),
        (json!({"by": {"change": 1}, "steps": 1}), "steps"),
        (json!({"by": {"person": "anna"}, "steps": 0}), "steps"),
        (json!({"by": {"person": "anna"}, "since": "x"}), "since"),
        (json!({"by": {"person": "anna"}, "partial": 1}), "partial"),
        (json!({"since": 1}), "since"),
        (json!({"partial": true}), "partial"),
        (json!({"after": 1}), "after"),
    ] {
        let mut request = json!({"op": "history.undo"});
        request.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let error = world.raw(request)["error"].clone();
        assert_eq!(error["code"], "BAD_REQUEST", "{fields} gave {error}");
        assert!(error["message"].as_str().unwrap().contains(named), "{fields} gave {error}");
    }
    for request in [
        json!({"op": "history.redo", "by": {"conversation": "main"}}),
        json!({"op": "history.redo", "by": {"person": "anna"}, "steps": 1}),
        json!({"op": "history.list", "limit": 0}),
        json!({"op": "history.list", "after": "x"}),
    ] {
        assert_eq!(world.moved(request.clone()), "BAD_REQUEST", "{request}");
    }
    assert_eq!(world.text(), before);
}
