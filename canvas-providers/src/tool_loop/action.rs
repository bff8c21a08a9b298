//! What the loop asks for, and how it ends.

use canvas_tools::ToolCall;
use canvas_tools::lease::{LeaseId, Timestamp};
use serde::Serialize;

/// What the host has to do next.
#[derive(Debug, Clone, PartialEq)]
pub enum LoopAction {
    /// Encode [`ToolLoop::events`](super::ToolLoop::events), send it, and report the answer. Poll again before it is there: the
    /// next actions say when to renew the lease meanwhile, which ends otherwise under a model that thinks long.
    SendRequest,
    /// Run these in order and report each reply. Calls that are not complete are never among them.
    RunCalls(Vec<ToolCall>),
    /// Renew the lease and report the reply.
    RenewLease {
        /// The lease.
        lease_id: LeaseId,
    },
    /// Check the lease in and report that this was tried; whether it succeeded makes no difference.
    ReleaseLease {
        /// The lease.
        lease_id: LeaseId,
    },
    /// Do nothing until there is something to report, or until this time.
    Wait {
        /// When to poll again; `None` where only a report changes anything.
        until: Option<Timestamp>,
    },
    /// The turn is over. Every later poll returns this again, unless a late reply has brought a lease, which is released
    /// first.
    Done(Outcome),
}

/// What ends a turn early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Interruption {
    /// The user sent a message.
    UserMessage,
    /// The user cancelled, or took control of the canvas.
    Cancel,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The model made no more calls.
    Completed,
    /// The model made no more calls, and its last words were cut off.
    Truncated,
    /// The model or its provider declined. Providers may refuse every further request that holds the refused answer, so
    /// a host goes on from the history before it.
    Refused,
    /// All requests of [`LoopOptions::max_steps`](super::LoopOptions::max_steps) are used; the last calls have run.
    MaxSteps,
    /// The tokens of [`LoopOptions::max_tokens`](super::LoopOptions::max_tokens) are used; the last calls have run.
    MaxTokens,
    /// The provider has paused the turn more often than
    /// [`LoopOptions::max_stalls`](super::LoopOptions::max_stalls) allows. A turn with the same history goes on with it.
    Paused,
    /// The history does not fit into the model's context: shorten it, since the same request fails again. Where an answer
    /// has filled the context, what came of it is in the history, and its whole calls have run.
    ContextOverflow,
    /// The user sent a message or cancelled.
    Interrupted {
        /// By which act.
        cause: Interruption,
    },
    /// The request could not be sent, or no answer came.
    TransportFailed {
        /// The host's words.
        message: String,
        /// Whether the host thinks that trying again may help.
        retryable: bool,
    },
    /// The answer broke off. What came of it is in the history; none of its calls ran, and each is answered so.
    Broken {
        /// Names the failure, and stays.
        code: &'static str,
        /// One sentence, with what to do.
        message: String,
        /// Whether the model may answer to the end when it is asked again.
        retryable: bool,
    },
    /// The answer cannot be used, or no request can be made.
    Unusable {
        /// Names the failure, and stays.
        code: &'static str,
        /// One sentence, with what to do.
        message: String,
        /// Whether the same request may get a better answer.
        retryable: bool,
    },
}

impl Outcome {
    /// The kind, as in the JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Truncated => "truncated",
            Self::Refused => "refused",
            Self::MaxSteps => "max_steps",
            Self::MaxTokens => "max_tokens",
            Self::Paused => "paused",
            Self::ContextOverflow => "context_overflow",
            Self::Interrupted { .. } => "interrupted",
            Self::TransportFailed { .. } => "transport_failed",
            Self::Broken { .. } => "broken",
            Self::Unusable { .. } => "unusable",
        }
    }
}
