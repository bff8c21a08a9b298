//! Heads as stored JSON, which the suite writes, corrupts and reads without the engine.

use std::sync::Arc;

use canvas_core::lease::safe_integer;
use canvas_core::store::Head;
use canvas_core::{BlobId, CanvasId};
use serde_json::{Value, json};

use crate::head::{edit_head, first};

/// Returns the tombstone of a canvas that never had a journal.
pub(super) fn tombstone(head: &Head) -> Arc<Head> {
    edit_head(head, |json| {
        (json["draft"], json["committed"], json["conversations"]) = (json!({}), Value::Null, json!({}));
        json["deleted"] = true.into();
    })
}

/// Returns the head of a canvas created again after a tombstone. Its revisions continue.
pub(super) fn again(tombstone: &Head, document: BlobId) -> Arc<Head> {
    let revision = json!(tombstone.revision().next());
    edit_head(&first(tombstone.canvas(), document), |json| {
        json["faces"]["document"] = revision.clone();
        json["origin"]["revision"] = revision.clone();
        json["turn_start"]["revision"] = revision.clone();
        json["revision"] = revision;
    })
}

pub(super) fn renamed(head: &Head, canvas: &CanvasId) -> Arc<Head> {
    edit_head(head, |json| json["canvas"] = json!(canvas))
}

pub(super) fn without_receipts(head: &Head) -> Arc<Head> {
    edit_head(head, |json| json["receipts"] = json!({"pages": [], "recent": [], "lease": null}))
}

/// Returns a copy of a head in which these conversations know the first document.
pub(super) fn with_conversations(head: &Head, names: impl Iterator<Item = String>) -> Arc<Head> {
    edit_head(head, |json| {
        let known = json!({"synced": json["origin"], "seen": json["origin"]});
        json["conversations"] = names.map(|name| (name, known.clone())).collect();
    })
}

/// Returns a copy of a head that keeps only the last `most` conversations.
pub(super) fn with_last_conversations(head: &Head, most: usize) -> Arc<Head> {
    edit_head(head, |json| {
        if let Some(all) = json["conversations"].as_object_mut() {
            let spare = all.len().saturating_sub(most);
            *all = std::mem::take(all).into_iter().skip(spare).collect();
        }
    })
}

#[cfg(test)]
pub(super) fn conversations(head: &Head) -> usize {
    json!(head)["conversations"].as_object().map_or(0, |all| all.len())
}

/// Returns a copy of a head with three journal entries, the last of which is `last`, and with the largest possible
/// revision.
pub(super) fn with_journal(head: &Head, last: BlobId) -> Arc<Head> {
    edit_head(head, |json| {
        (json["journal"]["last"], json["journal"]["entries"]) = (json!(last), 3.into());
        json["revision"] = safe_integer::MAX.into();
    })
}

/// Returns blobs that a head needs, one for each possible reason. The conversation must know the document.
///
/// # Errors
///
/// If the head lacks one of the reasons.
pub(super) fn needed(head: &Head, conversation: &str) -> Result<Vec<(&'static str, BlobId)>, String> {
    let json = json!(head);
    let places = [
        ("the document", &json["draft"]["document.md"]),
        ("the committed document", &json["committed"]["document.md"]),
        ("the first document", &json["origin"]["document"]),
        ("known to a conversation", &json["conversations"][conversation]["synced"]["document"]),
        ("an answer", &json["receipts"]["refusals"]["recent"][0]["answer"]["stored"]),
        ("the journal's last entry", &json["journal"]["last"]),
    ];
    let read = |(what, id): (_, &Value)| match serde_json::from_value(id.clone()) {
        Ok(id) => Ok((what, id)),
        Err(e) => Err(format!("{what} of a full head: {e}")),
    };
    places.into_iter().map(read).collect()
}
