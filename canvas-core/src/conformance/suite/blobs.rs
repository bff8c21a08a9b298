//! Blobs: there with their commit, whole, and only for their canvas.

use super::{CanvasId, PASSED, Verdict, blob, canvas, commit, commit_with, done, has, same};
use crate::conformance::harness::Harness;
use crate::model::blob::{Blob, BlobId};

pub(crate) async fn blobs_are_there<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let mut first = commit(id, None, "one\n");
    let raw = Blob::bytes(vec![0, 159, 146, 150]);
    first.blobs.push(raw.clone());
    let (version, _) = done(store, first).await?;
    same("the text", blob(store, id, BlobId::of(b"one\n")).await?, Some(b"one\n".to_vec()))?;
    same("the bytes", blob(store, id, raw.id()).await?, Some(raw.as_bytes().to_vec()))?;
    // Writers put their blobs again rather than trust that an old one was kept.
    done(store, commit(id, Some(version), "one\n")).await?;
    same("the text, put again", blob(store, id, BlobId::of(b"one\n")).await?, Some(b"one\n".to_vec()))?;
    same("a blob that nobody put", blob(store, id, BlobId::of(b"two\n")).await?, None)?;
    PASSED
}

pub(crate) async fn blobs_are_apart<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (mine, other) = (canvas("mine"), canvas("other"));
    done(store, commit(&mine, None, "secret\n")).await?;
    done(store, commit(&other, None, "open\n")).await?;
    same("a blob of another canvas", blob(store, &other, BlobId::of(b"secret\n")).await?, None)?;
    PASSED
}

pub(crate) async fn blob_sizes<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    // Every byte, in an order that no page size divides.
    let noise = |bytes: usize| Blob::bytes((0..bytes).map(|i| (i % 251 + i / 251 % 5) as u8).collect());
    let blobs: Vec<_> = [0, 1, 255, 65_536, 2_000_003].map(noise).into();
    let mut first = commit(id, None, "x\n");
    first.blobs.extend(blobs.iter().cloned());
    done(store, first).await?;
    for put in blobs {
        let bytes = put.as_bytes().len();
        match blob(store, id, put.id()).await? {
            Some(found) if found == put.as_bytes() => {}
            Some(found) => {
                return Err(format!("of a blob of {bytes} bytes come back {} others", found.len()));
            }
            None => return Err(format!("a blob of {bytes} bytes is not there")),
        }
    }
    PASSED
}

pub(crate) async fn repeated_blob<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let twice = ["two\n", "one\n", "two\n"];
    let (version, _) = done(store, commit_with(id, None, "one\n", &twice)).await?;
    done(store, commit_with(id, Some(version), "one\n", &twice)).await?;
    for text in ["one\n", "two\n"] {
        same("a blob that came twice", has(store, id, text).await?, true)?;
    }
    PASSED
}

pub(crate) async fn many_blobs<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let blobs: Vec<_> = (0..300).map(|i| Blob::text(format!("blob {i}\n"))).collect();
    let mut first = commit(id, None, "x\n");
    first.blobs.extend(blobs.iter().cloned());
    done(store, first).await?;
    for put in &blobs {
        let found = blob(store, id, put.id()).await?;
        same("a blob of many", found.as_deref(), Some(put.as_bytes()))?;
    }
    PASSED
}

pub(crate) async fn old_blobs_stay<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let texts = ["one\n", "two\n", "three\n", "four\n"];
    let mut expected = None;
    for text in texts {
        expected = Some(done(store, commit(id, expected, text)).await?.0);
    }
    for text in texts {
        same("the blob of an earlier commit", has(store, id, text).await?, true)?;
    }
    PASSED
}
