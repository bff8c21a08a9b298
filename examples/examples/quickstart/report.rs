//! What a reply looks like on the page: only what the model got, nothing that it did not.

use std::error::Error;
use std::io::Write;

use canvas_core::text::{Conflict, Mismatch};
use canvas_tools::{ToolCall, ToolReply};
use serde::Deserialize as _;
use serde_json::Value;

use crate::paint::{Ink, Mark, Paint, columns, fit, seconds};

/// Most lines of a reading call, a patch, and a change that are shown.
const LINES: usize = 3;
const PATCH: usize = 20;

type Written = Result<(), Box<dyn Error>>;

/// Shows a call, what came back, and whether the canvas is locked since.
pub(crate) fn reply<W: Write>(
    paint: &mut Paint<W>,
    at: u64,
    call: &ToolCall,
    reply: &ToolReply,
    lock: &str,
) -> Written {
    let name = call.name.strip_prefix("canvas_").unwrap_or(&call.name);
    let body = reply.body();
    if !reply.is_ok() {
        return refusal(paint, at, name, &body["error"]);
    }
    let mut done = |detail: String| paint.entry(at, Mark::DONE, name, Ink::Plain, &detail);
    match name {
        "check_out" => done(format!("{}, canvas {lock}", lease(body)))?,
        "renew_lease" => done(format!("{}, by the loop, while the model writes", lease(body)))?,
        "check_in" => done(format!("the lease is given back, canvas {lock}"))?,
        "grep" => grep(paint, at, call, body)?,
        "read_lines" => {
            let (from, to) = (number(body, "start_line"), number(body, "end_line"));
            done(match number(body, "total_lines") {
                0 => "there are no lines yet".into(),
                total => format!("lines {from} to {to} of {total}"),
            })?;
            paint.numbered((from..).zip(words(body, "text").lines()), LINES)?;
        }
        "apply_patch" => patch(paint, at, call, body)?,
        _ => done(words(body, "revision_id").into())?,
    }
    Ok(())
}

fn lease(body: &Value) -> String {
    format!("{} until {}", words(body, "lease_id"), seconds(number(body, "expires_at")))
}

fn grep<W: Write>(paint: &mut Paint<W>, at: u64, call: &ToolCall, body: &Value) -> Written {
    let matches: Vec<_> =
        list(body, "matches").map(|hit| (number(hit, "line"), words(hit, "text"))).collect();
    let (open, close) = if call.arguments["regex"] == true { ("/", "/") } else { ("“", "”") };
    let lines = match (matches.len(), body["truncated"] == true) {
        (n, true) => format!("the first {n} lines"),
        (1, _) => "1 line".into(),
        (n, _) => format!("{n} lines"),
    };
    let query = fit(words(&call.arguments, "query"), 50);
    paint.entry(at, Mark::DONE, "grep", Ink::Plain, &format!("{open}{query}{close} stands in {lines}"))?;
    Ok(paint.numbered(matches, LINES)?)
}

fn patch<W: Write>(paint: &mut Paint<W>, at: u64, call: &ToolCall, body: &Value) -> Written {
    let (revision, summary) = (words(body, "new_revision_id"), words(body, "summary"));
    paint.entry(at, Mark::DONE, "apply_patch", Ink::Plain, &format!("{summary}, now {revision}"))?;
    paint.diff(words(&call.arguments, "patch"), PATCH)?;
    let repairs: Vec<String> = list(body, "repairs")
        .map(|repair| format!("hunk {} {}", number(repair, "hunk"), words(repair, "kind")))
        .collect();
    if !repairs.is_empty() {
        paint.fact(Mark::NOTE, "put right", Ink::Yellow, &repairs.join(", "))?;
    }
    Ok(())
}

fn refusal<W: Write>(paint: &mut Paint<W>, at: u64, name: &str, error: &Value) -> Written {
    let code = words(error, "code");
    let conflicts = match error.get("conflicts") {
        Some(conflicts) => Vec::<Conflict>::deserialize(conflicts)?,
        None => Vec::new(),
    };
    if conflicts.is_empty() {
        let detail = format!("{code}: {}", words(error, "message"));
        paint.entry(at, Mark::REFUSED, name, Ink::Red, &detail)?;
    } else {
        let detail = format!("{code}: nothing is written, not even the hunks that fit");
        paint.entry(at, Mark::REFUSED, name, Ink::Red, &detail)?;
    }
    for conflict in &conflicts {
        let line = conflict.line.map(|line| format!(" at line {line}")).unwrap_or_default();
        let column = conflict.mismatch.as_ref().map(|d| format!(", column {}", d.column)).unwrap_or_default();
        let place = format!("hunk {}: {}{line}{column}", conflict.hunk, conflict.reason);
        paint.fact(Mark::NOTE, "why", Ink::Plain, &place)?;
        if let Some(mismatch) = &conflict.mismatch {
            difference(paint, mismatch)?;
        }
        paint.fact(Mark::NOTE, "what to do", Ink::Plain, conflict.reason.advice())?;
    }
    if let Some(diff) = error.pointer("/changes/diff").and_then(Value::as_str) {
        let changes = &error["changes"];
        let range = format!("from {} to {}, in the reply:", words(changes, "from"), words(changes, "to"));
        paint.fact(Mark::NOTE, "changes", Ink::Plain, &range)?;
        paint.diff(diff, PATCH)?;
    }
    Ok(())
}

/// The two lines above each other, cut so that the first difference shows, and a pointer to it.
fn difference<W: Write>(paint: &mut Paint<W>, mismatch: &Mismatch) -> Written {
    const BEFORE: usize = 50;
    let expected = mismatch.expected.as_str();
    let actual = mismatch.actual.as_deref().unwrap_or("(the text has ended)");
    let same = expected.chars().zip(actual.chars()).take_while(|(e, a)| e == a).count();
    let from = same.saturating_sub(BEFORE);
    let cut = |line: &str| line.strip_suffix("\\n").unwrap_or(line).chars().skip(from).collect::<String>();
    let pointer: String = expected.chars().take(same).skip(from).collect();
    paint.exact(Mark::NOTE, "patch has", Ink::Red, &cut(expected))?;
    paint.exact(Mark::NOTE, "text has", Ink::Green, &cut(actual))?;
    Ok(paint.exact(Mark::NOTE, "", Ink::Dim, &format!("{:1$}^", "", columns(&pointer)))?)
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
