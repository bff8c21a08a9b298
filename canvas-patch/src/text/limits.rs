//! Limits on the size of the input of a call, and on the text that a message shows.

use std::borrow::Cow;

/// Size limits of a call. A call that exceeds one of them is refused as `TOO_LARGE`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Limits {
    /// Maximum bytes of the text to patch and of the resulting text. Default 64 MiB.
    pub text_bytes: usize,
    /// Maximum bytes of the patch. Default 16 MiB.
    pub patch_bytes: usize,
    /// Maximum number of hunks in the patch. Default 20,000.
    pub hunks: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { text_bytes: 64 << 20, patch_bytes: 16 << 20, hunks: 20_000 }
    }
}

/// Returns the text, or its first `max_chars` characters and an ellipsis if it is longer. Takes time linear in
/// `max_chars`.
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
