//! Assertions that a store returned a certain kind of result.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use crate::conformance::{Check, Report};
use canvas_core::lease::Timestamp;
use canvas_core::store::{Collected, Committed, Head, Loaded, Store, StoreError, Version};
use canvas_core::{BlobId, CanvasId, CodedError as _};

/// Returns the version of a successful commit.
#[track_caller]
pub fn done(committed: Result<Committed, StoreError>) -> Version {
    done_at(committed).0
}

/// Returns the version and the clock of a successful commit.
#[track_caller]
pub fn done_at(committed: Result<Committed, StoreError>) -> (Version, Timestamp) {
    match committed {
        Ok(Committed::Done { version, clock }) => (version, clock),
        other => panic!("the commit gave {other:?}"),
    }
}

/// Collects at the current version of the row, without a minimum age. If the row does not exist, it uses a version that
/// no row has.
///
/// # Errors
///
/// The errors of the store's `collect`.
pub async fn collect(
    store: &impl Store,
    canvas: &CanvasId,
    keep: &[BlobId],
) -> Result<Collected, StoreError> {
    let row = store.load(canvas).await.ok().flatten();
    let at = row.map_or_else(|| Version::new("1-1"), |row| row.version);
    store.collect(canvas, &keep.iter().copied().collect(), Duration::ZERO, &at).await
}

/// Returns the number of blobs that a collection deleted.
#[track_caller]
pub fn dropped(collected: Result<Collected, StoreError>) -> u64 {
    match collected {
        Ok(Collected::Done { blobs, .. }) => blobs,
        other => panic!("the collection gave {other:?}"),
    }
}

/// Returns the row of a conflict.
#[track_caller]
pub fn conflict(committed: Result<Committed, StoreError>) -> Loaded {
    match committed {
        Ok(Committed::Conflict(Some(current))) => current,
        other => panic!("the commit gave {other:?}"),
    }
}

/// Returns the version and the head of a loaded row.
#[track_caller]
pub fn current(loaded: Result<Option<Loaded>, StoreError>) -> Option<(Version, Arc<Head>)> {
    loaded.expect("the store answers").map(|row| (row.version, row.head))
}

/// Returns the error of a call that certainly did not write.
#[track_caller]
pub fn definite(answer: Result<impl Debug, StoreError>) -> StoreError {
    let error = answer.expect_err("the store has failed");
    assert!(error.is_definite(), "{error}");
    error
}

/// Returns the error of a call that may have written.
#[track_caller]
pub fn indeterminate(answer: Result<impl Debug, StoreError>) -> StoreError {
    let error = answer.expect_err("the store has failed");
    assert!(!error.is_definite(), "{error}");
    error
}

/// Returns the code and the message of an error.
#[track_caller]
pub fn fault(answer: Result<impl Debug, StoreError>) -> (&'static str, String) {
    let error = answer.expect_err("the store has failed");
    (error.code(), error.message())
}

/// Prints one line of statistics, and returns the skipped checks. Panics if a check failed.
#[expect(clippy::print_stdout, reason = "the line is for those who run the tests with --nocapture")]
pub fn skipped(store: &str, report: &Report) -> Vec<Check> {
    let (checks, mut reasons): (Vec<_>, Vec<_>) = report.skipped().unzip();
    let total = report.results.len();
    let passed = total - checks.len() - report.failed().count();
    reasons.dedup();
    println!("{store}: {total} checks, {passed} passed, {} skipped ({})", checks.len(), reasons.join("; "));
    assert!(report.is_passed(), "{store}:\n{report}");
    checks
}
