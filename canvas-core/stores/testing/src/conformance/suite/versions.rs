//! Versions are never reused. They are valid on every connection, but only for their own canvas.

use std::sync::Arc;

use canvas_core::BlobId;
use canvas_core::store::{Commit, Loaded, Store, Version};

use super::{
    CanvasId, PASSED, Verdict, blob, canvas, commit, conflict, conflict_row, deletion, done, row, same,
    same_head, stored, unchanged,
};
use crate::conformance::harness::Harness;

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

/// The two lives of the canvas are identical in everything that a store sees.
pub(crate) async fn versions_of_each_life<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let mut seen: Vec<Version> = Vec::new();
    for _ in 0..2 {
        for text in ["a\n", "b\n"] {
            seen.push(done(store, commit(id, seen.last().cloned(), text)).await?.0);
        }
        seen.push(done(store, deletion(&row(store, id).await?)).await?.0);
    }
    let (first, second) = seen.split_at(seen.len() / 2);
    for (old, version) in first.iter().zip(second) {
        same("use of a version of the first life in the second", first.contains(version), false)?;
        conflict(store, commit(id, Some(old.clone()), "late\n")).await?;
    }
    PASSED
}

/// The other store is like this one after a restore, with equally many but different commits.
pub(crate) async fn versions_of_another_history<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    let (one, other) = (history(store, id, "one").await?, harness.fresh().await);
    for version in history(&other, id, "other").await? {
        if one.contains(&version) {
            return Err(format!(
                "two stores with as many commits both have the version {}: without a random part it matches a row \
                 that was made after a restore",
                version.as_str()
            ));
        }
    }
    PASSED
}

/// Returns the versions of a canvas that is edited, deleted and created again, next to another canvas.
async fn history<S: Store>(store: &S, id: &CanvasId, name: &str) -> Result<Vec<Version>, String> {
    let mut versions: Vec<Version> = Vec::new();
    for step in 0..3 {
        let next = commit(id, versions.last().cloned(), &format!("{step} of {name}\n"));
        versions.push(done(store, next).await?.0);
    }
    let row = row(store, id).await?;
    let bump = Commit { head: Arc::clone(&row.head), blobs: Vec::new(), ..deletion(&row) };
    let (version, clock) = done(store, bump).await?;
    let row = Loaded { version: version.clone(), clock, ..row };
    versions.extend([version, done(store, deletion(&row)).await?.0]);
    let next = commit(id, versions.last().cloned(), &format!("{name}, again\n"));
    versions.push(done(store, next).await?.0);
    versions.push(done(store, commit(&canvas("other"), None, &format!("beside {name}\n"))).await?.0);
    Ok(versions)
}

pub(crate) async fn versions_travel<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peers = [harness.peer(store).await, harness.peer(store).await];
    let (mut version, _) = done(store, commit(id, None, "start\n")).await?;
    for (round, peer) in (0..4).zip(peers.iter().cycle()) {
        // Use the returned version without loading in between, because another connection has nothing else.
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
    // Versions must differ only within a canvas, so one of these may by chance equal this row's.
    let foreign: Vec<_> = others.into_iter().filter(|other| *other != version).collect();
    same("use of one version for two states", foreign.len() >= 2, true)?;
    for foreign in foreign {
        let current = conflict_row(store, commit(&id, Some(foreign), "theirs\n")).await?;
        same("the version in the conflict", &current.version, &version)?;
        unchanged(store, &head, &version).await?;
    }
    PASSED
}

/// An engine settles a commit of unknown fate by an empty bump. Once the bump has won, a late duplicate of the other
/// commit fails in any store.
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
