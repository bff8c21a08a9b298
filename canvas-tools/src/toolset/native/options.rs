//! Options for reading a native call.

use canvas_core::text::Limits;

/// Options for reading a native call.
#[derive(Debug, Clone, Copy)]
pub struct NativeOptions<'a> {
    /// The document's name for the model. Leading `./` and `/` are ignored.
    pub path: &'a str,
    /// Whether a call may replace a non-empty document as a whole.
    pub whole_replace: bool,
    /// Whether the exact numbers of a hunk header decide between several places.
    pub stated_lines: bool,
    /// Size limits beyond which a call is refused.
    pub limits: Limits,
}

impl Default for NativeOptions<'_> {
    fn default() -> Self {
        Self { path: "document.md", whole_replace: false, stated_lines: true, limits: Limits::default() }
    }
}
