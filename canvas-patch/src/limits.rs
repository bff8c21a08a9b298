//! Upper bounds on what one call may cost.

/// Sizes past which a call is refused as `TOO_LARGE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
