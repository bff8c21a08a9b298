//! Ids of tests.

use canvas_core::lease::Turn;
use canvas_core::{CallId, CanvasId, ConversationId, OpKey};

/// The id of a canvas.
pub fn canvas(name: &str) -> CanvasId {
    CanvasId::new(name).expect("names in tests are short")
}

/// The key of an operation of the host, before the first turn.
pub fn key(call: &str) -> OpKey {
    key_of("host", Turn::ZERO, call)
}

/// The key of an operation of a conversation.
pub fn key_of(conversation: &str, turn: Turn, call: &str) -> OpKey {
    let conversation = ConversationId::new(conversation).expect("names in tests are short");
    OpKey { conversation, turn, call: CallId::new(call).expect("names in tests are short") }
}
