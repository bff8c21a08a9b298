//! What an answer is read with.

use crate::envelope::Issuer;
use crate::names::Renames;

/// Who answers, and which names the request gave to the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerContext {
    /// Who was asked; each part of the answer is kept with it.
    pub issuer: Issuer,
    /// Tools that had to take another name in the request.
    pub renames: Renames,
}

impl AnswerContext {
    /// For a request in which every tool kept its name.
    pub fn new(issuer: Issuer) -> Self {
        Self { issuer, renames: Renames::default() }
    }
}
