//! Ten edits that users ask for, by a patch, and by a tool that edits the structure.

use std::fmt::Write as _;

use canvas_examples::bridge::Bridge;
use canvas_patch::build;
use serde_json::{Value, json};

use crate::Counter;

/// What an edit costs in tokens.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Arguments that the model types.
    pub typed: usize,
    /// Replies that it reads.
    pub read: usize,
}

/// An edit by both ways.
#[derive(Debug)]
pub struct Compared {
    /// What is asked for.
    pub task: &'static str,
    /// By `canvas_read_lines` of the lines that change, and `canvas_apply_patch`.
    pub patch: Cost,
    /// By one call, and for all matches by a search before it.
    pub tool: Cost,
}

/// A document of 700 lines, as people keep them: front matter, links, tasks, a table, and a word on nearly every line.
fn document() -> String {
    let mut text =
        "---\ntitle: Water\nowner: north\n---\n\n# Water\n\nSee [the costs](#costs).\n\n".to_owned();
    text.push_str("## Costs\n\n| part | price | from |\n| --- | ---: | --- |\n");
    for part in 1..=12 {
        let _ = writeln!(text, "| valve {part} | {} | store {} |", part * 7, part % 3);
    }
    text.push_str("\n## Tasks\n\n");
    for task in 1..=20 {
        let _ = writeln!(text, "- [ ] look at the cistern of house {task}");
    }
    for part in 1..=40 {
        let _ = write!(text, "\n## Part {part}\n\n### Upkeep of part {part}\n\n");
        for line in 1..=12 {
            let _ = writeln!(
                text,
                "The cistern in room {line} of part {part} is to be cleaned in week {}.",
                line * 4
            );
        }
    }
    text
}

/// Plays each edit by both ways, which must give the same text.
///
/// # Panics
///
/// If a call is refused, or the texts differ.
pub fn compare(counter: &Counter) -> Vec<Compared> {
    let section = |title: &str| json!({"section": [title]});
    let tasks: [(&str, &str, Value); 10] = [
        ("move a section", "canvas_move", json!({"from": section("Part 7"), "before": section("Part 3")})),
        ("replace a word everywhere", "canvas_replace_all", json!({"find": "cistern", "with": "tank"})),
        (
            "set a cell",
            "canvas_edit_table",
            json!({"table": 1, "set": {"row": 5, "column": "price", "value": "40"}}),
        ),
        (
            "insert a row",
            "canvas_edit_table",
            json!({"table": 1, "insert_row": {"at": 3, "cells": ["pump", "90", "store 2"]}}),
        ),
        ("remove a column", "canvas_edit_table", json!({"table": 1, "remove_column": {"column": "from"}})),
        ("set a key", "canvas_set_front_matter", json!({"key": "owner", "value": "south"})),
        ("check a task", "canvas_edit_list", json!({"section": ["Tasks"], "item": [12], "check": true})),
        ("move an item", "canvas_edit_list", json!({"section": ["Tasks"], "item": [12], "move_to": [1]})),
        ("demote a section", "canvas_move", json!({"from": section("Part 9"), "shift": 1})),
        (
            "rename a heading with its links",
            "canvas_rename_heading",
            json!({"section": ["Costs"], "title": "Prices", "links": true}),
        ),
    ];
    let before = document();
    let play = |(task, tool, arguments): (&'static str, &str, Value)| {
        let mut by_tool = Conversation::new(counter, &before);
        let mut arguments = arguments;
        if tool == "canvas_replace_all" {
            let found = by_tool.call("canvas_grep", json!({"query": arguments["find"]}));
            arguments["revision_id"] = found["revision_id"].clone();
            arguments["count"] = found["total"].clone();
        }
        by_tool.call(tool, arguments);
        let after = by_tool.text();
        let patch = build(&before, &after, 1);
        let mut by_patch = Conversation::new(counter, &before);
        for range in ranges(&patch) {
            by_patch.call("canvas_read_lines", json!({"start_line": range[0], "end_line": range[1]}));
        }
        by_patch.call("canvas_apply_patch", json!({"patch": patch}));
        assert_eq!(by_patch.text(), after, "{task}");
        Compared { task, patch: by_patch.cost, tool: by_tool.cost }
    };
    tasks.map(play).into()
}

/// The old lines of a patch, with hunks that are near to each other in one range.
fn ranges(patch: &str) -> Vec<[usize; 2]> {
    let mut ranges: Vec<[usize; 2]> = Vec::new();
    for header in patch.lines().filter_map(|line| line.strip_prefix("@@ -")) {
        let mut numbers = header.split([',', ' ']).map(|number| number.parse::<usize>().unwrap_or(1));
        let (start, count) = (numbers.next().unwrap_or(1), numbers.next().unwrap_or(1));
        let end = (start + count).saturating_sub(1).max(start);
        match ranges.last_mut() {
            Some(last) if start <= last[1] + 10 => last[1] = end,
            _ => ranges.push([start, end]),
        }
    }
    ranges
}

struct Conversation<'c> {
    bridge: Bridge,
    counter: &'c Counter,
    lease: Value,
    calls: u64,
    cost: Cost,
}

impl<'c> Conversation<'c> {
    fn new(counter: &'c Counter, markdown: &str) -> Self {
        let cost = Cost { typed: 0, read: 0 };
        let mut made = Self { bridge: Bridge::new(), counter, lease: Value::Null, calls: 0, cost };
        made.ask(json!({"op": "canvas.create", "markdown": markdown}));
        let lease = made.call("canvas_check_out", json!({}))["lease_id"].take();
        made.lease = lease;
        made.call("canvas_outline", json!({}));
        // Both ways begin like this.
        made.cost = cost;
        made
    }

    fn call(&mut self, name: &str, mut arguments: Value) -> Value {
        if name != "canvas_check_out" {
            arguments["lease_id"] = self.lease.clone();
        }
        self.cost.typed += self.counter.count(&arguments.to_string());
        let reply =
            self.ask(json!({"op": "tool.call", "toolset": "extended", "name": name, "arguments": arguments}));
        assert_eq!(reply["ok"], true, "{name} gave {reply}");
        self.cost.read += self.counter.count(&reply.to_string());
        reply
    }

    fn text(&mut self) -> String {
        let reply = self.ask(json!({"op": "canvas.text"}));
        reply["markdown"].as_str().expect("a canvas has a text").to_owned()
    }

    fn ask(&mut self, mut request: Value) -> Value {
        self.calls += 1;
        request["canvas"] = "c".into();
        if request["op"] == "tool.call" {
            request["session"] = "main".into();
            request["call_id"] = self.calls.to_string().into();
        }
        request["now"] = (1_790_000_000_000_u64 + 100 * self.calls).into();
        let reply = self.bridge.call(&request.to_string());
        let mut reply: Value = serde_json::from_str(&reply).expect("a reply is JSON");
        assert_eq!(reply["ok"], true, "{request} gave {reply}");
        reply["result"].take()
    }
}
