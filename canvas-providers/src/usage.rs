//! Token usage of answers.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The tokens of one answer, or the sum over several. Zero if the provider does not report them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the request, including those read from or written to a cache.
    pub input_tokens: u64,
    /// Tokens of the request read from a cache; part of `input_tokens`.
    pub cache_read_tokens: u64,
    /// Tokens of the request written to a cache; part of `input_tokens`.
    pub cache_write_tokens: u64,
    /// Tokens of the answer, including reasoning.
    pub output_tokens: u64,
    /// Tokens of the answer that are reasoning, if the provider counts them separately.
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
