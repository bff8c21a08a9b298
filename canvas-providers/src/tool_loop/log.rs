//! What a loop has done, for hosts to show or to keep.

use canvas_tools::lease::LeaseId;
use serde::Serialize;

use super::action::Outcome;

/// One line of the log. In JSON: `{"step": n, "did": "request" | "calls" | ..., ...}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogEntry {
    /// The request that it belongs to, counted from 1.
    pub step: u32,
    /// What happened.
    #[serde(flatten)]
    pub event: LogEvent,
}

/// What happened in a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "did", rename_all = "snake_case")]
pub enum LogEvent {
    /// Asked the host to send a request.
    Request,
    /// Took an answer.
    Response {
        /// The provider's stop reason.
        #[serde(rename = "finish")]
        raw_stop_reason: Option<String>,
        /// How many calls it holds, of any verdict.
        calls: usize,
    },
    /// Asked the host to run calls.
    Calls {
        /// Which.
        calls: Vec<CallName>,
    },
    /// Took the reply to a call.
    Reply {
        /// The call.
        call_id: String,
        /// Whether it went well.
        ok: bool,
    },
    /// Answered a call in the tool's place, because it did not run.
    #[serde(rename = "unrun")]
    NotExecuted {
        /// The call.
        call_id: String,
        /// Why: `CALL_INTERRUPTED`, `CALL_TRUNCATED`, `CALL_MALFORMED` or `CALL_DECLINED`.
        code: &'static str,
    },
    /// Asked the host to renew a lease.
    Renew {
        /// The lease.
        lease_id: LeaseId,
    },
    /// Asked the host to give a lease back.
    Release {
        /// The lease.
        lease_id: LeaseId,
    },
    /// The turn was decided; leases may still have to be given back.
    End {
        /// How.
        outcome: Outcome,
    },
}

/// A call in the log, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallName {
    /// The call's id.
    pub id: String,
    /// The tool.
    pub name: String,
}
