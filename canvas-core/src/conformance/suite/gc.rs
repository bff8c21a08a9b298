//! Collection of blobs: what is named goes, unless the head needs it, and nothing else does.

use super::fixture::Fixture;
use super::{CanvasId, PASSED, Verdict, blob, canvas, commit, commit_with, done, drop_blobs, has, row, same};
use crate::conformance::harness::Harness;
use crate::model::blob::{Blob, BlobId};

pub(crate) async fn dropped<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    done(store, commit_with(id, None, "kept\n", &["old\n", "not named\n"])).await?;
    let old = BlobId::of(b"old\n");
    // Twice, and with one that was never there: both are fine.
    for blobs in [&[old, BlobId::of(b"never there"), old][..], &[old], &[]] {
        drop_blobs(store, id, blobs).await?;
        for connection in [store, &peer] {
            same("a dropped blob", has(connection, id, "old\n").await?, false)?;
            same("the document's blob", has(connection, id, "kept\n").await?, true)?;
            same("a blob that was not named", has(connection, id, "not named\n").await?, true)?;
        }
    }
    let unknown = canvas("unknown");
    drop_blobs(store, &unknown, &[old]).await?;
    same("a row of a canvas that only dropped", super::find(store, &unknown).await?.is_some(), false)?;
    PASSED
}

pub(crate) async fn dropped_apart<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (one, two) = (canvas("one"), canvas("two"));
    for id in [&one, &two] {
        done(store, commit_with(id, None, "x\n", &["in both\n"])).await?;
    }
    drop_blobs(store, &one, &[BlobId::of(b"in both\n")]).await?;
    same("the blob of the canvas that dropped it", has(store, &one, "in both\n").await?, false)?;
    same("the blob of the other canvas", has(store, &two, "in both\n").await?, true)?;
    PASSED
}

pub(crate) async fn dropped_again<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (mut version, _) = done(store, commit_with(id, None, "x\n", &["on and off\n"])).await?;
    for _ in 0..2 {
        drop_blobs(store, id, &[BlobId::of(b"on and off\n")]).await?;
        same("a dropped blob", has(store, id, "on and off\n").await?, false)?;
        version = done(store, commit_with(id, Some(version), "x\n", &["on and off\n"])).await?.0;
        same("a dropped blob, put again", has(store, id, "on and off\n").await?, true)?;
    }
    // What was dropped becomes the document again, as an undo does.
    drop_blobs(store, id, &[BlobId::of(b"on and off\n")]).await?;
    done(store, commit(id, Some(version), "on and off\n")).await?;
    drop_blobs(store, id, &[BlobId::of(b"on and off\n")]).await?;
    same("a dropped blob that is the document now", has(store, id, "on and off\n").await?, true)?;
    PASSED
}

pub(crate) async fn needed_blobs_stay<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let Fixture { mut commit, needed } = Fixture::new().await?;
    let id = commit.head.canvas().clone();
    commit.blobs.push(Blob::text("nobody needs this\n".to_owned()));
    let blobs: Vec<_> = commit.blobs.iter().map(Blob::id).collect();
    done(store, commit).await?;
    drop_blobs(store, &id, &blobs).await?;
    for (what, needed) in needed {
        let found = blob(store, &id, needed).await?;
        same(&format!("a blob after it was dropped although it is {what}"), found.is_some(), true)?;
    }
    same("a dropped blob", has(store, &id, "nobody needs this\n").await?, false)?;
    for needed in row(store, &id).await?.head.blobs() {
        same("a blob that the head needs", blob(store, &id, needed).await?.is_some(), true)?;
    }
    PASSED
}
