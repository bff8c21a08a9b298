//! Reports that nobody asked for.

use canvas_tools::lease::LeaseId;

/// A report that was not asked for. The loop is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoopError {
    /// No request is under way.
    #[error("No request is under way; poll first, and report one answer for each request.")]
    NoRequest,
    /// No such call was handed out.
    #[error("No call {call_id:?} was handed out; report replies under the ids of RunCalls.")]
    UnknownCall {
        /// The id.
        call_id: String,
    },
    /// The call has its answer.
    #[error("The call {call_id:?} was answered before; report each reply once.")]
    AlreadyAnswered {
        /// The id.
        call_id: String,
    },
    /// The lease is not held, or its release was not asked for.
    #[error("No action is open for the lease {lease_id}; report only what poll asked for.")]
    UnknownLease {
        /// The id.
        lease_id: LeaseId,
    },
}

canvas_tools::coded_error!(LoopError {
    Self::NoRequest => "LOOP_NO_REQUEST";
    Self::UnknownCall { .. } => "LOOP_UNKNOWN_CALL";
    Self::AlreadyAnswered { .. } => "LOOP_ALREADY_ANSWERED";
    Self::UnknownLease { .. } => "LOOP_UNKNOWN_LEASE";
});
