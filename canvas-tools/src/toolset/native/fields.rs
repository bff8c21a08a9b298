//! Reply fields of the native tools, in addition to `ok` and `revision_id`. The reply schemas are derived from these
//! types.

use canvas_core::document::{LineSpan, PatchRefusal};
use canvas_core::lease::Timestamp;
use canvas_core::proposal::ProposedParts;
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
    /// Revision created by the edit, equal to `revision_id`.
    pub(super) new_revision_id: RevisionId,
    /// Number of places changed.
    pub(super) applied_hunks: usize,
    /// Number of lines added and removed, such as `+1 −1, 1 hunk`.
    pub(super) summary: String,
    /// Repairs of line terminators and form, never of content.
    pub(super) repairs: &'a [Repair],
    /// Changed lines of the new text.
    pub(super) spans: &'a [LineSpan],
    /// Success message in the wording of the dialect.
    pub(super) message: String,
    /// Parts of the proposal, which wait for the user's decision. Present if the conversation proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proposed: Option<&'a ProposedParts>,
    /// Changed lines and one line around them, as `"12: Text"`. If a line or the list is shortened, it ends with `…`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(default))]
    pub(super) lines: Vec<String>,
}

/// Reply of a call that only reads.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ViewFields {
    /// Numbered lines in the form of the dialect.
    pub(super) message: String,
}

/// Error fields of the native tools, in addition to the common ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct NativeDetail {
    /// All places at which the call does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conflicts: Option<Vec<NativeConflict>>,
    /// Lines that the call could quote instead. Present from the second miss in a row.
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

/// Returns the JSON Schema of the reply of the dialect's tool with this name.
#[cfg(feature = "schema")]
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.tool_names().contains(&tool))?;
    let reply = ReplySchema::new().success::<EditFields<'_>>();
    let reply = if dialect == Dialect::TextEditor { reply.success::<ViewFields>() } else { reply };
    let codes =
        [&["DOCUMENT_TOO_LARGE", "PATCH_REJECTED"], codes::WRITE, codes::TAKE, codes::CALL, codes::ENGINE];
    Some(reply.failure::<NativeDetail>(&codes, &[]))
}
