//! Shows replies: everything that the model gets, and nothing that it does not get.

use std::io::Write;

use canvas_core::text::Reason;
use canvas_tools::{ToolCall, ToolReply};
use serde::Deserialize as _;
use serde_json::Value;

use super::runner::RunResult;
use super::terminal::{Style, Symbol, Terminal, columns, fit};

/// Maximum lines shown of a reading call; of a patch or a change.
const LINES: usize = 3;
const PATCH: usize = 20;

/// Shows a call, its reply, and whether the canvas is locked after it.
pub(crate) fn reply<W: Write>(
    terminal: &mut Terminal<W>,
    at: u64,
    call: &ToolCall,
    reply: &ToolReply,
    lock: &str,
) -> RunResult {
    let name = call.name.strip_prefix("canvas_").unwrap_or(&call.name);
    let body = reply.body();
    if !reply.is_ok() {
        return refusal(terminal, at, name, &body["error"]);
    }
    let mut done = |detail: String| terminal.entry(at, Symbol::DONE, name, Style::Plain, &detail);
    match name {
        "check_out" => done(format!("{}, canvas {lock}", lease(body)))?,
        "renew_lease" => done(format!("{}, by the loop, while the model writes", lease(body)))?,
        "check_in" => done(format!("the lease is released, canvas {lock}"))?,
        "grep" => grep(terminal, at, call, body)?,
        "read_lines" => {
            // A reply does not repeat what was asked for by number.
            let from =
                number(if body["start_line"].is_null() { &call.arguments } else { body }, "start_line");
            let lines: Vec<_> = (from..).zip(words(body, "text").lines()).collect();
            done(match lines.last() {
                None => "there are no lines yet".into(),
                Some((to, _)) => format!("lines {from} to {to}"),
            })?;
            terminal.numbered(lines, LINES)?;
        }
        "apply_patch" => patch(terminal, at, call, body)?,
        _ => done(words(body, "revision_id").into())?,
    }
    Ok(())
}

fn lease(body: &Value) -> String {
    format!("{} for {} s", words(body, "lease_id"), number(body, "expires_in_s"))
}

fn grep<W: Write>(terminal: &mut Terminal<W>, at: u64, call: &ToolCall, body: &Value) -> RunResult {
    let hits = list(body, "matches").filter_map(|hit| hit.as_str()?.split_once(": "));
    let matches: Vec<_> = hits.filter_map(|(line, text)| Some((line.parse().ok()?, text))).collect();
    let (open, close) = if call.arguments["regex"] == true { ("/", "/") } else { ("“", "”") };
    let lines = match (matches.len(), body.get("next_from_line").is_some()) {
        (n, true) => format!("the first {n} lines"),
        (1, _) => "1 line".into(),
        (n, _) => format!("{n} lines"),
    };
    let query = fit(words(&call.arguments, "query"), 50);
    terminal.entry(
        at,
        Symbol::DONE,
        "grep",
        Style::Plain,
        &format!("{open}{query}{close} occurs in {lines}"),
    )?;
    Ok(terminal.numbered(matches, LINES)?)
}

fn patch<W: Write>(terminal: &mut Terminal<W>, at: u64, call: &ToolCall, body: &Value) -> RunResult {
    let (revision, hunks) = (words(body, "new_revision_id"), number(body, "applied_hunks"));
    let hunks = format!("{hunks} {}", if hunks == 1 { "hunk" } else { "hunks" });
    let parts: Vec<&str> = list(&body["proposed"], "parts").filter_map(Value::as_str).collect();
    let done = match parts[..] {
        [] => format!("{hunks}, now {revision}"),
        _ => format!("{hunks}, proposed as {}: the document is as it was", parts.join(", ")),
    };
    terminal.entry(at, Symbol::DONE, "apply_patch", Style::Plain, &done)?;
    terminal.diff(words(&call.arguments, "patch"), PATCH)?;
    let repairs: Vec<String> = list(body, "repairs")
        .map(|repair| format!("hunk {} {}", number(repair, "hunk"), words(repair, "kind")))
        .collect();
    if !repairs.is_empty() {
        terminal.fact(Symbol::NOTE, "repaired", Style::Yellow, &repairs.join(", "))?;
    }
    Ok(())
}

fn refusal<W: Write>(terminal: &mut Terminal<W>, at: u64, name: &str, error: &Value) -> RunResult {
    let code = words(error, "code");
    let conflicts: Vec<&Value> = list(error, "conflicts").collect();
    let detail = match conflicts[..] {
        [] => format!("{code}: {}", words(error, "message")),
        _ => format!("{code}: nothing is written, not even the hunks that fit"),
    };
    terminal.entry(at, Symbol::REFUSED, name, Style::Red, &detail)?;
    for conflict in conflicts {
        let reason = Reason::deserialize(&conflict["reason"])?;
        let at = |name: &str, word: &str| {
            conflict[name].as_u64().map(|at| format!("{word} {at}")).unwrap_or_default()
        };
        let (line, column) = (at("line", " at line"), at("column", ", column"));
        let place = format!("hunk {}: {reason}{line}{column}", number(conflict, "hunk"));
        terminal.fact(Symbol::NOTE, "why", Style::Plain, &place)?;
        if let Some(expected) = conflict["expected"].as_str() {
            let quoted = format!("{}: ", number(conflict, "line"));
            let nearby = list(conflict, "nearby").filter_map(Value::as_str);
            let actual = nearby.filter_map(|line| line.strip_prefix(&quoted)).next();
            difference(terminal, expected, actual.or_else(|| conflict["actual"].as_str()))?;
        }
        terminal.fact(Symbol::NOTE, "what to do", Style::Plain, reason.advice())?;
    }
    if let Some(diff) = error.pointer("/changes/diff").and_then(Value::as_str) {
        let changes = &error["changes"];
        let range = format!("from {} to {}, in the reply:", words(changes, "from"), words(changes, "to"));
        terminal.fact(Symbol::NOTE, "changes", Style::Plain, &range)?;
        terminal.diff(diff, PATCH)?;
    }
    Ok(())
}

/// The two lines above each other, from shortly before their first difference, and a caret below it.
fn difference<W: Write>(terminal: &mut Terminal<W>, expected: &str, actual: Option<&str>) -> RunResult {
    const BEFORE: usize = 50;
    let actual = actual.unwrap_or("(the text has ended)");
    let same = expected.chars().zip(actual.chars()).take_while(|(e, a)| e == a).count();
    let from = same.saturating_sub(BEFORE);
    let pointer: String = expected.chars().take(same).skip(from).collect();
    terminal.exact(Symbol::NOTE, "patch has", Style::Red, &shown_from(expected, from))?;
    terminal.exact(Symbol::NOTE, "text has", Style::Green, &shown_from(actual, from))?;
    Ok(terminal.exact(Symbol::NOTE, "", Style::Dim, &format!("{:1$}^", "", columns(&pointer)))?)
}

/// A line without its terminator, from this character on.
fn shown_from(line: &str, from: usize) -> String {
    line.strip_suffix("\\n").unwrap_or(line).chars().skip(from).collect()
}

fn words<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_default()
}

fn number(value: &Value, name: &str) -> u64 {
    value[name].as_u64().unwrap_or_default()
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().into_iter().flatten()
}
