//! Advice on a failed directive.

use serde::Serialize;

/// What a person or a model may do about a failure, for a notice beside the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Advice {
    /// The assistant sees an older document: it should take a fresh snapshot.
    Resync,
    /// The directive itself is wrong: the assistant should correct it.
    Correct,
    /// The document is locked, or the user has ended the turn: nothing is wrong with the directive.
    Wait,
}

impl Advice {
    /// Returns a sentence for the user.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Resync => "The document has moved on. Ask the assistant to re-sync.",
            Self::Correct => "The edit could not be read. Ask the assistant to try again.",
            Self::Wait => "The document is not free for edits now. Ask again in a moment.",
        }
    }
}
