//! Writes requests to the bridge with its replies, one pair as JSON in each line. A binding for another language plays the
//! requests again through its own objects, and must give the same replies.
//!
//! ```text
//! cargo run -p canvas-examples --example transcript -- 2000 faces
//! ```
//!
//! With `faces`, boards, surfaces and recipes are in it too.

use std::env;
use std::error::Error;
use std::io::{self, Write as _};

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let count = env::args().nth(1).map_or(Ok(2_000), |count| count.parse())?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut story = Story::new(env::args().nth(2).as_deref() == Some("faces"));
    while story.count < count {
        for (request, reply) in story.step() {
            writeln!(out, "{}", json!({"request": request, "reply": reply}))?;
        }
    }
    Ok(out.flush()?)
}

const LINES: [&str; 22] = [
    "# Plan",
    "## Step *one*",
    "## Step two",
    "### größe 🦀",
    "",
    "",
    "text of a line",
    "- [ ] task",
    "- [x] done",
    "  - deeper",
    "1. first",
    "1. second",
    "> quote",
    "```rust",
    "```",
    "| a | b |",
    "|---|---|",
    "| 1 | x\\|y |",
    "[^1]: note",
    "word[^1]",
    "tab\there",
    "e\u{301} \u{202e}x",
];

const SESSIONS: [&str; 3] = ["main", "second", "third"];
const PEOPLE: [&str; 2] = ["ana", "ben"];

/// A pseudorandom sequence, the same each time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    fn of<'v, T: ?Sized>(&mut self, values: &[&'v T]) -> &'v T {
        values[self.roll(values.len())]
    }

    fn one_of<const N: usize>(&mut self, values: [Value; N]) -> Value {
        let at = self.roll(N);
        values.into_iter().nth(at).expect("a roll is below its sides")
    }

    fn text(&mut self) -> String {
        let end = if self.roll(8) == 0 { "\r\n" } else { "\n" };
        let mut text: String = (0..self.roll(30)).map(|_| format!("{}{end}", self.of(&LINES))).collect();
        if self.roll(6) == 0 {
            text.insert_str(0, "---\nk: v\n---\n");
        }
        if self.roll(4) == 0 { text.trim_end().to_owned() } else { text }
    }

    /// The text with a few changed lines.
    fn change(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        for _ in 0..=self.roll(2) {
            let at = self.roll(lines.len() + 1);
            if self.roll(2) == 0 && at < lines.len() {
                lines.remove(at);
            }
            lines.insert(
                at.min(lines.len()),
                self.of(&["new line\n", "- [ ] new task\n", "neue Größe 🦀\n", "\n"]),
            );
        }
        lines.concat()
    }
}

struct Story {
    bridge: Bridge,
    dice: Dice,
    now: u64,
    count: usize,
    calls: usize,
    pairs: Vec<(Value, Value)>,
    has_faces: bool,
}

impl Story {
    fn new(has_faces: bool) -> Self {
        Self {
            has_faces,
            bridge: Bridge::new(),
            dice: Dice(0x9e37_79b9_7f4a_7c15),
            now: 1_700_000_000_000,
            count: 0,
            calls: 0,
            pairs: Vec::new(),
        }
    }

    /// Makes a few requests that belong together, and returns them with their replies.
    fn step(&mut self) -> Vec<(Value, Value)> {
        match self.dice.roll(if self.has_faces { 5 } else { 3 }) {
            0 => self.on_text(),
            1 | 2 => self.on_canvas(),
            3 => self.on_board(),
            _ => match self.dice.roll(2) {
                0 => self.on_surface(),
                _ => self.on_recipe(),
            },
        }
        std::mem::take(&mut self.pairs)
    }

    fn ask(&mut self, mut request: Value) -> Value {
        self.now += self.dice.roll(4_000) as u64;
        request["now"] = self.now.into();
        let reply: Value =
            serde_json::from_str(&self.bridge.call(&request.to_string())).expect("a reply is JSON");
        let code = reply.pointer("/error/code").and_then(Value::as_str);
        assert!(
            !matches!(code, Some("CANVAS_DAMAGED" | "INTERNAL" | "BAD_REQUEST")),
            "{request} gave {reply}"
        );
        self.count += 1;
        self.pairs.push((request, reply.clone()));
        reply
    }

    fn on_text(&mut self) {
        let before = self.dice.text();
        let after = self.dice.change(&before);
        match self.dice.roll(9) {
            0 | 1 => {
                let built = self.ask(json!({"op": "patch.build", "before": before, "after": after}));
                let mut patch = built["result"]["patch"].as_str().unwrap_or_default().to_owned();
                if self.dice.roll(3) == 0 {
                    patch = patch.replacen("\n ", "\n x", 1);
                }
                let mode = self.dice.of(&["strict", "anchored"]);
                let text = if self.dice.roll(4) == 0 { format!("first\n{before}") } else { before };
                self.ask(json!({"op": "patch.apply", "text": text, "patch": patch, "mode": mode}));
            }
            2 => drop(self.ask(json!({"op": "markdown.outline", "text": before}))),
            3 => {
                let address = match self.dice.roll(6) {
                    0 => json!({"lines": [1 + self.dice.roll(4), 3]}),
                    1 => json!({"section": ["Plan"], "item": 1}),
                    2 => json!({"section": [], "table": 1, "row": 1, "column": 1}),
                    3 => json!({"front_matter": true, "key": "k"}),
                    4 => json!({"footnote": "1"}),
                    _ => json!({"section": ["Step two"]}),
                };
                self.ask(json!({"op": "markdown.resolve", "text": before, "address": address}));
            }
            4 => {
                let query = self.dice.of(&["task", "größe", "^- .x. ", "(", "\\w+"]);
                let is_regex = self.dice.roll(2) == 0;
                self.ask(json!({"op": "text.grep", "text": before, "query": query, "regex": is_regex}));
            }
            5 => {
                let at = self.dice.roll(20);
                let at = self.dice.one_of([
                    json!({"byte": at}),
                    json!({"scalar": at}),
                    json!({"utf16": at}),
                    json!({"line": at, "scalar_column": 1}),
                ]);
                self.ask(json!({"op": "text.positions", "text": before, "at": [{"byte": 0}, at]}));
            }
            6 => drop(self.ask(json!({"op": "text.redline", "before": before, "after": after}))),
            7 => drop(self.ask(json!({"op": "markdown.effects", "before": before, "after": after}))),
            _ => {
                let edit = match self.dice.roll(5) {
                    0 => json!({"item": {"item": 1, "check": true}}),
                    1 => json!({"table": {"table": 1, "set": {"row": 1, "column": 1, "value": "9 | 9"}}}),
                    2 => json!({"rename": {"section": ["Step two"], "title": "Step 2", "links": true}}),
                    3 => json!({"front_matter": {"key": "k", "value": [1, "größe", null]}}),
                    _ => json!({"delete": {"section": ["Step *one*"]}}),
                };
                self.ask(json!({"op": "structure.apply", "text": before, "edit": edit}));
            }
        }
    }

    fn on_canvas(&mut self) {
        let canvas = format!("canvas-{}", self.dice.roll(8));
        let read = self.ask(json!({"op": "canvas.text", "canvas": canvas}));
        let Some(markdown) = read.pointer("/result/markdown").and_then(Value::as_str).map(str::to_owned)
        else {
            let markdown = self.dice.text();
            self.ask(json!({"op": "canvas.create", "canvas": canvas, "markdown": markdown}));
            return;
        };
        let base = read["result"]["revision_id"].clone();
        let (session, person) = (self.dice.of(&SESSIONS), self.dice.of(&PEOPLE));
        let changed = self.dice.change(&markdown);
        match self.dice.roll(16) {
            0..=2 => self.edit_as_model(&canvas, session, &markdown, &changed),
            3 => {
                // Of an older text, as somebody else has written meanwhile.
                let other = self.dice.change(&markdown);
                for text in [&changed, &other] {
                    self.ask(json!({"op": "user.edit", "canvas": canvas, "markdown": text,
                                    "base_revision_id": base, "person": person}));
                }
            }
            4 => drop(self.ask(json!({"op": "user.edit", "canvas": canvas, "markdown": changed}))),
            5 | 6 => {
                drop(self.ask(
                    json!({"op": "user.message", "canvas": canvas, "session": session, "person": person}),
                ));
            }
            7 => drop(self.ask(json!({"op": "turn.end", "canvas": canvas, "session": session}))),
            8 => {
                drop(self.ask(
                    json!({"op": "user.cancel", "canvas": canvas, "session": session, "person": person}),
                ))
            }
            9 => drop(self.ask(json!({"op": "session.close", "canvas": canvas, "session": session}))),
            10 => {
                let mode = self.dice.of(&["direct", "propose"]);
                self.ask(json!({"op": "session.mode", "canvas": canvas, "session": session, "mode": mode}));
            }
            11 | 12 => self.review(&canvas, person, &changed),
            13 | 14 => {
                let limit = 1 + self.dice.roll(5);
                self.ask(json!({"op": "history.list", "canvas": canvas, "limit": limit}));
                let change = 1 + self.dice.roll(9);
                let by = self.dice.one_of([
                    json!({"person": person}),
                    json!({"conversation": session}),
                    json!({"change": change}),
                ]);
                let partial = self.dice.roll(2) == 0;
                self.ask(json!({"op": "history.undo", "canvas": canvas, "by": by, "partial": partial, "person": person}));
                self.ask(json!({"op": "history.redo", "canvas": canvas, "by": {"person": person}, "person": person}));
            }
            _ => {
                let provider = self.dice.of(&["anthropic", "openai-responses", "openai-chat", "gemini"]);
                let toolset = self.dice.of(&["document", "extended"]);
                self.ask(json!({"op": "provider.tools", "provider": provider, "toolset": toolset}));
                self.ask(json!({"op": "tool.prompt", "toolset": toolset}));
                self.ask(
                    json!({"op": "store.collect", "canvas": canvas, "keep_entries": 50, "older_than": 0}),
                );
            }
        }
    }

    fn tool(&mut self, canvas: &str, session: &str, name: &str, arguments: &Value) -> Value {
        self.calls += 1;
        // Some calls are retries.
        let call = format!("call-{}", self.calls - usize::from(self.dice.roll(12) == 0));
        let toolset = self.dice.of(&["document", "document", "extended"]);
        self.ask(
            json!({"op": "tool.call", "canvas": canvas, "session": session, "call_id": call, "name": name,
                        "arguments": arguments, "toolset": toolset, "strict": true}),
        )["result"]
            .take()
    }

    fn edit_as_model(&mut self, canvas: &str, session: &str, markdown: &str, changed: &str) {
        let taken = self.tool(canvas, session, "canvas_check_out", &json!({}));
        let lease = taken["lease_id"].as_str().unwrap_or("none");
        let found = self.tool(canvas, session, "canvas_grep", &json!({"lease_id": lease, "query": "task"}));
        assert!(found["ok"].is_boolean(), "a reply of a tool says whether it succeeded");
        let patch = canvas_core::text::build(markdown, changed, 1);
        let edits = [
            ("canvas_apply_patch", json!({"lease_id": lease, "patch": patch})),
            ("canvas_edit_list", json!({"lease_id": lease, "item": [1], "check": true})),
            ("canvas_read_lines", json!({"lease_id": lease, "start_line": 1, "end_line": 9})),
            ("canvas_outline", json!({"lease_id": lease})),
            ("canvas_read_all", json!({"lease_id": lease})),
            ("canvas_fly", json!({"lease_id": lease, "high": 1.5e300})),
        ];
        let (name, arguments) = &edits[self.dice.roll(edits.len())];
        self.tool(canvas, session, name, arguments);
        self.tool(canvas, session, "canvas_check_in", &json!({"lease_id": lease}));
    }

    fn review(&mut self, canvas: &str, person: &str, changed: &str) {
        self.ask(json!({"op": "proposal.make", "canvas": canvas, "markdown": changed, "person": person,
                        "reason": "größer"}));
        let listed = self.ask(json!({"op": "proposal.list", "canvas": canvas}));
        self.ask(json!({"op": "proposal.redline", "canvas": canvas, "owner": null}));
        let Some(part) = listed.pointer("/result/proposals/0/parts/0").cloned() else { return };
        match self.dice.roll(4) {
            0 => {
                let owner = listed["result"]["proposals"][0]["owner"].clone();
                self.ask(json!({"op": "proposal.withdraw", "canvas": canvas, "owner": owner}));
            }
            1 => {
                self.ask(
                    json!({"op": "proposal.decide", "canvas": canvas, "reject": "all", "person": person,
                                "note": "no"}),
                );
            }
            _ => {
                let id = part["id"].as_str().unwrap_or_default();
                self.ask(json!({"op": "proposal.decide", "canvas": canvas, "accept": [id], "person": person,
                                "seen": {id: part["after"]}}));
            }
        }
    }

    fn on_board(&mut self) {
        let canvas = format!("board-{}", self.dice.roll(3));
        let read = self.ask(json!({"op": "board.get", "canvas": canvas}));
        let Some(board) = read.pointer("/result/workspace/canvas").cloned() else {
            let grid = json!({"columns": 12, "rows": 8, "gap": 8, "cellWidth": 100, "cellHeight": 80});
            self.ask(json!({"op": "board.create", "canvas": canvas, "grid": grid}));
            return;
        };
        let shown = board["components"].as_array().cloned().unwrap_or_default();
        let component = match shown.len() {
            0 => json!("cmp-none"),
            count => shown[self.dice.roll(count)]["id"].clone(),
        };
        let person = self.dice.of(&PEOPLE);
        let place = json!({"row": self.dice.roll(8), "col": self.dice.roll(12)});
        match self.dice.roll(8) {
            0..=2 => {
                let registry = self.ask(json!({"op": "board.registry"}));
                let known = registry["result"]["definitions"].as_array().cloned().unwrap_or_default();
                let kind = known[self.dice.roll(known.len())]["typeId"].clone();
                let config = match kind == "github.stat-tile" {
                    true => json!({"repo": "o/r", "metric": "stars"}),
                    false => json!({"repo": "o/r"}),
                };
                let create = json!({"typeId": kind, "config": config});
                let remove = json!({"componentId": component});
                let settings = json!({"theme": "dark"});
                let command = self.dice.one_of([
                    json!({"type": "component.create", "payload": create}),
                    json!({"type": "component.create", "payload": create}),
                    json!({"type": "component.move", "payload": {"componentId": component, "position": place}}),
                    json!({"type": "component.remove", "payload": remove}),
                    json!({"type": "settings.update", "payload": settings}),
                ]);
                let source = self.dice.of(&["user", "assistant"]);
                self.ask(json!({"op": "board.command", "canvas": canvas, "command": command, "source": source,
                                "person": person}));
            }
            3 | 4 => {
                let action = self.dice.one_of([
                    json!({"type": "user.move", "componentId": component, "position": place}),
                    json!({"type": "user.dismiss", "componentId": component}),
                    json!({"type": "user.refresh", "componentId": component}),
                    json!({"type": "user.undo"}),
                    json!({"type": "user.redo"}),
                ]);
                self.ask(json!({"op": "board.action", "canvas": canvas, "action": action, "person": person}));
            }
            5 => {
                let size = json!({"cols": 1 + self.dice.roll(12), "rows": 1 + self.dice.roll(4)});
                let hints = json!({"nearComponentId": component});
                self.ask(json!({"op": "board.place", "canvas": canvas, "size": size}));
                self.ask(json!({"op": "board.place", "canvas": canvas, "size": size, "hints": hints}));
            }
            6 => drop(self.ask(
                json!({"op": "board.context", "canvas": canvas, "max_tokens": 2_000, "timezone": "Europe/Berlin"}),
            )),
            _ => {
                let kind = self.dice.of(&["stats", "weather"]);
                let query = json!({"type": kind, "params": {"repo": "o/r", "metric": "stars"}});
                self.ask(json!({"op": "board.data", "source": "mock-github", "query": query}));
            }
        }
    }

    /// Tools that answer by a script.
    fn host(&mut self) {
        let order =
            json!({"type": "object", "properties": {"from": {"type": "string"}}, "required": ["from"]});
        let rows = json!({"rows": [{"id": "b", "amount": 20}, {"id": "a", "amount": 35}]});
        let tools = json!({
            "orders": {"schema": order, "readOnly": true, "result": rows},
            "mail": {"result": {"sent": true}},
            "slow": {"hold": true, "readOnly": true},
        });
        self.ask(json!({"op": "surface.host", "tools": tools, "sessions": {"agent:main": "1. look"},
                        "ceiling": {"trust": ["mail"]}, "seed": 1}));
    }

    fn on_surface(&mut self) {
        let id = format!("surface-{}", self.dice.roll(3));
        let actor = self.dice.one_of([json!({"clientId": "window"}), json!({"clientId": "other"})]);
        let got = self.surface("canvas.get", json!({"canvasId": id}), &actor);
        let spec = json!({
            "version": 1, "mode": "html", "toolPolicy": {"allow": ["mail", "orders", "slow"]},
            "state": {"to": "ana", "sent": null, "draft": {"text": ""}},
            "actions": {
                "send": {"kind": "tool.call", "tool": "mail", "args": {"text": "to {{state.to}}"}, "saveAs": "sent"},
                "wait": {"kind": "tool.call", "tool": "slow", "args": {}, "saveAs": "sent"},
                "clear": {"kind": "state.patch", "patch": [{"op": "replace", "path": "/draft/text", "value": ""}]},
            },
            "bindings": {"buttons.send": "send"},
        });
        if got["ok"] != true {
            self.host();
            let params = json!({"canvasId": id, "title": "Größe", "spec": spec,
                                "assets": {"assets/index.html": "<p>größer"}});
            self.surface("canvas.create", params, &actor);
            return;
        }
        match self.dice.roll(8) {
            0 | 1 => {
                let patch = json!([{"op": "replace", "path": self.dice.of(&["/to", "/draft/text", "/none/x"]),
                                    "value": self.dice.of(&["ben", "größe"])}]);
                self.surface("canvas.patch", json!({"canvasId": id, "patch": patch}), &actor);
            }
            2 | 3 => {
                let action = self.dice.of(&["send", "clear", "fly"]);
                self.surface("canvas.action", json!({"canvasId": id, "actionId": action}), &actor);
            }
            4 => {
                self.surface("canvas.list", json!({}), &actor);
                self.ask(json!({"op": "surface.poll"}));
                self.ask(json!({"op": "surface.settle", "eventId": "event-none", "result": 1}));
            }
            5 => {
                let path = self.dice.of(&["assets/index.html", "assets/none.html"]);
                self.ask(json!({"op": "surface.file", "canvas": id, "path": path}));
                self.ask(json!({"op": "surface.audit", "canvas": id, "limit": 5}));
            }
            6 => {
                let mut spec = spec;
                if self.dice.roll(2) == 0 {
                    spec["bindings"]["buttons.fly"] = json!("fly");
                }
                self.ask(json!({"op": "surface.check", "spec": spec}));
                self.ask(json!({"op": "json.canonical", "value": spec}));
            }
            _ => {
                let template = json!({"text": self.dice.of(&["to {{state.to}}", "{{state.none}}", "{{now"])});
                self.ask(json!({"op": "surface.template", "template": template, "state": {"to": "ana"}}));
            }
        }
    }

    fn surface(&mut self, method: &str, params: Value, actor: &Value) -> Value {
        self.ask(json!({"op": "surface.request", "method": method, "params": params, "actor": actor}))
    }

    fn on_recipe(&mut self) {
        let canvas = format!("recipe-{}", self.dice.roll(2));
        let recipe = json!({
            "version": 1, "catalogue": 1, "timezone": "Europe/Berlin",
            "steps": [
                {"id": "orders", "tool": "orders", "params": {"from": {"$date": "now-7d/d", "as": "date"}}},
            ],
            "mappings": [
                {"step": "orders", "path": "/rows/0/id", "component": "first"},
                {"step": "orders", "path": "/rows", "component": "sum", "ops": [
                    {"op": "aggregate", "values": {"sum": {"fn": "sum", "path": "/amount"}}},
                ]},
            ],
        });
        let got = self.ask(json!({"op": "recipe.get", "canvas": canvas}));
        if got["ok"] != true {
            self.host();
            self.ask(json!({"op": "canvas.create", "canvas": canvas, "markdown": ""}));
            self.ask(json!({"op": "recipe.record", "canvas": canvas, "recipe": recipe}));
            return;
        }
        match self.dice.roll(6) {
            0 | 1 => {
                let is_dry = self.dice.roll(2) == 0;
                let replayed = self.ask(json!({"op": "recipe.replay", "canvas": canvas, "dryRun": is_dry}));
                let run = &replayed["result"]["runId"];
                let run = if run.is_string() { run.clone() } else { json!("run-none") };
                self.ask(json!({"op": "recipe.run", "canvas": canvas, "runId": run}));
            }
            2 => drop(self.ask(json!({"op": "recipe.data", "canvas": canvas}))),
            3 => {
                let call = json!({"id": "o1", "name": "orders", "arguments": {"from": "2026-01-01"}});
                let (result, mapping) = (
                    json!({"rows": [{"id": "a"}]}),
                    json!({"step": "o1", "path": "/rows/0/id", "component": "first"}),
                );
                self.ask(json!({"op": "recipe.observe", "canvas": canvas, "session": "main", "call": call,
                                "result": result}));
                self.ask(
                    json!({"op": "recipe.declare", "canvas": canvas, "session": "main", "mappings": [mapping],
                                "timezone": "UTC"}),
                );
                self.ask(json!({"op": "recipe.settle", "canvas": canvas, "step": "orders", "result": null}));
            }
            4 => {
                let expr = self.dice.of(&["now-7d/d", "now/M", "now+", "now-1y"]);
                self.ask(json!({"op": "date.eval", "expr": expr, "timezone": "Europe/Berlin"}));
            }
            _ => {
                let ops = self.dice.one_of([
                    json!([{"op": "limit", "count": 1}]),
                    json!([{"op": "sort", "by": [{"path": "/n", "dir": "desc"}]}]),
                    json!([{"op": "fly"}]),
                ]);
                self.ask(json!({"op": "ops.apply", "value": [{"n": 1}, {"n": 2}], "ops": ops}));
            }
        }
    }
}
