//! How a patch is read and applied, and what one call may cost.

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

/// Sizes above which a call is refused as `TOO_LARGE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Bytes of the text to patch, and of the text that results. Default 64 MiB.
    pub text_bytes: usize,
    /// Bytes of the patch. Default 16 MiB.
    pub patch_bytes: usize,
    /// Hunks of the patch. Default 20,000.
    pub hunks: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { text_bytes: 64 << 20, patch_bytes: 16 << 20, hunks: 20_000 }
    }
}
