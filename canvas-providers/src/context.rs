//! What an answer is read with.

use crate::envelope::Issuer;
use crate::names::Renames;
use crate::native::NativeTool;

/// Who answers, and what the request made of the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerContext {
    /// Who was asked; each part of the answer is kept with it.
    pub issuer: Issuer,
    /// Tools that had to take another name in the request.
    pub renames: Renames,
    /// The tool that the request declared as the provider has it built in. Its free text is a call's argument only where
    /// it is known to be that tool's.
    pub native: Option<NativeTool>,
}

impl AnswerContext {
    /// For a request in which every tool kept its name.
    pub fn new(issuer: Issuer) -> Self {
        Self { issuer, renames: Renames::default(), native: None }
    }
}
