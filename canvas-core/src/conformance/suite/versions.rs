//! Versions: new each time, good everywhere, and only for their own canvas.

use std::sync::Arc;

use super::{
    CanvasId, PASSED, Verdict, blob, canvas, commit, conflict, conflict_row, done, row, same, same_head,
    stored, unchanged,
};
use crate::conformance::harness::Harness;
use crate::model::blob::BlobId;
use crate::store::contract::{Commit, Version};

pub(crate) async fn versions_are_new<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let mut seen: Vec<Version> = Vec::new();
    for text in ["a\n", "b\n", "a\n", "a\n"] {
        let (version, _) = done(store, commit(id, seen.last().cloned(), text)).await?;
        same("use of an old version", seen.contains(&version), false)?;
        seen.push(version);
    }
    conflict(store, commit(id, seen.first().cloned(), "late\n")).await?;
    PASSED
}

pub(crate) async fn versions_travel<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peers = [harness.peer(store).await, harness.peer(store).await];
    let (mut version, _) = done(store, commit(id, None, "start\n")).await?;
    for (round, peer) in (0..4).zip(peers.iter().cycle()) {
        // Nobody loads in between: the version of one is all that the other has.
        let next = commit(id, Some(version), &format!("{round}\n"));
        version = done(peer, next).await.map_err(|e| format!("with the version of a peer, {e}"))?.0;
    }
    same("the row's version", row(store, id).await?.version, version)?;
    PASSED
}

pub(crate) async fn versions_of_others<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (other, id) = (canvas("other"), canvas("c"));
    let mut others: Vec<Version> = Vec::new();
    for text in ["a\n", "b\n", "c\n"] {
        others.push(done(store, commit(&other, others.last().cloned(), text)).await?.0);
    }
    let (head, version) = stored(store, commit(&id, None, "mine\n")).await?;
    // Versions need only differ within a canvas, so one of them may happen to be this row's.
    let foreign: Vec<_> = others.into_iter().filter(|other| *other != version).collect();
    same("use of one version for two states", foreign.len() >= 2, true)?;
    for foreign in foreign {
        let current = conflict_row(store, commit(&id, Some(foreign), "theirs\n")).await?;
        same("the version in the conflict", &current.version, &version)?;
        unchanged(store, &head, &version).await?;
    }
    PASSED
}

/// This is how a commit of unknown fate is settled: once the bump has won, a late duplicate of the other fails in
/// any store.
pub(crate) async fn empty_bump<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    let (first, _) = done(store, commit(id, None, "one\n")).await?;
    let head = row(store, id).await?.head;
    let expected = Some(first.clone());
    let bump = Commit { expected, head: Arc::clone(&head), blobs: Vec::new(), not_after: None };
    let (version, _) = done(store, bump).await?;
    same("a bump that moves no version", version == first, false)?;
    unchanged(store, &head, &version).await?;
    let document = blob(store, id, BlobId::of(b"one\n")).await?;
    same("the document after a bump", document, Some(b"one\n".to_vec()))?;
    for connection in [&peer, store] {
        let duplicate = commit(id, Some(first.clone()), "late duplicate\n");
        let current = conflict_row(connection, duplicate).await?;
        same_head("the head in the conflict", &current.head, &head)?;
    }
    unchanged(store, &head, &version).await?;
    PASSED
}
