//! What answers cost.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Tokens of one answer, or of several added up. Zero where the provider says nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the request, those from a cache and into a cache included.
    pub input_tokens: u64,
    /// Tokens of the request that were read from a cache.
    pub cache_read_tokens: u64,
    /// Tokens of the request that were written into a cache.
    pub cache_write_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Tokens of the answer that are reasoning, where they are counted apart.
    pub reasoning_tokens: u64,
}

impl AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        for (total, more) in [
            (&mut self.input_tokens, other.input_tokens),
            (&mut self.cache_read_tokens, other.cache_read_tokens),
            (&mut self.cache_write_tokens, other.cache_write_tokens),
            (&mut self.output_tokens, other.output_tokens),
            (&mut self.reasoning_tokens, other.reasoning_tokens),
        ] {
            *total = total.saturating_add(more);
        }
    }
}
