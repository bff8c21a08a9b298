//! Native dialects: the forms of edits that models were trained on, as edits located in the base.
//!
//! A dialect is a pure translation of a call. Its content must be in the text exactly, at one place, or the call is refused
//! with the places; nothing is matched by likeness, and of several matches the first never wins. Applying is the business
//! of `canvas-patch`: blocks of whole lines for the forms made of lines, a [`Delta`] for those that reach inside lines.
//!
//! `string` replaces text inside lines, for `text_editor` and `string_edit`; `v4a` reads and places the hunks of
//! `apply_patch` in both its forms, `codex` their envelope; `search_replace` reads marked blocks. `outcome` is what all of
//! them end with, `render` the way back from a change to calls.

mod codex;
mod declare;
mod dialect;
mod family;
mod outcome;
mod render;
mod search_replace;
mod stream;
mod string;
mod string_edit;
mod text_editor;
mod tool;
mod v4a;

use canvas_core::text::{Delta, Limits};
use serde_json::Value;

pub use self::declare::{CODEX_GRAMMAR, Declaration};
pub use self::dialect::Dialect;
pub use self::family::{FAMILIES, ModelFamily};
use self::outcome::Document;
pub use self::outcome::{NativeConflict, NativeEdit, NativeError, NativeReason};
pub use self::render::{RenderError, RenderOptions, render_native};
pub use self::stream::DiffStream;
pub use self::tool::NativeTools;

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

/// Applies a call of a dialect to the text that its author has seen. Linear in the text and the call.
///
/// ```
/// use canvas_tools::{Dialect, NativeOptions, apply_native};
/// use serde_json::json;
///
/// let call = json!({"file_path": "document.md", "old_string": "milk", "new_string": "bread"});
/// let options = NativeOptions::default();
/// let edit = apply_native(Dialect::Edit, "- buy milk\n", &call, &options)?;
/// assert_eq!(edit.text, "- buy bread\n");
///
/// let refused = apply_native(Dialect::Edit, "- milk\n- milk\n", &call, &options).unwrap_err();
/// assert_eq!(refused.reason().code(), "AMBIGUOUS");
/// assert_eq!(refused.conflicts()[0].candidates, [1, 2]);
/// # Ok::<(), canvas_tools::NativeError>(())
/// ```
///
/// # Errors
///
/// [`NativeError`], in the dialect's own words first; the text is only borrowed, so nothing has changed.
pub fn apply_native(
    dialect: Dialect,
    text: &str,
    call: &Value,
    options: &NativeOptions<'_>,
) -> Result<NativeEdit, NativeError> {
    let document = Document { text, options };
    document.check_size(call)?;
    match dialect {
        Dialect::TextEditor => text_editor::apply(&document, call),
        Dialect::ApplyPatch => v4a::apply(&document, call),
        Dialect::CodexPatch => codex::apply(&document, call),
        Dialect::Edit => string_edit::apply_edit(&document, call),
        Dialect::Replace => string_edit::apply_replace(&document, call),
        Dialect::SearchReplace => search_replace::apply(&document, call),
    }
}

/// The change from one text to another as a whole.
fn whole(before: &str, after: &str) -> Delta {
    Delta::between(before, after)
}
