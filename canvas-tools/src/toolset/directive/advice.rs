//! Advice on a failed directive.

use serde::Serialize;

/// Advice on a failure for a person or a model, shown in a notice next to the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Advice {
    /// The assistant sees an older document and should take a fresh snapshot.
    Resync,
    /// The directive itself is wrong, and the assistant should correct it.
    Correct,
    /// The directive is valid, but the document is locked, or the user ended the turn.
    Wait,
}

impl Advice {
    /// Returns a sentence for the user.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Resync => "The document has moved on. Ask the assistant to re-sync.",
            Self::Correct => "The edit cannot be made like this. Ask the assistant to try again.",
            Self::Wait => "The document is not free for edits now. Ask again in a moment.",
        }
    }
}
