//! The actions that the loop requests, and the outcomes of a turn.

use canvas_tools::ToolCall;
use canvas_tools::lease::{LeaseId, Timestamp};
use serde::Serialize;

/// An action that the host performs next. The enum is exhaustive, so a host that does not perform a new action does not
/// compile.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "the turn goes on only if the host performs the action"]
pub enum LoopAction {
    /// Encode [`ToolLoop::events`](super::ToolLoop::events), send the request, and report the answer. Poll again before
    /// the answer arrives, because the next actions say when to renew the lease. Otherwise the lease may expire while
    /// the model thinks.
    SendRequest,
    /// Run these calls in order and report each reply. They are all complete.
    RunCalls(Vec<ToolCall>),
    /// Renew the lease and report the reply.
    RenewLease {
        /// Id of the lease to renew.
        lease_id: LeaseId,
    },
    /// Check the lease in, and report that you tried. It makes no difference whether that succeeded.
    ReleaseLease {
        /// Id of the lease to release.
        lease_id: LeaseId,
    },
    /// Do nothing until there is something to report, or until this time.
    Wait {
        /// The time of the next poll; `None` if only a report changes anything.
        until: Option<Timestamp>,
    },
    /// The turn is over, with this outcome. Every later poll returns this again, unless a late reply acquired a lease,
    /// which is released first.
    Done(Outcome),
}

/// The reason that a turn ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Interruption {
    /// The user sent a message during the turn.
    UserMessage,
    /// The user cancelled, or took control of the canvas.
    Cancel,
}

/// The outcome of a turn, from a completed answer to a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
#[must_use = "the outcome says whether the turn completed"]
pub enum Outcome {
    /// The model made no more calls.
    Completed,
    /// The model made no more calls, and its last text was cut off.
    Truncated,
    /// The model or its provider declined. Providers may refuse every further request that holds the declined answer,
    /// so continue from the history before it.
    Refused,
    /// The requests that [`LoopOptions::max_steps`](super::LoopOptions::max_steps) allows are used up. The last calls
    /// ran.
    MaxSteps,
    /// The tokens that [`LoopOptions::max_tokens`](super::LoopOptions::max_tokens) allows are used up. The last calls
    /// ran.
    MaxTokens,
    /// The provider paused the turn more often than [`LoopOptions::max_stalls`](super::LoopOptions::max_stalls) allows.
    /// You can continue with another turn on the same history.
    Paused,
    /// The history does not fit into the model's context. Shorten it, because the same request fails again. If an
    /// answer filled the context, its parts are in the history, and its complete calls ran.
    ContextOverflow,
    /// The user sent a message or cancelled.
    Interrupted {
        /// The act that interrupted the turn.
        cause: Interruption,
    },
    /// The request could not be sent, or no answer arrived.
    TransportFailed {
        /// The host's description of the failure.
        message: String,
        /// Whether another attempt may succeed, according to the host.
        retryable: bool,
    },
    /// The answer broke off, and the parts that arrived are in the history. None of its calls ran, and each has a result
    /// that says so.
    Broken {
        /// Stable code of the failure.
        code: &'static str,
        /// One sentence with the failure and the next step.
        message: String,
        /// Whether the model may complete the answer if you send the request again.
        retryable: bool,
    },
    /// The answer cannot be used, or no request can be made.
    Unusable {
        /// Stable code of the failure.
        code: &'static str,
        /// One sentence with the failure and the next step.
        message: String,
        /// Whether the same request may get a better answer.
        retryable: bool,
    },
}

impl Outcome {
    /// Returns the `kind` of the JSON form.
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
