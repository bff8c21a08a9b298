//! What one call may cost, and how much of a text a message shows.

use std::borrow::Cow;

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

/// The text, or its first `max_chars` characters and an ellipsis. Costs that many characters.
///
/// ```
/// use canvas_patch::truncate;
///
/// assert_eq!((truncate("héllo", 5), truncate("héllo!", 5)), ("héllo".into(), "héllo…".into()));
/// ```
pub fn truncate(text: &str, max_chars: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
