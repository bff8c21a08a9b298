//! The part of the system prompt about directives.

use super::tool::{DOCUMENT_EDIT, DOCUMENT_SNAPSHOT};
use crate::toolset::spec::{ToolSpec, has_tool};

/// Returns the lines for the enabled tools in `specs`.
pub(super) fn lines(specs: &[ToolSpec]) -> Vec<String> {
    let edit = specs.iter().find(|spec| spec.name == DOCUMENT_EDIT);
    let (Some(edit), true) = (edit, has_tool(specs, DOCUMENT_SNAPSHOT)) else { return Vec::new() };
    let patches = edit.parameters.pointer("/properties/diff").is_some();
    let how = if patches {
        "Edit in this order: document_snapshot, write a unified diff of that text (diff_builder can do it for you), \
         document_edit with action \"patch\", the diff and the document_version of the snapshot. Copy 1 to 3 unchanged \
         lines around each change exactly. For a small change at a known place, insert and replace take a target, or \
         target_range in characters."
    } else {
        "Edit in this order: document_snapshot, find the place, document_edit with action \"insert\" or \
         \"replace\", a target, or target_range in characters by line_offsets, and the document_version of the snapshot."
    };
    vec![
        how.into(),
        "Every edit makes a new document_version, which its reply names. When document_edit fails with STALE_VERSION or \
         a conflict, take a fresh document_snapshot and make the edit anew; never send the same one again."
            .into(),
    ]
}
