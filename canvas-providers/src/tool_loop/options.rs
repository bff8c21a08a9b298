//! Limits and lease policy of a turn.

use canvas_tools::lease::LeasePolicy;

/// Options of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopOptions {
    /// Maximum number of requests in the turn. The calls of the last answer still run.
    pub max_steps: u32,
    /// Maximum number of tokens, added up over all requests and answers of the turn; no further request is made once
    /// they are used. `None` means no limit. The answer that exceeds the limit counts, and its calls still run. If a
    /// provider does not report usage, the limit is never reached.
    pub max_tokens: Option<u64>,
    /// Maximum number of consecutive answers that do not advance the turn: paused answers, and answers with calls none
    /// of which can run.
    pub max_stalls: u32,
    /// The lease policy of the engine behind the tools. The loop takes the lifetime of leases from it. When
    /// the turn ends, the loop waits up to one lifetime for the host to report that leases were released, and for
    /// replies to interrupted calls. It renews a lease after a third of the lifetime at the latest. The replies tell
    /// whether a renewal can move the expiry at all.
    pub lease: LeasePolicy,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self { max_steps: 8, max_tokens: None, max_stalls: 3, lease: LeasePolicy::default() }
    }
}
