//! Blocks on their way into messages.

use serde_json::Value;

/// A block that is not yet in a message.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) is_assistant: bool,
    pub(super) block: Value,
    /// Index of its event in the history.
    pub(super) at: usize,
}
