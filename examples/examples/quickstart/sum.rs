//! What is left at the end: counts, and the promises that a run must keep.

use std::collections::BTreeMap;
use std::io::Write;

use canvas_core::text::{Limits, Mode, Options, apply};
use canvas_providers::{Body, Event, Role};
use canvas_tools::{HIDDEN_HEADER, ToolReply};

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
    let diffs: Vec<&str> = history.iter().filter_map(hidden_diff).collect();
    let mut told = script.text.clone();
    for diff in &diffs {
        told = apply(&told, diff, &strict)?.into_text();
    }
    let holds = told == document;
    let mark = if holds { Mark::DONE } else { Mark::REFUSED };
    let equals = if holds { "=" } else { "is not" };
    let diffs = counted(diffs.len(), "hidden diff");
    let law = format!("first snapshot + {diffs}, applied strictly {equals} the document");
    paint.fact(mark, "invariant", mark.1, &law)?;
    if typed && holds { Ok(()) } else { Err("the canvas is not what it should be: report this".into()) }
}

/// The diff that a hidden message carries, without its code fence.
fn hidden_diff(event: &Event) -> Option<&str> {
    let Body::Text(text) = &event.body else { return None };
    let fenced = text.strip_prefix(HIDDEN_HEADER).filter(|_| event.role == Role::User)?;
    let (opening, diff) = fenced.strip_prefix('\n')?.split_once('\n')?;
    diff.strip_suffix(opening.strip_suffix("diff")?)
}

/// A number and what it counts.
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
