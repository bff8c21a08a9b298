//! How a patch is read and applied.

use crate::text::limits::Limits;

/// How much of a patch must be exact. Both modes compare content byte for byte and never tolerate white space,
/// case or similarity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// Text, position, counts, order and header are exact.
    #[default]
    Strict,
    /// Counts, line numbers, line terminators and the end-of-file marker are hints. Each hunk's pre-image, compared
    /// line by line without terminators, must occur at exactly one place of the text; where it occurs at several,
    /// the stated place wins only if all of the patch's arithmetic is exact.
    Anchored,
}

/// What to apply a patch with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// How exact the patch must be.
    pub mode: Mode,
    /// Sizes above which it is refused.
    pub limits: Limits,
}
