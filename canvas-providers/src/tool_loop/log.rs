//! The actions that a loop has asked for and the reports that it took, for hosts to show or to keep.

use canvas_tools::lease::LeaseId;
use serde::Serialize;

use super::action::Outcome;
use crate::usage::Usage;

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
        /// What it cost; not in the JSON where the provider says nothing.
        #[serde(skip_serializing_if = "is_nothing")]
        usage: Usage,
        /// Why it is not whole.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<&'static str>,
    },
    /// The host sends the request again.
    Retry {
        /// Why.
        code: &'static str,
        /// What the attempt cost that is not used.
        #[serde(skip_serializing_if = "is_nothing")]
        usage: Usage,
    },
    /// Asked the host to run calls.
    Calls {
        /// In the order in which they run.
        calls: Vec<CallName>,
    },
    /// Took the reply to a call.
    Reply {
        /// The call's id.
        call_id: String,
        /// Whether the reply is a success.
        ok: bool,
    },
    /// Answered a call in the tool's place, because it did not run.
    #[serde(rename = "unrun")]
    NotExecuted {
        /// The call's id.
        call_id: String,
        /// Why: `CALL_INTERRUPTED`, `CALL_TRUNCATED`, `CALL_MALFORMED`, `CALL_DECLINED` or `ANSWER_BROKEN`.
        code: &'static str,
    },
    /// Asked the host to renew a lease.
    Renew {
        /// The lease.
        lease_id: LeaseId,
    },
    /// Asked the host to release a lease.
    Release {
        /// The lease.
        lease_id: LeaseId,
    },
    /// The turn ended; leases may still have to be released.
    End {
        /// Why it ended.
        outcome: Outcome,
    },
}

/// A call in the log, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallName {
    /// The call's id.
    pub id: String,
    /// The tool's own name.
    pub name: String,
}

fn is_nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
}
