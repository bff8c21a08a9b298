//! What becomes of one promise.

use std::fmt;

/// How a promise was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It was tried, and the store kept it.
    Shown,
    /// Nothing was tried: the store does not claim it, or the harness has no way to try it.
    Untried(&'static str),
}

/// How a promise was broken: what the store said, and what it should have said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken(String);

impl Broken {
    pub(super) fn new(how: String) -> Self {
        Self(how)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Broken {}
