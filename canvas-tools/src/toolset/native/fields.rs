//! What replies of the native tools have beside `ok` and `revision_id`: their types, from which their schemas follow.

use canvas_core::document::{LineSpan, PatchRefusal};
use canvas_core::lease::Timestamp;
use canvas_core::text::Repair;
use canvas_core::{Refusal, RevisionId};
use serde::Serialize;

use super::outcome::NativeConflict;
use crate::reply::{HeldDetail, StaleDetail};
#[cfg(feature = "schema")]
use {
    super::dialect::Dialect,
    crate::reply::schema::{ReplySchema, codes},
    serde_json::Value,
};

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
    /// The changed lines with one around them, `"12: text"`; `…` ends a line that was cut, and a list that was.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) lines: Vec<String>,
}

/// Reply of a call that only looks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ViewFields {
    /// The lines, each with its number, in the dialect's form.
    pub(super) message: String,
}

/// The fields of an error besides those that every error has.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct NativeDetail {
    /// Every place at which the call is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conflicts: Option<Vec<NativeConflict>>,
    /// The lines that the call could have quoted, from the second miss in a row on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<String>,
    #[serde(flatten)]
    pub(super) stale: StaleDetail,
    #[serde(flatten)]
    pub(super) held: HeldDetail,
}

impl NativeDetail {
    pub(super) fn of(refusal: Refusal<'_>, clock: Timestamp) -> Self {
        let conflicts = match refusal {
            Refusal::Patch(PatchRefusal::PatchRejected(error)) => {
                Some(error.conflicts().iter().map(NativeConflict::from).collect())
            }
            _ => None,
        };
        Self {
            conflicts,
            region: None,
            stale: StaleDetail::of(refusal),
            held: HeldDetail::of(refusal, clock),
        }
    }
}

/// The JSON Schema of the reply of a dialect's tool of this name.
#[cfg(feature = "schema")]
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.tool_names().contains(&tool))?;
    let reply = ReplySchema::new().success::<EditFields<'_>>();
    let reply = if dialect == Dialect::TextEditor { reply.success::<ViewFields>() } else { reply };
    let codes =
        [&["DOCUMENT_TOO_LARGE", "PATCH_REJECTED"], codes::WRITE, codes::TAKE, codes::CALL, codes::ENGINE];
    Some(reply.failure::<NativeDetail>(&codes, &[]))
}
