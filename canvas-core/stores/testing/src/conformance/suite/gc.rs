//! Collection of blobs, which deletes exactly those that are old, not kept, and not needed by the head.

use std::collections::BTreeSet;
use std::time::Duration;

use canvas_core::store::{Collected, Version};
use canvas_core::{Blob, BlobId};

use super::fixture::Fixture;
use super::{
    CanvasId, PASSED, Verdict, blob, blobs, canvas, collect, commit, commit_with, done, drop_all_but, has,
    row, same,
};
use crate::conformance::harness::Harness;
use crate::conformance::outcome::CheckOutcome;

const HOUR: Duration = Duration::from_secs(3_600);

fn ids(texts: &[&str]) -> BTreeSet<BlobId> {
    texts.iter().map(|text| BlobId::of(text.as_bytes())).collect()
}

/// Returns the expected result if exactly these texts were deleted.
fn gone(texts: &[&str]) -> Collected {
    let bytes = texts.iter().map(|text| text.len() as u64).sum();
    Collected::Done { blobs: texts.len() as u64, bytes }
}

pub(crate) async fn dropped<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    done(store, commit_with(id, None, "document\n", &["old\n", "kept\n"])).await?;
    // The keep list may contain missing blobs.
    let keep = ["kept\n", "never there\n"];
    let first = drop_all_but(store, id, &keep).await?;
    same("what a collection says", first, gone(&["old\n"]))?;
    for _ in 0..2 {
        for connection in [store, &peer] {
            same("a blob that is not kept", has(connection, id, "old\n").await?, false)?;
            same("the document's blob", has(connection, id, "document\n").await?, true)?;
            same("a blob that is kept", has(connection, id, "kept\n").await?, true)?;
        }
        same("what a second collection says", drop_all_but(store, id, &keep).await?, gone(&[]))?;
    }
    let unknown = canvas("unknown");
    let version = row(store, id).await?.version;
    let nobody = collect(store, &unknown, &BTreeSet::new(), Duration::ZERO, &version).await?;
    same("what a collection of an unknown canvas says", nobody, Collected::Conflict)?;
    same("a row of a canvas that was only collected", super::find(store, &unknown).await?.is_some(), false)?;
    PASSED
}

pub(crate) async fn many_dropped<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let texts: Vec<String> = (0..600).map(|i| format!("blob {i}\n")).collect();
    let mut first = commit(id, None, "x\n");
    first.blobs.extend(texts.iter().map(|text| Blob::text(text.clone())));
    done(store, first).await?;
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (kept, old) = texts.split_at(300);
    same("what a collection says", drop_all_but(store, id, kept).await?, gone(old))?;
    for (texts, expected) in [(kept, true), (old, false)] {
        for text in texts {
            same(&format!("whether {text:?} is there"), has(store, id, text).await?, expected)?;
        }
    }
    PASSED
}

/// Deletes a part of the remaining blobs each time: first a few, then most of them, finally all but one.
pub(crate) async fn dropped_in_part<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let peer = harness.peer(store).await;
    let texts: Vec<String> = (0..40).map(|i| format!("blob {i}\n").repeat(1 + i * 7)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (version, _) = done(store, commit_with(id, None, "x\n", &texts[..20])).await?;
    done(store, commit_with(id, Some(version), "x\n", &texts[20..])).await?;
    let mut left = texts.clone();
    for leave in [|i: usize| !i.is_multiple_of(5), |i| i % 4 == 1, |i: usize| i.is_multiple_of(2), |i| i == 2]
    {
        let kept: Vec<&str> = (0..).zip(&left).filter(|(i, _)| leave(*i)).map(|(_, text)| *text).collect();
        let old: Vec<&str> = left.iter().filter(|text| !kept.contains(text)).copied().collect();
        same("what a collection says", drop_all_but(store, id, &kept).await?, gone(&old))?;
        for connection in [store, &peer] {
            for text in &texts {
                let found = blob(connection, id, BlobId::of(text.as_bytes())).await?;
                let expected = kept.contains(text).then_some(text.len());
                same("the bytes of a blob of many", found.map(|it| it.len()), expected)?;
            }
            let asked: Vec<BlobId> = texts.iter().map(|text| BlobId::of(text.as_bytes())).collect();
            let found = blobs(connection, id, &asked).await?;
            let there: Vec<bool> = found.iter().map(Option::is_some).collect();
            let expected: Vec<bool> = texts.iter().map(|text| kept.contains(text)).collect();
            same("which blobs are there at once", there, expected)?;
        }
        left = kept;
    }
    PASSED
}

pub(crate) async fn put_by_two<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (mut version, _) = done(store, commit_with(id, None, "x\n", &["both\n", "first\n"])).await?;
    for round in ["second\n", "third\n"] {
        version = done(store, commit_with(id, Some(version), "x\n", &[round, "both\n"])).await?.0;
        // The other blobs of the earlier and the later commit are deleted.
        let old: &[&str] = if round == "second\n" { &["first\n", round] } else { &[round] };
        same("what a collection says", drop_all_but(store, id, &["both\n"]).await?, gone(old))?;
        same("a blob that two commits have put", has(store, id, "both\n").await?, true)?;
    }
    same("what a collection of it says", drop_all_but(store, id, &[]).await?, gone(&["both\n"]))?;
    same("a blob that two commits have put, dropped", has(store, id, "both\n").await?, false)?;
    done(store, commit_with(id, Some(version), "x\n", &["both\n"])).await?;
    same("a blob that a third commit has put", has(store, id, "both\n").await?, true)?;
    PASSED
}

pub(crate) async fn dropped_apart<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let (one, two) = (canvas("one"), canvas("two"));
    for id in [&one, &two] {
        done(store, commit_with(id, None, "x\n", &["in both\n"])).await?;
    }
    drop_all_but(store, &one, &[]).await?;
    same("the blob of the canvas that dropped it", has(store, &one, "in both\n").await?, false)?;
    same("the blob of the other canvas", has(store, &two, "in both\n").await?, true)?;
    PASSED
}

pub(crate) async fn dropped_again<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    let (mut version, _) = done(store, commit_with(id, None, "x\n", &["on and off\n"])).await?;
    for _ in 0..2 {
        drop_all_but(store, id, &[]).await?;
        same("a dropped blob", has(store, id, "on and off\n").await?, false)?;
        version = done(store, commit_with(id, Some(version), "x\n", &["on and off\n"])).await?.0;
        same("a dropped blob, put again", has(store, id, "on and off\n").await?, true)?;
    }
    // A deleted blob becomes the document again, as in an undo.
    drop_all_but(store, id, &[]).await?;
    done(store, commit(id, Some(version), "on and off\n")).await?;
    drop_all_but(store, id, &[]).await?;
    same("a dropped blob that is the document now", has(store, id, "on and off\n").await?, true)?;
    PASSED
}

pub(crate) async fn needed_blobs_stay<H: Harness>(_: &H, store: &H::Store, _: &CanvasId) -> Verdict {
    let Fixture { mut commit, needed } = Fixture::new().await?;
    let id = commit.head.canvas().clone();
    commit.blobs.push(Blob::text("nobody needs this\n".to_owned()));
    done(store, commit).await?;
    drop_all_but(store, &id, &[]).await?;
    for (what, needed) in needed {
        let found = blob(store, &id, needed).await?;
        same(&format!("a blob after it was not kept although it is {what}"), found.is_some(), true)?;
    }
    same("a dropped blob", has(store, &id, "nobody needs this\n").await?, false)?;
    for needed in row(store, &id).await?.head.blobs() {
        same("a blob that the head needs", blob(store, &id, needed).await?.is_some(), true)?;
    }
    PASSED
}

pub(crate) async fn young_stays<H: Harness>(_: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    done(store, commit_with(id, None, "x\n", &["young\n"])).await?;
    let version = row(store, id).await?.version;
    for older_than in [HOUR, Duration::MAX] {
        let collected = collect(store, id, &BTreeSet::new(), older_than, &version).await?;
        same("what a collection of the old says", collected, gone(&[]))?;
        same("a young blob", has(store, id, "young\n").await?, true)?;
    }
    let collected = collect(store, id, &BTreeSet::new(), Duration::ZERO, &version).await?;
    same("what a collection of any age says", collected, gone(&["young\n"]))?;
    same("a blob dropped whatever its age", has(store, id, "young\n").await?, false)?;
    PASSED
}

/// Back ends may count ages in whole seconds, and on a slow machine a young blob may grow old, so the check tries again.
pub(crate) async fn put_again_is_young<H: Harness>(harness: &H, store: &H::Store, id: &CanvasId) -> Verdict {
    const TRIES: u32 = 5;
    let mut version = None;
    for seconds in (0..TRIES).map(|n| 1_u64 << n) {
        let age = Duration::from_secs(seconds);
        let first = done(store, commit_with(id, version, "x\n", &["old\n", "again\n"])).await?.0;
        harness.advance(age + Duration::from_secs(2)).await;
        let (second, put) = done(store, commit_with(id, Some(first), "y\n", &["again\n"])).await?;
        collect(store, id, &BTreeSet::new(), age, &second).await?;
        let clock = row(store, id).await?.clock;
        same("an old blob", has(store, id, "old\n").await?, false)?;
        if has(store, id, "again\n").await? {
            return PASSED;
        }
        if clock.saturating_duration_since(put) < age {
            return Err("a blob that was put again is gone as if it were old".to_owned());
        }
        version = Some(second);
    }
    Ok(CheckOutcome::Skipped("the store is too slow for the young to stay young"))
}

pub(crate) async fn collected_at_version<H: Harness>(
    harness: &H,
    store: &H::Store,
    id: &CanvasId,
) -> Verdict {
    let peer = harness.peer(store).await;
    let (first, _) = done(store, commit_with(id, None, "x\n", &["old\n"])).await?;
    let (second, _) = done(&peer, commit(id, Some(first.clone()), "x\n")).await?;
    for wrong in [first, Version::new("no version"), Version::new("")] {
        let collected = collect(store, id, &BTreeSet::new(), Duration::ZERO, &wrong).await?;
        same("what a collection at another version says", collected, Collected::Conflict)?;
        same("a blob after it", has(store, id, "old\n").await?, true)?;
    }
    let collected = collect(store, id, &ids(&["x\n"]), Duration::ZERO, &second).await?;
    same("what a collection at the row's version says", collected, gone(&["old\n"]))?;
    same("the row's version after a collection", row(&peer, id).await?.version, second)?;
    PASSED
}
