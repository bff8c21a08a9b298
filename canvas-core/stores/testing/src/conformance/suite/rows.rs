//! Compare and swap on single rows.

use std::sync::Arc;

use canvas_core::store::{Committed, Store as _};
use canvas_core::{BlobId, CodedError as _};

use super::{
    CanvasId, PASSED, Verdict, blob, canvas, commit, commit_with, conflict, conflict_row, done, find, has,
    row, same, same_head, stored, unchanged,
};
use crate::conformance::harness::Harness;

pub(crate) async fn unknown_canvas<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let id = canvas("nobody");
    same("a row of an unknown canvas", find(store, &id).await?.is_some(), false)?;
    same("a blob of an unknown canvas", blob(store, &id, BlobId::of(b"x")).await?, None)?;
    let list = store.list(None, 10).await.map_err(|e| e.message())?;
    same("the list of an empty store", list, Vec::new())?;
    // Reading must not create a row.
    done(store, commit(&id, None, "one\n")).await?;
    PASSED
}

pub(crate) async fn round_trip<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let mut expected = None;
    for text in ["one\n", "two\n"] {
        let (head, version) = stored(store, commit(id, expected, text)).await?;
        unchanged(store, &head, &version).await?;
        expected = Some(version);
    }
    PASSED
}

pub(crate) async fn made_once<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (head, version) = stored(store, commit(id, None, "one\n")).await?;
    let current = conflict_row(store, commit(id, None, "two\n")).await?;
    same("the version in the conflict", &current.version, &version)?;
    unchanged(store, &head, &version).await?;
    PASSED
}

pub(crate) async fn no_row_no_match<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (version, _) = done(store, commit(&canvas("other"), None, "one\n")).await?;
    let current = conflict(store, commit(id, Some(version), "two\n")).await?;
    same("a row in the conflict", current.is_some(), false)?;
    same("a row afterwards", find(store, id).await?.is_some(), false)?;
    PASSED
}

pub(crate) async fn old_version<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (first, _) = done(store, commit(id, None, "one\n")).await?;
    let (head, version) = stored(store, commit(id, Some(first.clone()), "two\n")).await?;
    conflict(store, commit(id, Some(first), "three\n")).await?;
    unchanged(store, &head, &version).await?;
    PASSED
}

pub(crate) async fn lost_commit<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (first, _) = done(store, commit(id, None, "one\n")).await?;
    let (head, version) = stored(store, commit(id, Some(first.clone()), "two\n")).await?;
    conflict(store, commit_with(id, Some(first), "lost\n", &["lost too\n"])).await?;
    conflict(store, commit_with(id, None, "lost\n", &["lost too\n"])).await?;
    unchanged(store, &head, &version).await?;
    same("the winner's blob", has(store, id, "two\n").await?, true)?;
    // The loser's blobs may exist or not. If they exist, they must be complete, and in both cases they can be put again.
    has(store, id, "lost\n").await?;
    has(store, id, "lost too\n").await?;
    let (head, version) = stored(store, commit_with(id, Some(version), "lost\n", &["lost too\n"])).await?;
    unchanged(store, &head, &version).await?;
    for text in ["two\n", "lost\n", "lost too\n"] {
        same("a blob after the loser came again", has(store, id, text).await?, true)?;
    }
    PASSED
}

pub(crate) async fn conflict_carries_row<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    let peer = harness.peer(store).await;
    let (first, _) = done(store, commit(id, None, "one\n")).await?;
    row(store, id).await?;
    let (head, version) = stored(&peer, commit(id, Some(first.clone()), "two\n")).await?;
    let current = conflict_row(store, commit(id, Some(first), "three\n")).await?;
    same_head("the head in the conflict", &current.head, &head)?;
    same("the version in the conflict", &current.version, &version)?;
    done(store, commit(id, Some(current.version), "four\n")).await?;
    PASSED
}

pub(crate) async fn peer_sees<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    let mut expected = None;
    for text in ["one\n", "two\n", "three\n"] {
        let (head, version) = stored(store, commit(id, expected, text)).await?;
        unchanged(&peer, &head, &version).await?;
        same("the peer's blob", has(&peer, id, text).await?, true)?;
        let list = peer.list(None, 10).await.map_err(|e| e.message())?;
        same("the peer's list", list, vec![id.clone()])?;
        expected = Some(version);
    }
    PASSED
}

pub(crate) async fn canvases_apart<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let ids = [canvas("one"), canvas("two")];
    let mut latest = Vec::new();
    for id in &ids {
        let first = commit(id, None, "start\n");
        latest.push((Arc::clone(&first.head), done(store, first).await?.0));
    }
    for round in 0..3 {
        for (id, latest) in ids.iter().zip(&mut latest) {
            let next = commit(id, Some(latest.1.clone()), &format!("{round} of {id}\n"));
            let head = Arc::clone(&next.head);
            match store.commit(next).await {
                Ok(Committed::Done { version, .. }) => *latest = (head, version),
                other => {
                    let other = super::brief(&other);
                    return Err(format!("a commit between those of another canvas gave {other}"));
                }
            }
        }
        for (head, version) in &latest {
            unchanged(store, head, version).await?;
        }
    }
    PASSED
}
