//! What the loop asks for, and how it ends.

use canvas_tools::ToolCall;
use canvas_tools::lease::{LeaseId, Timestamp};
use serde::Serialize;

/// The next thing for the host to do.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopAction {
    /// Encode [`ToolLoop::events`](super::ToolLoop::events), send it, and report the answer.
    SendRequest,
    /// Run these in order and report each reply. Calls that are not complete are never among them.
    RunCalls(Vec<ToolCall>),
    /// Renew the lease and report the reply.
    RenewLease {
        /// The lease.
        lease_id: LeaseId,
    },
    /// Give the lease back and report that it was tried; whether it worked makes no difference.
    ReleaseLease {
        /// The lease.
        lease_id: LeaseId,
    },
    /// Nothing to do until something is reported, or until this time.
    Wait {
        /// When to poll again, `None` where only a report goes on.
        until: Option<Timestamp>,
    },
    /// The turn is over. Every later poll says so again, unless a reply has come after all and has brought a lease:
    /// then that is given back first.
    Done(Outcome),
}

/// Who interrupts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Interruption {
    /// The user sent a message.
    UserMessage,
    /// The user cancelled, or took control of the canvas.
    Cancel,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// The model made no more calls.
    Completed,
    /// The model made no more calls, and its last words were cut off.
    Truncated,
    /// The model or its provider declined.
    Refused,
    /// The allowed requests are used up; the last calls have run.
    MaxSteps,
    /// The user came between.
    Interrupted {
        /// How.
        cause: Interruption,
    },
    /// The request could not be sent, or no answer came.
    TransportFailed {
        /// What the host says.
        message: String,
        /// Whether the host thinks that trying again may help.
        retryable: bool,
    },
    /// An answer came that is none.
    Unusable {
        /// Stable code of the failure.
        code: &'static str,
        /// One sentence.
        message: String,
    },
}

impl Outcome {
    /// The kind alone, as in the JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Truncated => "truncated",
            Self::Refused => "refused",
            Self::MaxSteps => "max_steps",
            Self::Interrupted { .. } => "interrupted",
            Self::TransportFailed { .. } => "transport_failed",
            Self::Unusable { .. } => "unusable",
        }
    }
}
