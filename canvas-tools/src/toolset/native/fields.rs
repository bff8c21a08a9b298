//! What replies of the native tools have beside `ok` and `revision_id`: their types, from which their schemas follow.

use canvas_core::text::Repair;
use canvas_core::{LineSpan, RevisionId};
use serde::Serialize;
#[cfg(feature = "schema")]
use {
    super::dialect::Dialect,
    super::outcome::NativeConflict,
    crate::reply::schema::{ReplySchema, codes},
    canvas_core::Changes,
    canvas_core::text::DiffExcerpt,
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
}

/// Reply of a call that only looks.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ViewFields {
    /// The lines, each with its number, in the dialect's form.
    pub(super) message: String,
}

/// What an error has beside what every error has. Each is left out where it does not apply.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[expect(
    dead_code,
    reason = "only its schema is used: `refusal`, `missed` and `reply::refusal_json` write the fields"
)]
struct ErrorFields {
    /// Every place at which the call is at fault.
    conflicts: Vec<NativeConflict>,
    /// The lines that the call could have quoted, from the second miss in a row on.
    region: String,
    /// What happened since the conversation saw the document; null where that is not known.
    changes: Option<Changes>,
    /// The revision that the call was made for; null where the conversation has seen none.
    base_revision_id: Option<RevisionId>,
    /// Of these changes those near the edit.
    changes_near: DiffExcerpt,
    /// A patch that fits the document as it is.
    rebased_patch: String,
    /// The document has what the call would make: nothing is left to do.
    already_applied: bool,
    /// Until when another holder has the lease, in milliseconds since 1970.
    retry_after: u64,
    /// The lease that the conversation has.
    lease_id: String,
}

/// The JSON Schema of the reply of a dialect's tool of this name.
#[cfg(feature = "schema")]
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    let dialect = Dialect::ALL.into_iter().find(|dialect| dialect.tool_names().contains(&tool))?;
    let reply = ReplySchema::new().success::<EditFields<'_>>();
    let reply = if dialect == Dialect::TextEditor { reply.success::<ViewFields>() } else { reply };
    let codes =
        [&["DOCUMENT_TOO_LARGE", "PATCH_REJECTED"], codes::WRITE, codes::TAKE, codes::CALL, codes::ENGINE];
    Some(reply.failure::<ErrorFields>(&codes, &[]))
}
