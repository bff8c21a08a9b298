//! After a commit its blobs exist, complete, and only for their own canvas.

use canvas_core::{Blob, BlobId};

use super::{CanvasId, PASSED, Verdict, blob, blobs, canvas, commit, commit_with, done, has, same};
use crate::conformance::harness::Harness;

pub(crate) async fn blobs_are_there<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let mut first = commit(id, None, "one\n");
    let raw = Blob::bytes(vec![0, 159, 146, 150]);
    first.blobs.push(raw.clone());
    let (version, _) = done(store, first).await?;
    same("the text", blob(store, id, BlobId::of(b"one\n")).await?, Some(b"one\n".to_vec()))?;
    same("the bytes", blob(store, id, raw.id()).await?, Some(raw.as_bytes().to_vec()))?;
    // Writers put their blobs again and do not rely on an old one.
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
    // All byte values, with a period that no page size divides.
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

pub(crate) async fn blobs_at_once<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let put: Vec<_> = (0..300).map(|i| Blob::text(format!("blob {i}\n"))).collect();
    let mut first = commit(id, None, "x\n");
    first.blobs.extend(put.iter().cloned());
    done(store, first).await?;
    same("no blobs", blobs(store, id, &[]).await?, vec![])?;
    let absent = |i: usize| Blob::text(format!("absent {i}\n")).id();
    let few = [put[2].id(), absent(0), put[1].id(), put[2].id()];
    let expected = [Some(&put[2]), None, Some(&put[1]), Some(&put[2])].map(Option::<&Blob>::cloned);
    same("a few blobs", blobs(store, id, &few).await?, expected.to_vec())?;
    // Request each of the 300 several times, mixed with missing ones.
    let asked = |i: usize| if i % 3 == 1 { Err(absent(i)) } else { Ok(&put[i * 7 % put.len()]) };
    let many: Vec<BlobId> = (0..4_000).map(|i| asked(i).map_or_else(|id| id, Blob::id)).collect();
    let found = blobs(store, id, &many).await?;
    same("the number of answers to 4000 ids", found.len(), many.len())?;
    for (i, found) in found.into_iter().enumerate() {
        same(&format!("answer {i} of 4000"), found.as_ref(), asked(i).ok())?;
    }
    PASSED
}

pub(crate) async fn blobs_at_once_apart<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (mine, other, nobody) = (canvas("mine"), canvas("other"), canvas("nobody"));
    done(store, commit(&mine, None, "secret\n")).await?;
    done(store, commit(&other, None, "open\n")).await?;
    let ids = ["secret\n", "open\n"].map(|text| BlobId::of(text.as_bytes()));
    let open = Blob::text("open\n".to_owned());
    same("blobs of two canvases", blobs(store, &other, &ids).await?, vec![None, Some(open)])?;
    same("blobs of a canvas without a row", blobs(store, &nobody, &ids).await?, vec![None, None])?;
    PASSED
}

pub(crate) async fn mixed_blobs<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    // About 2 MB, with empty blobs, some of a few bytes, some of a few KiB, and large ones.
    let size = |i: usize| [0, 13, 700, 9_001, 30_011, 70_003][i % 6] + i;
    let put: Vec<_> = (0..110).map(|i| Blob::bytes(vec![i as u8 | 0x80; size(i)])).collect();
    let mut first = commit(id, None, "x\n");
    first.blobs.extend(put.iter().cloned());
    done(store, first).await?;
    for connection in [store, &harness.peer(store).await] {
        for put in &put {
            let found = blob(connection, id, put.id()).await?;
            same("the bytes of a blob of many", found.map(|it| it.len()), Some(put.as_bytes().len()))?;
        }
        for step in [1, 7] {
            let asked: Vec<&Blob> = put.iter().rev().step_by(step).collect();
            let ids: Vec<BlobId> = asked.iter().map(|blob| blob.id()).collect();
            let found = blobs(connection, id, &ids).await?;
            same("the number of answers", found.len(), asked.len())?;
            for (found, asked) in found.iter().zip(asked) {
                same("a blob that is read with others", found.as_ref(), Some(asked))?;
            }
        }
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
