//! Tasks played through the bridge, as a model's calls would be.

use std::collections::BTreeMap;

use canvas_examples::bridge::Bridge;
use serde_json::{Value, json};

use crate::Counter;
use crate::script::{Mistake, Step, Task, without_cr};

/// The kind of what a turn's end puts into the history.
pub const HIDDEN: &str = "hidden message";

/// Replies of one kind.
#[derive(Debug, Default, Clone)]
pub struct Kind {
    /// Tokens of each reply, in the order of their coming.
    pub tokens: Vec<usize>,
}

impl Kind {
    /// Tokens of all.
    pub fn total(&self) -> usize {
        self.tokens.iter().sum()
    }

    /// Tokens of the reply in the middle.
    pub fn median(&self) -> usize {
        let mut sorted = self.tokens.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0)
    }

    /// Tokens of the largest.
    pub fn largest(&self) -> usize {
        self.tokens.iter().copied().max().unwrap_or(0)
    }
}

/// What was counted, by kind: the tool, and `ok` or the code of the refusal.
pub type Counts = BTreeMap<String, Kind>;

/// Plays the tasks, and counts each reply as the JSON that the model gets.
///
/// # Panics
///
/// Where a task leaves another text than it must.
pub fn play(tasks: &[Task], counter: &Counter) -> Counts {
    let mut counts = Counts::new();
    for (number, task) in tasks.iter().enumerate() {
        let mut player =
            Player { bridge: Bridge::new(), counter, counts: &mut counts, lease: None, base: None, calls: 0 };
        player.play(task, number);
    }
    counts
}

/// Plays one mistake of each kind in the document of each task that has room for it, and counts the refusals.
///
/// # Panics
///
/// If a mistake is not refused.
pub fn refusals(tasks: &[Task], counter: &Counter) -> Counts {
    let mut counts = Counts::new();
    for task in tasks {
        for mistake in &task.mistakes {
            let mut player = Player {
                bridge: Bridge::new(),
                counter,
                counts: &mut counts,
                lease: None,
                base: None,
                calls: 0,
            };
            player.refused(mistake, &task.before);
        }
    }
    counts.retain(|kind, _| !kind.ends_with(" ok"));
    counts
}

struct Player<'a> {
    bridge: Bridge,
    counter: &'a Counter,
    counts: &'a mut Counts,
    lease: Option<Value>,
    base: Option<Value>,
    calls: u64,
}

impl Player<'_> {
    fn play(&mut self, task: &Task, number: usize) {
        self.ask(json!({"op": "canvas.create", "markdown": task.before}));
        for step in &task.steps {
            match step {
                Step::Call(name, arguments) => {
                    if *name == "canvas_apply_patch" && self.is_done(task) {
                        continue;
                    }
                    self.tool(name, arguments.clone());
                }
                Step::Patch(patch) => self.patch(patch, task),
                Step::UserEdits => {
                    // Both edits end the lease; the second leaves the document as it was.
                    self.ask(
                        json!({"op": "user.edit", "markdown": format!("{}One more line\n", task.before)}),
                    );
                    self.ask(json!({"op": "user.edit", "markdown": task.before}));
                }
            }
        }
        assert!(self.is_done(task), "task {number} ({}) leaves another text", task.id);
        let ended = self.ask(json!({"op": "turn.end"}));
        if let Some(message) = ended["hidden_message"].as_str() {
            let tokens = self.counter.count(message);
            self.counts.entry(HIDDEN.into()).or_default().tokens.push(tokens);
        }
    }

    fn refused(&mut self, mistake: &Mistake, text: &str) {
        self.ask(json!({"op": "canvas.create", "markdown": text}));
        self.tool("canvas_check_out", json!({}));
        self.tool("canvas_read_all", json!({}));
        if let Some(edited) = &mistake.edited {
            let base = self.base.clone();
            self.ask(json!({"op": "user.edit", "markdown": edited}));
            self.tool("canvas_check_out", json!({}));
            self.base = base;
        }
        let reply = self.tool("canvas_apply_patch", json!({"patch": mistake.patch}));
        assert_eq!(reply["ok"], false, "{mistake:?} is not refused: {reply}");
    }

    /// Sends a patch until it is done, as a model that obeys: after a lost lease it checks out again.
    fn patch(&mut self, patch: &str, task: &Task) {
        for _ in 0..3 {
            if self.is_done(task) {
                return;
            }
            let reply = self.tool("canvas_apply_patch", json!({"patch": patch}));
            let code = reply.pointer("/error/code").and_then(Value::as_str);
            if let Some("STALE_EPOCH" | "LEASE_EXPIRED") = code {
                self.tool("canvas_check_out", json!({}));
            }
        }
    }

    fn tool(&mut self, name: &str, mut arguments: Value) -> Value {
        if name != "canvas_check_out" {
            arguments["lease_id"] = self.lease.clone().unwrap_or_default();
        }
        if name == "canvas_apply_patch"
            && let Some(base) = &self.base
        {
            arguments["base_revision_id"] = base.clone();
        }
        let reply = self.ask(json!({"op": "tool.call", "name": name, "arguments": arguments}));
        let code = reply.pointer("/error/code").and_then(Value::as_str);
        let reason = reply.pointer("/error/reason").and_then(Value::as_str);
        let kind = match (code, reason) {
            (None, _) => format!("{name} ok"),
            (Some(code), None) => format!("{name} {code}"),
            (Some(_), Some(reason)) => format!("{name} {reason}"),
        };
        self.counts.entry(kind).or_default().tokens.push(self.counter.count(&reply.to_string()));
        if let Some(lease) = reply.get("lease_id") {
            self.lease = Some(lease.clone());
        }
        if let Some(base) = reply.get("revision_id") {
            self.base = Some(base.clone());
        }
        reply
    }

    fn is_done(&mut self, task: &Task) -> bool {
        let reply = self.ask(json!({"op": "canvas.text"}));
        without_cr(reply["markdown"].as_str().unwrap_or_default()) == without_cr(&task.after)
    }

    fn ask(&mut self, mut request: Value) -> Value {
        self.calls += 1;
        request["canvas"] = "c".into();
        if request["op"] == "tool.call" {
            request["session"] = "main".into();
            request["call_id"] = self.calls.to_string().into();
        }
        request["now"] = (1_790_000_000_000_u64 + 100 * self.calls).into();
        let reply: Value =
            serde_json::from_str(&self.bridge.call(&request.to_string())).expect("a reply is JSON");
        assert_eq!(reply["ok"], true, "{request} gave {reply}");
        reply["result"].clone()
    }
}
