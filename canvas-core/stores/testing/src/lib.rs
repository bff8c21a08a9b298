//! What the tests of stores share: ids and commits, clocks, folders, schemas.
#![expect(clippy::missing_panics_doc, reason = "a helper of a test panics where the test has failed")]

mod answer;
mod clock;
pub mod collecting;
pub mod erasing;
mod folder;
#[cfg(feature = "postgres")]
mod postgres;

use std::fmt::Display;
use std::sync::Arc;

use canvas_core::document::Edit;
use canvas_core::lease::Turn;
use canvas_core::store::{Commit, Head, MemoryStore, Store as _, Version};
use canvas_core::{Blob, CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
use serde_json::Value;

#[cfg(feature = "conformance")]
pub use answer::skipped;
pub use answer::{collect, conflict, current, definite, done, done_at, dropped, fault, indeterminate};
pub use clock::{Clock, NOW, system_now};
pub use folder::Folder;
#[cfg(feature = "postgres")]
pub use postgres::{Blocker, World, address, connect};

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

/// The head of a new canvas whose document is `text`, with an epoch.
pub fn head(name: impl Display, text: &str, epoch: u64) -> Arc<Head> {
    let canvas = canvas(&name.to_string());
    let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
    block_on(engine.create(&canvas, text, &key("create"), NOW)).expect("memory has room");
    let row = block_on(engine.store().load(&canvas)).expect("memory does not fail").expect("it was made");
    edit_head(&row.head, |json| json["lease"]["epoch"] = epoch.into())
}

/// A head whose JSON was changed.
pub fn edit_head(head: &Head, change: impl FnOnce(&mut Value)) -> Arc<Head> {
    let mut json = serde_json::from_slice(&head.to_json()).expect("a head is JSON");
    change(&mut json);
    let json = serde_json::to_vec(&json).expect("a value is JSON");
    Arc::new(Head::from_json(head.canvas(), &json).expect("the change keeps it a head"))
}

/// An edit that replaces the document.
pub fn edit(markdown: &str) -> Edit {
    Edit::replace(markdown)
}

/// A commit of a canvas whose document is `text`.
pub fn commit(name: impl Display, expected: Option<&Version>, text: &str) -> Commit {
    Commit {
        expected: expected.cloned(),
        head: head(name, text, 0),
        blobs: vec![Blob::text(text.to_owned())],
        not_after: None,
    }
}
