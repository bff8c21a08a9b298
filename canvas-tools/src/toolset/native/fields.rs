//! What replies of the native tools have beside `ok` and `revision_id`: their types, from which their schemas follow.

use canvas_core::text::Repair;
use canvas_core::{LineSpan, RevisionId};
use serde::Serialize;

/// Reply of an edit in any dialect.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct EditFields<'a> {
    /// The revision that the edit has made; the same as `revision_id`.
    pub(super) new_revision_id: RevisionId,
    /// Places that were changed.
    pub(super) applied_hunks: usize,
    /// Lines added and removed, such as `+1 −1, 1 hunk`.
    pub(super) summary: String,
    /// Terminators and forms that were repaired, never content.
    pub(super) repairs: &'a [Repair],
    /// The changed lines of the new text.
    pub(super) spans: &'a [LineSpan],
    /// The dialect's own words for success.
    pub(super) message: String,
}

/// Reply of a call that only looks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ViewFields {
    /// The lines, each with its number, in the dialect's form.
    pub(super) message: String,
}
