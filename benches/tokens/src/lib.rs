//! What a model pays to read, counted by the tokenizer of o200k: prompts, tools, and the replies of 24 edit tasks.
//!
//! The tasks are changes of real documents, found in `$CANVAS_DATA/patch` and played through the bridge: each locates,
//! inspects, patches, gives the lease back and ends the turn, and some go wrong first in the ways in which models do.

pub mod before;
pub mod play;
pub mod script;
pub mod structure;
pub mod tools;

use tiktoken_rs::CoreBPE;

/// Counts o200k tokens.
pub struct Counter(CoreBPE);

impl std::fmt::Debug for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Counter(o200k)")
    }
}

impl Counter {
    /// Reads the vocabulary, which takes a second in a debug build.
    ///
    /// # Panics
    ///
    /// Where the vocabulary that comes with the tokenizer is damaged.
    pub fn o200k() -> Self {
        Self(tiktoken_rs::o200k_base().expect("the vocabulary comes with the crate"))
    }

    /// Tokens of a text, markers of a chat not counted as such.
    pub fn count(&self, text: &str) -> usize {
        self.0.encode_ordinary(text).len()
    }
}
