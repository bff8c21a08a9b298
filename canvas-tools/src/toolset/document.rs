//! The seven tools of specs 000 §5, from JSON arguments to JSON replies.

use canvas_core::lease::Timestamp;
use canvas_core::{Call, CallId, Command, Engine, Store};
use serde_json::{Value, json};

use super::arguments::{ApplyPatch, CheckOut, Checked, Grep, Lease, ReadLines, check};
use super::show::{grep_fields, read_fields};
use crate::call::ToolCall;
use crate::reply::{Problem, ToolReply};
use crate::session::Session;
use crate::spec::ToolSpec;

/// Name of the tool that takes the lease.
pub const CHECK_OUT: &str = "canvas_check_out";

/// Name of the tool that gives the lease back.
pub const CHECK_IN: &str = "canvas_check_in";

/// A tool of the document face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    CheckOut,
    RenewLease,
    CheckIn,
    Grep,
    ReadLines,
    ReadAll,
    ApplyPatch,
}

impl Tool {
    pub(super) const ALL: [Self; 7] = [
        Self::CheckOut,
        Self::RenewLease,
        Self::CheckIn,
        Self::Grep,
        Self::ReadLines,
        Self::ReadAll,
        Self::ApplyPatch,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::CheckOut => CHECK_OUT,
            Self::RenewLease => "canvas_renew_lease",
            Self::CheckIn => CHECK_IN,
            Self::Grep => "canvas_grep",
            Self::ReadLines => "canvas_read_lines",
            Self::ReadAll => "canvas_read_all",
            Self::ApplyPatch => "canvas_apply_patch",
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::CheckOut => {
                "Take the exclusive lease on the canvas. Call this first: every other canvas tool needs its lease_id. \
                 Fails with LOCK_NOT_AVAILABLE while another lease is held or the user has ended the turn."
            }
            Self::RenewLease => {
                "Extend the lease without doing anything else. Other calls extend it too, so this is needed only \
                 before a long pause."
            }
            Self::CheckIn => {
                "Give the lease back as soon as you are done with the canvas. Calling it twice is fine."
            }
            Self::Grep => {
                "Find lines of the canvas by literal text or regular expression. Returns line numbers (from 1) and \
                 the text of each matching line. Use it to locate before you edit."
            }
            Self::ReadLines => {
                "Read a range of lines of the canvas, both ends inclusive and counted from 1. Inspect the lines \
                 around a place before you patch it."
            }
            Self::ReadAll => {
                "Read the whole canvas. Discouraged: prefer canvas_grep and canvas_read_lines, which cost less."
            }
            Self::ApplyPatch => {
                "Apply one unified diff to the canvas, all hunks or none. The unchanged and removed lines of each \
                 hunk must equal the canvas exactly and occur there once; counts and line numbers in @@ headers may \
                 be wrong or missing. A failure lists every conflict with its line."
            }
        }
    }

    fn parameters(self) -> Value {
        let mut schema = match self {
            Self::CheckOut => schemars::schema_for!(CheckOut),
            Self::RenewLease | Self::CheckIn | Self::ReadAll => schemars::schema_for!(Lease),
            Self::Grep => schemars::schema_for!(Grep),
            Self::ReadLines => schemars::schema_for!(ReadLines),
            Self::ApplyPatch => schemars::schema_for!(ApplyPatch),
        };
        schema.remove("$schema");
        schema.remove("title");
        schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
        schema.to_value()
    }
}

/// The document tools, as they are told to a model.
pub fn document_tools() -> Vec<ToolSpec> {
    let spec = |tool: Tool| ToolSpec {
        name: tool.name().into(),
        description: tool.description().into(),
        parameters: tool.parameters(),
    };
    Tool::ALL.into_iter().map(spec).collect()
}
/// Runs one call of a model on the session's canvas and says what it gets back.
///
/// Every failure is a reply too: the model reads its code and what to do next. Wrong arguments come first, then a
/// retry's receipt, then the lease, then the patch.
pub async fn call_document_tool<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    call: &ToolCall,
    now: Timestamp,
) -> ToolReply {
    let checked = CallId::new(&call.id)
        .map_err(|e| Problem::argument("", format!("the id of the call: {e}")))
        .and_then(|id| Ok((id, check(call)?)));
    let (id, checked) = match checked {
        Ok(checked) => checked,
        Err(problem) => {
            // The canvas is asked only for its revision; where it does not answer, the arguments are still wrong.
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::problem(&problem, snapshot.as_ref());
        }
    };
    let command = match &checked {
        Checked::Command(command) => command.clone(),
        Checked::Grep { lease, .. } | Checked::ReadLines { lease, .. } | Checked::ReadAll { lease } => {
            Command::Read { lease: *lease }
        }
    };
    let call = Call { operation: session.operation(id), command };
    let answered = match engine.call(&session.canvas, &call, now).await {
        Ok(answered) => answered,
        Err(e) => {
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return ToolReply::of_error(&e, snapshot.as_ref());
        }
    };
    let reply = ToolReply::of_outcome(&answered.outcome, &answered.snapshot);
    if !reply.is_ok() {
        return reply;
    }
    let snapshot = &answered.snapshot;
    match checked {
        Checked::Command(_) => reply,
        Checked::Grep { query, .. } => match grep_fields(snapshot, &query) {
            Ok(fields) => reply.with(fields),
            Err(problem) => ToolReply::problem(&problem, Some(snapshot)),
        },
        Checked::ReadLines { start, end, .. } => match read_fields(snapshot, start, end) {
            Ok(fields) => reply.with(fields),
            Err(problem) => ToolReply::problem(&problem, Some(snapshot)),
        },
        Checked::ReadAll { .. } => match read_fields(snapshot, 1, usize::MAX) {
            Ok(fields) => reply.with(fields),
            Err(problem) => ToolReply::problem(&problem, Some(snapshot)),
        },
    }
}
