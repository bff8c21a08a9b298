//! An observer that tells `tracing` what an engine does: a span for each call and each commit, an event for the rest.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use canvas_core::observe::{
    CallEnd, CallNumber, CommitEnd, CommitNumber, EngineEvent, EventKind, Observer, WaitEnd,
};
use tracing::field::Empty;
use tracing::{Span, debug, info_span, warn};

/// One for each engine: calls and commits are numbered anew in each.
pub(crate) struct Spans {
    start: Instant,
    open: Mutex<Open>,
}

/// What has begun and not ended. It is bounded by the calls that are under way.
#[derive(Default)]
struct Open {
    calls: HashMap<CallNumber, Span>,
    commits: HashMap<CommitNumber, Span>,
}

impl Spans {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), open: Mutex::default() }
    }

    /// A call that has panicked leaves nothing half done here.
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self, event: &EngineEvent<'_>, name: &'static str) {
        // A child of the span that the host is in, such as that of a request.
        let span = info_span!("canvas.call", otel.name = name, canvas = %event.canvas, end = Empty, code = Empty,
            conversation = Empty, call_id = Empty, replayed = Empty, otel.status_code = Empty);
        if let EventKind::Began { operation: Some(key), .. } = event.kind {
            span.record("conversation", key.conversation.as_str()).record("call_id", key.call.as_str());
        }
        self.open().calls.insert(event.call, span);
    }
}

impl Observer for Spans {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn event(&self, event: &EngineEvent<'_>) {
        let known = self.open().calls.get(&event.call).cloned();
        let call = known.unwrap_or_else(Span::none);
        match event.kind {
            EventKind::Began { name, .. } => self.begin(event, name),
            EventKind::Ended { end, replayed, .. } => {
                call.record("end", end.as_str()).record("replayed", replayed);
                if let Some(code) = end.code() {
                    call.record("code", code);
                }
                // A refusal is an answer: only what has none is an error.
                if let CallEnd::Failed(_) = end {
                    call.record("otel.status_code", "ERROR");
                }
                self.open().calls.remove(&event.call);
            }
            EventKind::CommitBegan { commit, calls, blobs, bytes, .. } => {
                let span = info_span!(parent: &call, "canvas.commit", commit = commit.get(), calls, blobs, bytes,
                    end = Empty, code = Empty, otel.status_code = Empty);
                self.open().commits.insert(commit, span);
            }
            EventKind::CommitEnded { commit, end, .. } => {
                let Some(span) = self.open().commits.remove(&commit) else { return };
                span.record("end", end.as_str());
                if let CommitEnd::Failed(code) = end {
                    span.record("code", code).record("otel.status_code", "ERROR");
                }
            }
            EventKind::Loaded { took, found, error, .. } => {
                debug!(parent: &call, took_us = micros(took), found, error, "loaded");
            }
            EventKind::Fetched { took, asked, found, bytes, error, .. } => {
                debug!(parent: &call, took_us = micros(took), asked, found, bytes, error, "fetched");
            }
            EventKind::Decided { took, basis, decision, code, .. } => {
                let (basis, decision) = (basis.as_str(), decision.as_str());
                debug!(parent: &call, took_us = micros(took), basis, decision, code, "decided");
            }
            EventKind::Waited { took, commit, end, .. } => {
                let code = if let WaitEnd::Failed(code) = end { Some(code) } else { None };
                let (commit, end) = (commit.map(CommitNumber::get), end.as_str());
                debug!(parent: &call, took_us = micros(took), commit, end, code, "waited");
            }
            EventKind::Settled { took, settlement, .. } => {
                warn!(parent: &call, took_us = micros(took), settlement = settlement.as_str(), "settled");
            }
            EventKind::BackedOff { losses, pause, .. } => {
                warn!(parent: &call, losses, pause_us = micros(pause), "backed off");
            }
            EventKind::Collected { took, kept, blobs, bytes, end, .. } => {
                debug!(parent: &call, took_us = micros(took), kept, blobs, bytes, end = end.as_str(), "collected");
            }
            // A kind that a later version has is at least seen.
            other => debug!(parent: &call, kind = other.name(), "engine"),
        }
    }
}

/// In microseconds.
fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}
