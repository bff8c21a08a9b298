//! The checks, by subject. Each starts with an empty store and the id of a canvas. Its error describes the violation.

pub(super) mod blobs;
pub(super) mod contention;
mod fixture;
pub(super) mod gc;
pub(super) mod heads;
pub(super) mod ids;
pub(super) mod listing;
pub(super) mod moving;
pub(super) mod notification;
pub(super) mod races;
pub(super) mod restore;
pub(super) mod retries;
pub(super) mod rows;
pub(super) mod server;
pub(super) mod servers;
pub(super) mod tasks;
pub(super) mod threads;
pub(super) mod time;
pub(super) mod versions;
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{Collected, Commit, Committed, Head, Loaded, Store, StoreError, Version};
use canvas_core::{Blob, BlobId, CanvasId, CodedError as _};

use crate::conformance::outcome::CheckOutcome;
use crate::conformance::stored::tombstone;
use crate::head::first;
pub(super) use crate::id::canvas;

/// The result of a check. The error text describes the violation.
type Verdict = Result<CheckOutcome, String>;

const PASSED: Verdict = Ok(CheckOutcome::Passed);
const NO_NOT_AFTER: Verdict = Ok(CheckOutcome::Skipped("the store does not claim not_after"));
const NO_BACKUP: Verdict = Ok(CheckOutcome::Skipped("the harness takes no backup"));
const NO_DRIVER: Verdict = Ok(CheckOutcome::Skipped("the harness drives nothing on other threads"));
const NO_STALL: Verdict = Ok(CheckOutcome::Skipped("the harness gives no stall"));
const NO_THREADS: Verdict = Ok(CheckOutcome::Skipped("no thread can be started here"));

fn same<T: PartialEq + Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is {found:?}, expected {expected:?}")) }
}

/// Like [`same`], but without printing the heads.
fn same_head(what: &str, found: &Head, expected: &Head) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what} is not the one that was committed")) }
}

/// Checks that a clock is not earlier than it must be.
fn reached(what: &str, clock: Timestamp, least: Timestamp) -> Result<(), String> {
    if clock >= least { Ok(()) } else { Err(format!("{what} is {clock}, expected {least} or later")) }
}

/// Returns a commit of a new canvas with this document.
fn commit(id: &CanvasId, expected: Option<Version>, text: &str) -> Commit {
    let document = Blob::text(text.to_owned());
    Commit { expected, head: first(id, document.id()), blobs: vec![document], not_after: None }
}

/// Like [`commit`], with additional blobs that the head does not need.
fn commit_with(id: &CanvasId, expected: Option<Version>, text: &str, more: &[&str]) -> Commit {
    let mut commit = commit(id, expected, text);
    commit.blobs.extend(more.iter().map(|text| Blob::text((*text).to_owned())));
    commit
}

/// Returns a commit that turns a row into a tombstone.
fn deletion(row: &Loaded) -> Commit {
    let expected = Some(row.version.clone());
    Commit { expected, head: tombstone(&row.head), blobs: Vec::new(), not_after: None }
}

async fn done<S: Store>(store: &S, commit: Commit) -> Result<(Version, Timestamp), String> {
    match store.commit(commit).await {
        Ok(Committed::Done { version, clock }) => Ok((version, clock)),
        other => Err(format!("a commit gave {}, expected Done", brief(&other))),
    }
}

/// Like [`done`], but also returns the head.
async fn stored<S: Store>(store: &S, commit: Commit) -> Result<(Arc<Head>, Version), String> {
    let head = Arc::clone(&commit.head);
    Ok((head, done(store, commit).await?.0))
}

async fn conflict<S: Store>(store: &S, commit: Commit) -> Result<Option<Loaded>, String> {
    match store.commit(commit).await {
        Ok(Committed::Conflict(current)) => Ok(current),
        other => Err(format!("a commit gave {}, expected Conflict", brief(&other))),
    }
}

/// Expects a conflict that carries a row.
async fn conflict_row<S: Store>(store: &S, commit: Commit) -> Result<Loaded, String> {
    conflict(store, commit).await?.ok_or_else(|| "the conflict carries no row".to_owned())
}

async fn late<S: Store>(store: &S, commit: Commit) -> Result<Timestamp, String> {
    match store.commit(commit).await {
        Ok(Committed::Late { clock }) => Ok(clock),
        other => Err(format!("a commit gave {}, expected Late", brief(&other))),
    }
}

/// Formats a result without its head.
fn brief(answer: &Result<Committed, StoreError>) -> String {
    match answer {
        Ok(Committed::Done { version, clock }) => format!("Done ({} at {clock})", version.as_str()),
        Ok(Committed::Conflict(Some(row))) => format!("Conflict (the row has {})", row.version.as_str()),
        Ok(Committed::Conflict(None)) => "Conflict (no row)".to_owned(),
        Ok(Committed::Late { clock }) => format!("Late (at {clock})"),
        Err(fault) => format!("a fault ({fault})"),
    }
}

async fn find<S: Store>(store: &S, id: &CanvasId) -> Result<Option<Loaded>, String> {
    store.load(id).await.map_err(|e| format!("a load failed: {}", e.message()))
}

async fn row<S: Store>(store: &S, id: &CanvasId) -> Result<Loaded, String> {
    find(store, id).await?.ok_or_else(|| format!("{id:?} has no row"))
}

/// Checks that the row still has this head and version.
async fn unchanged<S: Store>(store: &S, head: &Head, version: &Version) -> Result<(), String> {
    let loaded = row(store, head.canvas()).await?;
    same_head("the row's head", &loaded.head, head)?;
    same("the row's version", &loaded.version, version)
}

/// Reads a blob and checks that its content matches its id.
async fn blob<S: Store>(store: &S, id: &CanvasId, blob: BlobId) -> Result<Option<Vec<u8>>, String> {
    let found = store.blob(id, blob).await.map_err(|e| format!("a blob failed: {}", e.message()))?;
    let Some(found) = found else { return Ok(None) };
    same("the id of a blob", found.id(), blob)?;
    Ok(Some(found.as_bytes().to_vec()))
}

/// Reads several blobs at once. Blobs are equal if their ids are, because these are hashes of the bytes.
async fn blobs<S: Store>(store: &S, id: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, String> {
    store.blobs(id, ids).await.map_err(|e| format!("blobs failed: {}", e.message()))
}

/// Whether the blob of a text exists.
async fn has<S: Store>(store: &S, id: &CanvasId, text: &str) -> Result<bool, String> {
    Ok(blob(store, id, BlobId::of(text.as_bytes())).await?.is_some())
}

async fn collect<S: Store>(
    store: &S,
    id: &CanvasId,
    keep: &BTreeSet<BlobId>,
    older_than: Duration,
    at: &Version,
) -> Result<Collected, String> {
    store.collect(id, keep, older_than, at).await.map_err(|e| format!("a collection failed: {}", e.message()))
}

/// Deletes all blobs regardless of age, except for these texts and the blobs of the head.
async fn drop_all_but<S: Store>(store: &S, id: &CanvasId, keep: &[&str]) -> Result<Collected, String> {
    let keep = keep.iter().map(|text| BlobId::of(text.as_bytes())).collect();
    let version = row(store, id).await?.version;
    collect(store, id, &keep, Duration::ZERO, &version).await
}
