//! The outcome of one check.

use std::fmt;

/// How a check ended that found no violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The store keeps the promise.
    Passed,
    /// Nothing was tried: the store does not claim it, or the harness has no way to try it.
    Skipped(&'static str),
}

/// What the store did, and what it should have done.
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
