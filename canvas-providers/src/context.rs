//! The context that an answer is decoded with.

use crate::envelope::Issuer;
use crate::names::Renames;
use crate::native::NativeTool;

/// The issuer of an answer, and the way in which the request declared the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerContext {
    /// The issuer that the request was sent to. Each part of the answer is kept with it.
    pub issuer: Issuer,
    /// The tools whose names differ in the request.
    pub renames: Renames,
    /// The tool that the request declared as built in. Free text in an answer becomes a call's argument only if it is
    /// known to be for this tool.
    pub native: Option<NativeTool>,
}

impl AnswerContext {
    /// Creates the context of a request in which every tool kept its name.
    pub fn new(issuer: Issuer) -> Self {
        Self { issuer, renames: Renames::default(), native: None }
    }
}
