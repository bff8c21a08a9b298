//! What is left at the end: counts, and the promises that a run must keep.

use std::collections::BTreeMap;
use std::io::Write;

use canvas_core::text::{Limits, Mode, Options, apply};
use canvas_providers::{Body, Event, Role};
use canvas_tools::{HIDDEN_HEADER, SNAPSHOT_HEADER, ToolReply};

use crate::paint::{Ink, Mark, Paint, grouped};
use crate::play::Played;
use crate::script::Script;

/// Counts of a run.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) messages: usize,
    pub(crate) requests: usize,
    pub(crate) bytes: usize,
    pub(crate) renewals: usize,
    calls: usize,
    refused: BTreeMap<String, usize>,
}

impl Tally {
    /// Counts a call of the model.
    pub(crate) fn count(&mut self, reply: &ToolReply) {
        self.calls += 1;
        if let Some(code) = reply.code() {
            *self.refused.entry(code.to_owned()).or_default() += 1;
        }
    }

    pub(crate) fn show<W: Write>(&self, paint: &mut Paint<W>) -> Played {
        let refused: Vec<String> = self.refused.iter().map(|(code, n)| format!("{n} × {code}")).collect();
        let refused = if refused.is_empty() { "none".into() } else { refused.join(", ") };
        let renewals = counted(self.renewals, "renewal");
        let calls = format!("{}; refused: {refused}; by the loop: {renewals}", self.calls);
        paint.fact(Mark::NOTE, "calls", Ink::Plain, &calls)?;
        let requests = format!("{}, of {} bytes together", self.requests, grouped(self.bytes));
        Ok(paint.fact(Mark::NOTE, "requests", Ink::Plain, &requests)?)
    }
}

/// Checks that nothing of the user's is lost, and that whoever follows the history knows the document.
///
/// # Errors
///
/// Where a promise is broken, after having shown which.
pub(crate) fn check<W: Write>(
    script: &Script,
    document: &str,
    history: &[Event],
    paint: &mut Paint<W>,
) -> Played {
    let typed = document.contains(script.typed.words);
    let mark = if typed { Mark::DONE } else { Mark::REFUSED };
    paint.fact(mark, "user’s text", mark.1, if typed { "is in the document" } else { "is lost" })?;

    // A hidden diff is as long as the change is; no limit may keep the promise from being checked.
    let limits = Limits { text_bytes: usize::MAX, patch_bytes: usize::MAX, hunks: usize::MAX };
    let strict = Options { mode: Mode::Strict, limits };
    let updates: Vec<Update<'_>> = history.iter().filter_map(hidden_update).collect();
    let mut told = script.text.clone();
    for update in &updates {
        told = match update {
            Update::Diff(diff) => apply(&told, diff, &strict)?.into_text(),
            Update::Whole(text) => (*text).to_owned(),
        };
    }
    let holds = told == document;
    let mark = if holds { Mark::DONE } else { Mark::REFUSED };
    let equals = if holds { "=" } else { "is not" };
    let wholes = updates.iter().filter(|update| matches!(update, Update::Whole(_))).count();
    let mut told = counted(updates.len() - wholes, "hidden diff");
    if wholes > 0 {
        told = format!("{told} and {}", counted(wholes, "hidden snapshot"));
    }
    let law = format!("first snapshot + {told}, applied strictly {equals} the document");
    paint.fact(mark, "invariant", mark.1, &law)?;
    if typed && holds { Ok(()) } else { Err("the canvas is not what it should be: report this".into()) }
}

/// What a hidden message tells.
enum Update<'h> {
    Diff(&'h str),
    /// In place of a diff that would be longer.
    Whole(&'h str),
}

/// What a hidden message carries, without its code fence.
fn hidden_update(event: &Event) -> Option<Update<'_>> {
    let Body::Text(text) = &event.body else { return None };
    if event.role != Role::User {
        return None;
    }
    let (header, fenced) = text.split_once('\n')?;
    let (opening, inside) = fenced.split_once('\n')?;
    let language = opening.trim_start_matches('`');
    let content = inside.strip_suffix(opening.strip_suffix(language)?)?;
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
