//! The common entry point of all dialects.

use serde_json::Value;

use super::dialect::Dialect;
use super::options::NativeOptions;
use super::outcome::{Document, NativeEdit, NativeError};
use super::{apply_patch, codex, search_replace, string_edit, text_editor};

/// Applies a call of a dialect to the text that its author has seen. Takes time linear in the text and the call.
///
/// ```
/// use canvas_core::CodedError as _;
/// use canvas_tools::native::{Dialect, NativeOptions, apply_native};
/// use serde_json::json;
///
/// let call = json!({"file_path": "document.md", "old_string": "milk", "new_string": "bread"});
/// let options = NativeOptions::default();
/// let edit = apply_native(Dialect::Edit, "- buy milk\n", &call, &options)?;
/// assert_eq!(edit.text, "- buy bread\n");
///
/// let refused = apply_native(Dialect::Edit, "- milk\n- milk\n", &call, &options).unwrap_err();
/// assert_eq!(refused.reason(), Some("AMBIGUOUS"));
/// assert_eq!(refused.conflicts()[0].candidates, [1, 2]);
/// # Ok::<(), canvas_tools::native::NativeError>(())
/// ```
///
/// # Errors
///
/// [`NativeError`], which begins with the dialect's own sentence. The text is only borrowed and stays unchanged.
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
        Dialect::ApplyPatch => apply_patch::apply(&document, call),
        Dialect::CodexPatch => codex::apply(&document, call),
        Dialect::Edit => string_edit::apply_edit(&document, call),
        Dialect::Replace => string_edit::apply_replace(&document, call),
        Dialect::SearchReplace => search_replace::apply(&document, call),
    }
}
