//! Heads and documents that are full, large, or from a deleted canvas.

use std::sync::Arc;

use canvas_core::BlobId;
use canvas_core::document::Edit;
use canvas_core::store::{Commit, Head};
use canvas_core::turn::SendMessage;

use super::fixture::Fixture;
use super::server::{apply, code, pair};
use super::{CanvasId, PASSED, Verdict, blob, commit, done, row, same, unchanged};
use crate::conformance::harness::Harness;
use crate::conformance::stored::with_conversations;

pub(crate) async fn full_head<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    let Fixture { commit, .. } = Fixture::new().await?;
    let (head, blobs) = (Arc::clone(&commit.head), commit.blobs.clone());
    let (version, _) = done(store, commit).await?;
    for connection in [store, &peer] {
        unchanged(connection, &head, &version).await?;
        for put in &blobs {
            let found = blob(connection, head.canvas(), put.id()).await?;
            same("a blob of a full head", found.as_deref(), Some(put.as_bytes()))?;
        }
    }
    // The same again, over an existing row.
    let again = Commit { expected: Some(version), head: Arc::clone(&head), blobs, not_after: None };
    let (version, _) = done(store, again).await?;
    unchanged(&peer, &head, &version).await?;
    PASSED
}

pub(crate) async fn large_head<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (version, _) = done(store, commit(id, None, "one\n")).await?;
    let mut next = commit(id, Some(version), "two\n");
    next.head = large(&next.head);
    let head = Arc::clone(&next.head);
    let (version, _) = done(store, next).await?;
    unchanged(store, &head, &version).await?;
    PASSED
}

/// Returns a copy of a head with many conversations, each of which takes nearly a kilobyte.
fn large(head: &Head) -> Arc<Head> {
    with_conversations(head, (0..1_500).map(|i| format!("conversation {i} {}", "é🦀".repeat(80))))
}

pub(crate) async fn large_canvas<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let text = "a line of a large document\n".repeat(80_000);
    done(store, commit(id, None, &text)).await?;
    let found = blob(store, id, BlobId::of(text.as_bytes())).await?;
    same("the document's size", found.map(|bytes| bytes.len()), Some(text.len()))?;
    PASSED
}

pub(crate) async fn tombstone<H: Harness>(harness: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (mut one, mut two) = pair(harness, store).await?;
    one.create("first life\n").await?;
    let old = one.check_out("model").await?;
    same("the user's edit", code(&one.ask("user", Edit::overwrite("edited\n")).await?), "OK")?;
    let before = row(store, one.canvas()).await?.head;
    two.delete().await?;
    let grave = row(store, one.canvas()).await?.head;
    same("the tombstone's mark", grave.is_deleted(), true)?;
    same("the tombstone's revision", grave.revision(), before.revision())?;
    same("the tombstone's fence", grave.lock().fence(), before.lock().fence())?;
    same("a deleted canvas", two.text().await.is_err(), true)?;
    one.create("second life\n").await?;
    let again = row(store, one.canvas()).await?.head;
    same("the revision of the second life", Some(again.revision()), before.revision().next())?;
    same("the epoch goes on", again.lock().epoch() >= before.lock().epoch(), true)?;
    same("the text of the second life", two.text().await?, "second life\n".to_owned())?;
    let write = apply(old, "@@\n-second life\n+first life\n");
    same("a write with a lease of the first life", code(&two.ask("model", write).await?), "STALE_EPOCH")?;
    same("the message of the second life", code(&one.ask("model", SendMessage).await?), "OK")?;
    PASSED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::canvas;

    #[test]
    fn a_large_head_has_a_megabyte() {
        let head = large(&commit(&canvas("c"), None, "x\n").head);
        assert!(head.to_json().len() > 1 << 20);
        assert_eq!(Head::from_json(head.canvas(), &head.to_json()).as_ref(), Ok(&*head));
    }
}
