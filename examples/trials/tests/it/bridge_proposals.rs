//! Proposals of a person and of a model, by the bridge.

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

const DOCUMENT: &str = "# Plan\n\nbuy milk on Monday\n\ncall home\n\nwrite\n";

struct Desk {
    bridge: Bridge,
    now: u64,
}

impl Desk {
    fn new(mode: &str) -> Self {
        let mut desk = Self { bridge: Bridge::new(), now: 1_000 };
        desk.ask(json!({"op": "canvas.create", "canvas": "c", "markdown": DOCUMENT}));
        desk.ask(json!({"op": "canvas.mode", "canvas": "c", "mode": mode}));
        desk
    }

    fn send(&mut self, mut request: Value) -> Value {
        self.now += 1;
        request["now"] = json!(self.now);
        serde_json::from_str(&self.bridge.call(&request.to_string())).unwrap()
    }

    fn ask(&mut self, request: Value) -> Value {
        let reply = self.send(request.clone());
        assert_eq!(reply["ok"], json!(true), "{request} gave {reply}");
        reply["result"].clone()
    }

    fn code(&mut self, request: Value) -> Value {
        self.send(request)["error"]["code"].clone()
    }

    fn text(&mut self) -> String {
        let text = self.ask(json!({"op": "canvas.text", "canvas": "c"}));
        text["markdown"].as_str().unwrap().to_owned()
    }

    fn list(&mut self) -> Value {
        self.ask(json!({"op": "proposal.list", "canvas": "c"}))["proposals"].take()
    }

    fn tool(&mut self, session: &str, name: &str, arguments: Value) -> Value {
        let call = format!("call {}", self.now);
        self.ask(json!({"op": "tool.call", "canvas": "c", "session": session, "call_id": call, "name": name,
                        "arguments": arguments, "toolset": "extended"}))
    }

    /// A session that proposes, after the user's message.
    fn proposing(&mut self, session: &str) {
        self.ask(json!({"op": "session.mode", "canvas": "c", "session": session, "mode": "propose"}));
        self.ask(json!({"op": "user.message", "canvas": "c", "session": session}));
    }
}

#[test]
fn a_model_proposes_and_a_person_decides() {
    for mode in ["exclusive", "collaborative"] {
        let mut desk = Desk::new(mode);
        desk.proposing("x");
        let patch = "@@\n-buy milk on Monday\n+buy oat milk on Monday\n@@\n-call home\n+call mum\n@@\n write\n+sleep\n";
        let reply = desk.tool("x", "canvas_apply_patch", json!({"patch": patch}));
        assert_eq!(reply["proposed"], json!({"parts": ["p1", "p2", "p3"]}), "{reply}");
        assert_eq!(desk.text(), DOCUMENT);
        let ended = desk.ask(json!({"op": "turn.end", "canvas": "c", "session": "x"}));
        assert!(
            ended["hidden_message"].as_str().is_some_and(|message| message.contains("+call mum")),
            "{ended}"
        );
        // Reads are of the proposed text.
        let read = desk.tool("x", "canvas_read_all", json!({}));
        let proposed = "# Plan\n\nbuy oat milk on Monday\n\ncall mum\n\nwrite\nsleep\n";
        assert_eq!((&read["text"], &read["revision_id"]), (&json!(proposed), &reply["revision_id"]));
        // A person types in the line of a part.
        let edit = json!({"op": "user.edit", "canvas": "c", "markdown": DOCUMENT.replace("Monday", "Friday"), "person": "anna"});
        desk.ask(edit);
        let parts = desk.list()[0]["parts"].take();
        assert_eq!(
            parts[0],
            json!({"id": "p1", "state": "pending", "start_line": 3, "end_line": 3,
                   "before": "buy milk on Friday\n", "after": "buy oat milk on Friday\n"})
        );
        assert_eq!(
            (&parts[2]["start_line"], &parts[2]["end_line"], &parts[2]["before"]),
            (&json!(8), &json!(7), &json!(""))
        );
        let decided = desk
            .ask(json!({"op": "proposal.decide", "canvas": "c", "accept": ["p1"], "reject": ["p2"],
            "note": "not mum", "person": "anna", "seen": {"p1": "buy oat milk on Friday\n"}}));
        assert_eq!((&decided["accepted"], &decided["rejected"]), (&json!(["p1"]), &json!(["p2"])));
        assert_eq!(decided["markdown"], DOCUMENT.replace("milk on Monday", "oat milk on Friday"));
        // The model hears of both with the next message, and proposes the rejected part again.
        let message = desk.ask(json!({"op": "user.message", "canvas": "c", "session": "x"}));
        let message = message["hidden_message"].as_str().unwrap();
        assert!(message.contains("-buy oat milk on Monday\n+buy oat milk on Friday"), "{message}");
        assert!(message.contains("-call mum\n+call home"), "{message}");
        assert!(message.ends_with("```\nRejected (lines 5-5): \"not mum\""), "{message}");
        let again = desk.tool("x", "canvas_apply_patch", json!({"patch": "@@\n-call home\n+call mum\n"}));
        let before = json!({"parts": ["p4"], "rejected_before": {"p4": {"note": "not mum"}}});
        assert_eq!(again["proposed"], before, "{again}");
        // Undo by the person takes the decision back.
        let history = desk.ask(json!({"op": "history.list", "canvas": "c"}));
        let last = history["changes"].as_array().unwrap().last().unwrap();
        assert_eq!(
            (&last["actor"], &last["author"]["conversation"]),
            (&json!({"person": "anna"}), &json!("x"))
        );
        let undone =
            desk.ask(json!({"op": "history.undo", "canvas": "c", "by": {"person": "anna"}, "steps": 1}));
        assert_eq!(undone["undone"][0]["change"], last["change"]);
        let ids: Vec<_> =
            desk.list()[0]["parts"].as_array().unwrap().iter().map(|part| part["id"].clone()).collect();
        // The lines of p2 are those of p4 by now.
        assert_eq!(json!(ids), json!(["p1", "p2", "p4", "p3"]), "{mode}");
        assert_eq!(desk.list()[0]["parts"][1]["state"], "stale");
    }
}

#[test]
fn people_propose_by_text_or_patch() {
    let mut desk = Desk::new("exclusive");
    let markdown = DOCUMENT.replace("home", "mum");
    let made = desk.ask(json!({"op": "proposal.make", "canvas": "c", "person": "anna", "markdown": markdown, "reason": "it is Sunday"}));
    assert_eq!(
        made["proposal"],
        json!({"owner": {"person": "anna"}, "parts": [{"id": "p1", "state": "pending", "start_line": 5, "end_line": 5,
               "before": "call home\n", "after": "call mum\n", "reason": "it is Sunday"}]})
    );
    desk.ask(json!({"op": "proposal.make", "canvas": "c", "patch": "@@\n-call home\n+call Bob\n@@\n-write\n+read\n"}));
    let all = desk.ask(json!({"op": "proposal.text", "canvas": "c", "owner": null}));
    let combined = DOCUMENT.replace("home", "mum").replace("write", "read");
    assert_eq!(all, json!({"markdown": combined, "left_out": ["p2"]}));
    let own = desk.ask(json!({"op": "proposal.text", "canvas": "c", "owner": {"person": "user"}}));
    assert_eq!(own["markdown"], DOCUMENT.replace("home", "Bob").replace("write", "read"));
    let redline =
        desk.ask(json!({"op": "proposal.redline", "canvas": "c", "owner": null, "format": "criticmarkup"}));
    let marked = "# Plan\n\nbuy milk on Monday\n\ncall {~~home~>mum~~}\n\n{~~write~>read~~}\n";
    assert_eq!(redline, json!({"text": marked}));
    let spans = desk.ask(
        json!({"op": "proposal.redline", "canvas": "c", "owner": {"person": "anna"}, "format": "spans"}),
    );
    assert_eq!(
        spans["spans"][2],
        json!({"kind": "insert", "text": "mum", "part": "p1", "owner": {"person": "anna"}})
    );
    let edit = json!({"op": "proposal.decide", "canvas": "c", "edit": {"id": "p1", "after": "call dad\n"}});
    let decided = desk.ask(edit);
    assert_eq!((&decided["accepted"], &decided["stale"]), (&json!(["p1"]), &json!(["p2"])));
    assert_eq!(decided["markdown"], DOCUMENT.replace("home", "dad"));
    let left = desk
        .ask(json!({"op": "proposal.withdraw", "canvas": "c", "owner": {"person": "user"}, "parts": ["p2"]}));
    assert_eq!(left["proposals"][0]["parts"][0]["id"], "p3");
    let left = desk.ask(json!({"op": "proposal.withdraw", "canvas": "c", "owner": {"person": "user"}}));
    assert_eq!(left["proposals"], json!([]));
}

#[test]
fn bad_requests_have_codes() {
    let mut desk = Desk::new("exclusive");
    let markdown = DOCUMENT.replace("home", "mum");
    desk.ask(json!({"op": "proposal.make", "canvas": "c", "person": "anna", "markdown": markdown}));
    let before = (desk.text(), desk.list());
    for (request, expected) in [
        (json!({"op": "proposal.make", "person": "anna"}), "BAD_REQUEST"),
        (json!({"op": "proposal.make", "person": "anna", "markdown": "", "patch": ""}), "BAD_REQUEST"),
        (json!({"op": "proposal.make", "person": "", "markdown": ""}), "BAD_REQUEST"),
        (json!({"op": "proposal.make", "markdown": "", "reason": "x".repeat(513)}), "REASON_TOO_LONG"),
        (json!({"op": "proposal.make", "patch": "@@\n-nothing\n+something\n"}), "PATCH_REJECTED"),
        (json!({"op": "proposal.text", "owner": {"person": "bert"}}), "PROPOSAL_NOT_FOUND"),
        (json!({"op": "proposal.text", "owner": {"host": true}}), "BAD_REQUEST"),
        (json!({"op": "proposal.redline", "owner": null, "format": "html"}), "BAD_REQUEST"),
        (json!({"op": "proposal.decide"}), "BAD_REQUEST"),
        (json!({"op": "proposal.decide", "accept": "some"}), "BAD_REQUEST"),
        (json!({"op": "proposal.decide", "accept": ["1"]}), "PART_NOT_FOUND"),
        (json!({"op": "proposal.decide", "accept": ["p1"], "seen": {"p01": ""}}), "PART_NOT_FOUND"),
        (json!({"op": "proposal.withdraw", "owner": {"person": "anna"}, "parts": ["x"]}), "PART_NOT_FOUND"),
        (json!({"op": "proposal.decide", "accept": ["p2"]}), "PART_NOT_FOUND"),
        (json!({"op": "proposal.decide", "accept": ["p1"], "reject": ["p1"]}), "BAD_REQUEST"),
        (json!({"op": "proposal.decide", "accept": ["p1"], "seen": {"p1": "call home\n"}}), "PART_CHANGED"),
        (json!({"op": "proposal.decide", "reject": ["p1"], "note": "x".repeat(257)}), "NOTE_TOO_LONG"),
        (json!({"op": "proposal.withdraw", "owner": {"conversation": "main"}}), "PROPOSAL_NOT_FOUND"),
        (json!({"op": "proposal.withdraw", "owner": {"person": "anna"}, "parts": ["p9"]}), "PART_NOT_FOUND"),
        (json!({"op": "session.mode", "session": "x", "mode": "ask"}), "BAD_REQUEST"),
    ] {
        let mut request = request;
        request["canvas"] = json!("c");
        assert_eq!(desk.code(request.clone()), expected, "{request}");
    }
    assert_eq!((desk.text(), desk.list()), before);
}

/// Accepted text has the person who accepted it as actor, and the conversation as author.
#[test]
fn blame_names_who_made_a_line_happen_and_who_wrote_it() {
    let mut desk = Desk::new("exclusive");
    let edit = json!({"op": "user.edit", "canvas": "c", "markdown": DOCUMENT.replace("home", "mum"), "person": "anna"});
    desk.ask(edit);
    desk.proposing("x");
    desk.tool("x", "canvas_apply_patch", json!({"patch": "@@\n-write\n+sleep\n"}));
    desk.ask(json!({"op": "proposal.decide", "canvas": "c", "accept": "all", "person": "bert"}));
    let runs = desk.ask(json!({"op": "history.blame", "canvas": "c"}))["runs"].clone();
    let (anna, bert) = (json!({"person": "anna"}), json!({"person": "bert"}));
    let named: Vec<_> = runs
        .as_array()
        .unwrap()
        .iter()
        .map(|run| {
            let lines = (run["start_line"].as_u64().unwrap(), run["end_line"].as_u64().unwrap());
            (lines, run["actor"].clone(), run["author"]["conversation"].as_str().map(str::to_owned))
        })
        .collect();
    assert_eq!(
        named,
        [
            ((1, 4), json!(null), None),
            ((5, 5), anna.clone(), None),
            ((6, 6), json!(null), None),
            ((7, 7), bert, Some("x".to_owned())),
        ],
        "{runs}"
    );
    assert_eq!((&runs[1]["author"], &runs[1]["change"]), (&anna, &json!(1)));
    let some = desk.ask(json!({"op": "history.blame", "canvas": "c", "start_line": 4, "end_line": 5}));
    assert_eq!(some["runs"].as_array().map(Vec::len), Some(2), "{some}");
}

#[test]
fn a_session_that_proposes_changes_nothing_else() {
    let mut desk = Desk::new("exclusive");
    let grid = json!({"columns": 4, "rows": 4, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    desk.ask(json!({"op": "board.create", "canvas": "c", "grid": grid}));
    desk.proposing("x");
    for name in ["create_component", "remove_component", "arrange_canvas", "undo", "redo", "clear_canvas"] {
        let reply = desk.tool("x", name, json!({}));
        assert_eq!(reply["error"]["code"], "PROPOSE_ONLY", "{name} gave {reply}");
    }
    // Not even undo decides, in any session.
    desk.ask(json!({"op": "proposal.make", "canvas": "c", "person": "anna", "markdown": DOCUMENT.replace("write", "sing")}));
    desk.ask(json!({"op": "proposal.decide", "canvas": "c", "reject": ["p1"]}));
    for session in ["x", "y"] {
        let undone = desk.tool(session, "undo", json!({}));
        assert_eq!(undone["error"]["code"], "DECISION_BY_MODEL", "{undone}");
    }
    desk.ask(json!({"op": "history.undo", "canvas": "c", "by": {"person": "user"}}));
    assert_eq!(desk.tool("x", "redo", json!({}))["error"]["code"], "DECISION_BY_MODEL");
    desk.ask(json!({"op": "proposal.withdraw", "canvas": "c", "owner": {"person": "anna"}}));
    let native = desk.ask(json!({"op": "tool.call", "canvas": "c", "session": "x", "call_id": "n", "dialect": "edit", "path": "a.md",
        "arguments": {"file_path": "a.md", "old_string": "write", "new_string": "read"}}));
    assert_eq!(
        (desk.text(), &native["proposed"]),
        (DOCUMENT.to_owned(), &json!({"parts": ["p2"]})),
        "{native}"
    );
    let directive = json!({"action": "replace", "content": "Aims", "target_range": [2, 6]});
    let done =
        desk.ask(json!({"op": "directive.apply", "canvas": "c", "session": "x", "directive": directive}));
    assert_eq!(done["proposed"], json!({"parts": ["p3"]}), "{done}");
    // Everything else of the session works, and the lease of another keeps nobody from proposing.
    let taken = desk.tool("y", "canvas_check_out", json!({}));
    assert_eq!(taken["ok"], json!(true), "{taken}");
    desk.tool("x", "canvas_read_all", json!({}));
    let own = desk.tool("x", "canvas_apply_patch", json!({"patch": "@@\n-call home\n+call mum\n"}));
    assert_eq!(own["ok"], json!(true), "{own}");
    // A message in another chat ends the turn of both.
    desk.ask(json!({"op": "user.message", "canvas": "c", "session": "y"}));
    let ended = desk.ask(json!({"op": "turn.end", "canvas": "c", "session": "x"}));
    assert_eq!(ended["promoted"], json!(false), "the message promoted: {ended}");
    assert_eq!(desk.text(), DOCUMENT);
}
