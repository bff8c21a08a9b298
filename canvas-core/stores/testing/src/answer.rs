//! What stores answer, for tests that expect one kind of answer.

use std::error::Error;
use std::fmt::Debug;
use std::sync::Arc;

use canvas_core::conformance::{Check, Report};
use canvas_core::lease::Timestamp;
use canvas_core::{Committed, Fault, Head, HeadError, Loaded, Version};

/// The version of a commit that was done.
#[track_caller]
pub fn done(committed: Result<Committed, Fault>) -> Version {
    done_at(committed).0
}

/// The version and the clock of a commit that was done.
#[track_caller]
pub fn done_at(committed: Result<Committed, Fault>) -> (Version, Timestamp) {
    match committed {
        Ok(Committed::Done { version, clock }) => (version, clock),
        other => panic!("the commit gave {other:?}"),
    }
}

/// The row that a conflict carries.
#[track_caller]
pub fn conflict(committed: Result<Committed, Fault>) -> Loaded {
    match committed {
        Ok(Committed::Conflict(Some(current))) => current,
        other => panic!("the commit gave {other:?}"),
    }
}

/// The version and the head of a row.
#[track_caller]
pub fn current(loaded: Result<Option<Loaded>, Fault>) -> Option<(Version, Arc<Head>)> {
    loaded.expect("the store answers").map(|row| (row.version, row.head))
}

/// The store's own error of a call that has written nothing.
#[track_caller]
pub fn definite<E: Error + 'static>(answer: Result<impl Debug, Fault>) -> E {
    match answer {
        Err(Fault::Definite(e)) => *e.downcast().expect("the error is the store's own"),
        other => panic!("{other:?} is no definite fault"),
    }
}

/// The store's own error of a call that may have written.
#[track_caller]
pub fn indeterminate<E: Error + 'static>(answer: Result<impl Debug, Fault>) -> E {
    match answer {
        Err(Fault::Indeterminate(e)) => *e.downcast().expect("the error is the store's own"),
        other => panic!("{other:?} is no indeterminate fault"),
    }
}

/// `"definite"` or `"in doubt"`, the code and the text of a fault. `code` gives the code of the store's own error; that
/// of a head is known.
#[track_caller]
pub fn fault<E: Error + 'static>(
    answer: Result<impl Debug, Fault>,
    code: fn(&E) -> &'static str,
) -> (&'static str, &'static str, String) {
    let (kind, error) = match answer {
        Ok(other) => panic!("{other:?} is no fault"),
        Err(Fault::Definite(error)) => ("definite", error),
        Err(Fault::Indeterminate(error)) => ("in doubt", error),
    };
    let code = match error.downcast_ref::<HeadError>() {
        Some(head) => head.code(),
        None => code(error.downcast_ref().expect("the error is the store's own")),
    };
    (kind, code, error.to_string())
}

/// Prints a line for the table of stores and gives the checks that were skipped. None may fail.
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
