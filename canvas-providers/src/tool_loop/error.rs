//! Errors for reports that the loop did not request.

use canvas_tools::CodedError;
use canvas_tools::lease::LeaseId;

/// Error returned for a report that the loop did not request. The loop is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// No request is under way.
    #[error("no request is under way; poll first, and report one answer for each request")]
    NoRequest,
    /// The loop did not hand out a call with this id.
    #[error("no call {call_id:?} was handed out; report replies under the ids of RunCalls")]
    UnknownCall {
        /// Id of the call in the report.
        call_id: String,
    },
    /// The call already has its answer.
    #[error("the call {call_id:?} was answered before; report each reply once")]
    AlreadyAnswered {
        /// Id of the call in the report.
        call_id: String,
    },
    /// The lease is not held, or the loop did not request its release.
    #[error("no action is open for the lease {lease_id}; report only what poll asked for")]
    UnknownLease {
        /// Id of the lease in the report.
        lease_id: LeaseId,
    },
}

impl CodedError for LoopError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoRequest => "LOOP_NO_REQUEST",
            Self::UnknownCall { .. } => "LOOP_UNKNOWN_CALL",
            Self::AlreadyAnswered { .. } => "LOOP_ALREADY_ANSWERED",
            Self::UnknownLease { .. } => "LOOP_UNKNOWN_LEASE",
        }
    }
}
