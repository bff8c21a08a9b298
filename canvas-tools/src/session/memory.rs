//! State that a session keeps for its toolsets from one call to the next.

#[cfg(feature = "board")]
use canvas_core::board::Aliases;
use canvas_core::document::ShownLines;
use serde::{Deserialize, Serialize};

#[cfg(feature = "board")]
use super::plan::Plans;
use super::refused::RefusedPatch;
use super::searched::Searched;

/// State that the document tools and the native dialects keep between calls.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DocumentMemory {
    /// The lines that the model was shown. If text occurs at several places, a line number decides between them only if
    /// the model was shown that line. If this state is lost, such a patch fails as `AMBIGUOUS`. Under
    /// [`WriteRules::require_located`](canvas_core::policy::WriteRules::require_located) a patch may change only lines
    /// located in this turn.
    pub shown: ShownLines,
    /// The last refused patch, whose faulty hunks the model may resend on their own.
    pub refused: RefusedPatch,
    /// The last searches, whose matches `canvas_replace_all` may replace.
    #[serde(default)]
    pub searched: Searched,
    /// Number of consecutive native-dialect calls whose old text was not found or was ambiguous. From the second one
    /// on, the reply contains the surrounding lines.
    pub misses: u32,
}

/// State that the board tools keep between calls.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct BoardMemory {
    /// Short names of components, such as `c1`, for models whose context uses them. An alias takes precedence over an
    /// id, and replies use aliases instead of ids. Empty until the host sets them.
    pub aliases: Aliases,
    /// The plans that the model may commit. If this state is lost, the model has to plan again.
    pub plans: Plans,
}
