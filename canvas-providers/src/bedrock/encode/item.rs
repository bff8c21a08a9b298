//! Blocks that are not yet in messages.

use serde_json::Value;

#[derive(Debug)]
pub(super) struct Item {
    pub(super) is_assistant: bool,
    pub(super) block: Value,
    /// Index of the block's event in the history.
    pub(super) at: usize,
}
