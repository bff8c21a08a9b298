//! Ids for tests.

use canvas_core::lease::Turn;
use canvas_core::{CallId, CanvasId, ConversationId, OpKey};

/// Returns the id of a canvas. Panics if the name is not a valid id.
pub fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).expect("names in tests are short")
}

/// Returns the key of a host operation before the first turn.
pub fn key(call: &str) -> OpKey {
    key_of("host", Turn::ZERO, call)
}

/// Returns the key of an operation in a conversation.
pub fn key_of(conversation: &str, turn: Turn, call: &str) -> OpKey {
    let conversation = ConversationId::new(conversation).expect("names in tests are short");
    OpKey { conversation, turn, call: CallId::new(call).expect("names in tests are short"), person: None }
}
