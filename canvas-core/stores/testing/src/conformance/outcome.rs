//! Results of the suite's checks.

use std::fmt;

/// The outcome of a check that found no violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The store keeps the checked promise.
    Passed,
    /// The check did not run, because the store does not claim the capability or the harness has no way to test it.
    /// Contains the reason.
    Skipped(&'static str),
}

/// A violation of the contract. Its text describes the behaviour of the store and the expected one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(String);

impl Violation {
    pub(super) fn new(how: String) -> Self {
        Self(how)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Violation {}
