//! What bounds a turn.

use canvas_tools::lease::Policy;

/// What a host may set for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopOptions {
    /// Maximum requests of the turn. The calls of the last answer still run.
    pub max_steps: u32,
    /// Tokens after which no further request is made, those of all requests and answers of the turn added up; `None` for no
    /// such bound. The answer that passes it counts, and its calls still run. Providers that tell no usage never reach it.
    pub max_tokens: Option<u64>,
    /// Maximum answers in a row that do not advance the turn: paused ones, and those with calls of which none can run.
    pub max_stalls: u32,
    /// The lease policy of the engine behind the tools. The loop takes the lifetime from it: that is how long it waits
    /// for the reports of releases and for replies that come after the end, and a renewal comes after a third of it at
    /// the latest. Whether a renewal would move the expiry at all is in the replies.
    pub lease: Policy,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self { max_steps: 8, max_tokens: None, max_stalls: 3, lease: Policy::default() }
    }
}
