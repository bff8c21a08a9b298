//! The actions that a loop requested and the reports that it took, for hosts to show or to store.

use canvas_tools::lease::LeaseId;
use serde::Serialize;

use super::action::Outcome;
use crate::usage::Usage;

/// One entry of the log. In JSON: `{"step": n, "did": "request" | "calls" | ..., ...}`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogEntry {
    /// Number of the request that the entry belongs to, counted from 1.
    pub step: u32,
    /// The action or report, flattened into the entry's JSON.
    #[serde(flatten)]
    pub event: LogEvent,
}

/// An action requested or a report taken by the loop.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "did", rename_all = "snake_case")]
#[non_exhaustive]
pub enum LogEvent {
    /// Requested that the host send a request.
    Request,
    /// Took an answer.
    Response {
        /// The provider's stop reason, verbatim; `None` if it gave none.
        #[serde(rename = "finish")]
        raw_stop_reason: Option<String>,
        /// Number of calls in the answer, whatever their verdicts.
        calls: usize,
        /// The tokens used; not in the JSON if the provider does not report usage.
        #[serde(skip_serializing_if = "is_nothing")]
        usage: Usage,
        /// Code of the failure if the answer is incomplete.
        #[serde(skip_serializing_if = "Option::is_none")]
        failure: Option<&'static str>,
    },
    /// The host is sending the request again.
    Retry {
        /// Stable code of the error.
        code: &'static str,
        /// The tokens used by the failed attempt; not in the JSON if the provider does not report usage.
        #[serde(skip_serializing_if = "is_nothing")]
        usage: Usage,
    },
    /// Requested that the host run calls.
    Calls {
        /// The calls, in the order in which they run.
        calls: Vec<CallName>,
    },
    /// Took the reply to a call.
    Reply {
        /// Id of the call.
        call_id: String,
        /// Whether the reply is a success.
        ok: bool,
    },
    /// Answered a call in place of the tool, because the call did not run.
    #[serde(rename = "unrun")]
    NotExecuted {
        /// Id of the call.
        call_id: String,
        /// The reason: `CALL_INTERRUPTED`, `CALL_TRUNCATED`, `CALL_MALFORMED`, `CALL_DECLINED` or `ANSWER_BROKEN`.
        code: &'static str,
    },
    /// Requested that the host renew a lease.
    Renew {
        /// Id of the lease.
        lease_id: LeaseId,
    },
    /// Requested that the host release a lease.
    Release {
        /// Id of the lease.
        lease_id: LeaseId,
    },
    /// The turn ended, but leases may still have to be released.
    End {
        /// The outcome of the whole turn.
        outcome: Outcome,
    },
}

/// A call in the log, without its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallName {
    /// Id of the call.
    pub id: String,
    /// The tool's own name, not the one on the wire.
    pub name: String,
}

fn is_nothing(usage: &Usage) -> bool {
    *usage == Usage::default()
}
