//! What a session keeps for its toolsets from one call to the next.

#[cfg(feature = "board")]
use canvas_core::board::Aliases;
use canvas_core::document::ShownLines;

#[cfg(feature = "board")]
use super::plan::Plans;
use super::refused::RefusedPatch;

/// What the document tools and the native dialects keep.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DocumentMemory {
    /// The lines that the model was shown: of several equal places, a line number decides only for these. If they are lost,
    /// such a patch is `AMBIGUOUS`. Under [`Policy::require_located`](canvas_core::Policy::require_located) a patch may
    /// change only what was located in the turn.
    pub shown: ShownLines,
    /// The patch that was refused last, of which the model may send the bad hunks again.
    pub refused: RefusedPatch,
    /// Calls of a native dialect in a row whose old text was nowhere, or at several places. From the second on, the reply
    /// has the lines around.
    pub misses: u32,
}

/// What the board tools keep.
#[cfg(feature = "board")]
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BoardMemory {
    /// What the model calls components by, such as `c1`, if its context has short names. They come before ids, and replies
    /// have them in place of ids. Empty until the host sets them.
    pub aliases: Aliases,
    /// The plans that the model may commit. One that is lost is made again.
    pub plans: Plans,
}
