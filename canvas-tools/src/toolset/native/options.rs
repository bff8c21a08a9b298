//! What a native call is read against.

use canvas_core::text::Limits;

/// What a native call is read against.
#[derive(Debug, Clone, Copy)]
pub struct NativeOptions<'a> {
    /// The name that the document has for the model; `./` and `/` before it mean nothing.
    pub path: &'a str,
    /// Whether a call may replace a document that is not empty as a whole.
    pub whole_replace: bool,
    /// Whether a hunk header's exact numbers decide between several places.
    pub stated_lines: bool,
    /// Sizes above which a call is refused.
    pub limits: Limits,
}

impl Default for NativeOptions<'_> {
    fn default() -> Self {
        Self { path: "document.md", whole_replace: false, stated_lines: true, limits: Limits::default() }
    }
}
