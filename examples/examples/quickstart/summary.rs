//! The end of a run: counts, and the checks that it must pass.

use std::collections::BTreeMap;
use std::io::Write;

use canvas_core::text::{ApplyOptions, Limits, Mode, apply};
use canvas_providers::{Body, Event, Role};
use canvas_tools::{HIDDEN_HEADER, SNAPSHOT_HEADER, ToolReply};

use super::runner::RunResult;
use super::script::Script;
use super::terminal::{Style, Symbol, Terminal, grouped};

/// Counts of a run.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) messages: usize,
    pub(crate) requests: usize,
    pub(crate) bytes: usize,
    pub(crate) renewals: usize,
    calls: usize,
    refused: BTreeMap<String, usize>,
}

impl Counts {
    /// Counts a call of the model.
    pub(crate) fn count(&mut self, reply: &ToolReply) {
        self.calls += 1;
        if let Some(code) = reply.code() {
            *self.refused.entry(code.to_owned()).or_default() += 1;
        }
    }

    pub(crate) fn show<W: Write>(&self, terminal: &mut Terminal<W>) -> RunResult {
        let refused: Vec<String> = self.refused.iter().map(|(code, n)| format!("{n} × {code}")).collect();
        let refused = if refused.is_empty() { "none".into() } else { refused.join(", ") };
        let renewals = counted(self.renewals, "renewal");
        let calls = format!("{}; refused: {refused}; by the loop: {renewals}", self.calls);
        terminal.fact(Symbol::NOTE, "calls", Style::Plain, &calls)?;
        let requests = format!("{}, of {} bytes together", self.requests, grouped(self.bytes));
        Ok(terminal.fact(Symbol::NOTE, "requests", Style::Plain, &requests)?)
    }
}

/// Checks that the user's text is in the document, and that the hidden messages of the history add up to it.
///
/// # Errors
///
/// If a check fails, after showing which.
pub(crate) fn check<W: Write>(
    script: &Script,
    document: &str,
    history: &[Event],
    terminal: &mut Terminal<W>,
) -> RunResult {
    let is_kept = document.contains(script.user_edit.words);
    let symbol = if is_kept { Symbol::DONE } else { Symbol::REFUSED };
    terminal.fact(symbol, "user’s text", symbol.1, if is_kept { "is in the document" } else { "is lost" })?;

    // A hidden diff is as long as the change is; no limit may keep it from being checked.
    let limits = Limits { text_bytes: usize::MAX, patch_bytes: usize::MAX, hunks: usize::MAX };
    let strict = ApplyOptions { mode: Mode::Strict, limits, ..ApplyOptions::default() };
    let updates: Vec<Update<'_>> = history.iter().filter_map(hidden_update).collect();
    let mut replayed = script.text.clone();
    for update in &updates {
        replayed = match update {
            Update::Diff(diff) => apply(&replayed, diff, &strict)?.into_text(),
            Update::Whole(text) => (*text).to_owned(),
        };
    }
    let holds = replayed == document;
    let symbol = if holds { Symbol::DONE } else { Symbol::REFUSED };
    let equals = if holds { "=" } else { "is not" };
    let wholes = updates.iter().filter(|update| matches!(update, Update::Whole(_))).count();
    let mut messages = counted(updates.len() - wholes, "hidden diff");
    if wholes > 0 {
        messages = format!("{messages} and {}", counted(wholes, "hidden snapshot"));
    }
    let law = format!("first snapshot + {messages}, applied strictly {equals} the document");
    terminal.fact(symbol, "invariant", symbol.1, &law)?;
    if is_kept && holds { Ok(()) } else { Err("the canvas is not what it should be: report this".into()) }
}

/// What a hidden message holds.
enum Update<'h> {
    Diff(&'h str),
    /// In place of a diff that would be longer.
    Whole(&'h str),
}

/// The content of a hidden message, without its code fence.
fn hidden_update(event: &Event) -> Option<Update<'_>> {
    let Body::Text(text) = &event.body else { return None };
    if event.role != Role::User {
        return None;
    }
    let (header, fenced) = text.split_once('\n')?;
    let (opening, inside) = fenced.split_once('\n')?;
    let language = opening.trim_start_matches('`');
    // No line of the content can close the fence. Notes of rejected parts may follow it.
    let content = &inside[..inside.find(opening.strip_suffix(language)?)?];
    match (header, language) {
        (HIDDEN_HEADER, "diff") => Some(Update::Diff(content)),
        (SNAPSHOT_HEADER, "markdown") => Some(Update::Whole(content)),
        // The last line break is the fence's.
        (SNAPSHOT_HEADER, "markdown no-final-newline") => content.strip_suffix('\n').map(Update::Whole),
        _ => None,
    }
}

/// A number and what it counts.
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
