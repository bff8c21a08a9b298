//! Heads and commits for tests.
//!
//! The engine creates these heads. Tests then change their stored JSON, as a faulty back end could.

use std::fmt::Display;
use std::sync::{Arc, OnceLock};

use canvas_core::document::Edit;
use canvas_core::store::{Commit, Head, MemoryStore, Store as _, Version};
use canvas_core::testing::block_on;
use canvas_core::{Blob, BlobId, CanvasId, Engine, Policy};
use serde_json::{Value, json};

use super::clock::NOW;
use super::id::{canvas, key};

/// Returns the head of a new canvas with this document and epoch.
pub fn head(name: impl Display, text: &str, epoch: u64) -> Arc<Head> {
    let first = first(&canvas(&name.to_string()), BlobId::of(text.as_bytes()));
    edit_head(&first, |json| json["lease"]["epoch"] = epoch.into())
}

/// Returns a copy of a head with changed JSON. Panics if the result is not a valid head.
pub fn edit_head(head: &Head, change: impl FnOnce(&mut Value)) -> Arc<Head> {
    let mut json = json!(head);
    change(&mut json);
    read(json)
}

/// Returns the head of a new canvas, at revision 1 and without receipts.
pub(crate) fn first(canvas: &CanvasId, document: BlobId) -> Arc<Head> {
    // Races need thousands of them, so run the engine only once.
    static FIRST: OnceLock<Value> = OnceLock::new();
    let made = FIRST.get_or_init(|| {
        let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
        block_on(engine.create(canvas, "", &key("create"), NOW)).expect("memory has room");
        let row = block_on(engine.store().load(canvas)).expect("memory does not fail");
        let mut json = json!(row.expect("it was made").head);
        // Remove the receipt of the creation, because it refers to another document.
        json["receipts"]["recent"] = json!([]);
        json
    });
    let mut json = made.clone();
    json["canvas"] = json!(canvas);
    json["draft"]["document.md"] = json!(document);
    json["origin"]["document"] = json!(document);
    read(json)
}

fn read(json: Value) -> Arc<Head> {
    Arc::new(serde_json::from_value(json).expect("the change keeps it a head"))
}

/// Returns an edit that replaces the document.
pub fn edit(markdown: &str) -> Edit {
    Edit::overwrite(markdown)
}

/// Returns a commit of a canvas with this document.
pub fn commit(name: impl Display, expected: Option<&Version>, text: &str) -> Commit {
    Commit {
        expected: expected.cloned(),
        head: head(name, text, 0),
        blobs: vec![Blob::text(text.to_owned())],
        not_after: None,
    }
}
