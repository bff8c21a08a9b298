//! What replies of the directive tools have beside `ok` and `revision_id`: their types, from which their schemas follow.
//! Characters are Unicode scalar values, counted from 0.

use canvas_core::RevisionId;
use canvas_core::history::ChangeNumber;
use canvas_core::text::Repair;
use serde::Serialize;

use super::action::Action;
use super::plan::EditSpan;
use super::range::{CharRange, Fingerprint};
#[cfg(feature = "schema")]
use {
    super::detail::DirectiveDetail,
    super::tool::{DIFF_BUILDER, DOCUMENT_EDIT, DOCUMENT_SNAPSHOT},
    crate::reply::schema::{ReplySchema, codes},
    serde_json::Value,
};

/// Reply of `document_snapshot`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct SnapshotFields<'a> {
    /// The version that an edit of what is shown names; the same as `revision_id`.
    pub(super) document_version: RevisionId,
    /// The text from `start` to `end`: at most 256 KiB and 8192 lines.
    pub(super) text: &'a str,
    /// The first character that is shown.
    pub(super) start: usize,
    /// The character after the last that is shown: the `offset` of the next call.
    pub(super) end: usize,
    /// Characters of the document.
    pub(super) total_chars: usize,
    /// The line of the first character, from 1.
    pub(super) start_line: usize,
    /// The character at which each line of `text` begins, counted in the document.
    pub(super) line_offsets: Vec<usize>,
    /// The document goes on after `end`.
    pub(super) truncated: bool,
    /// The selection that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selection: Option<CharRange>,
    /// The `selection_fingerprint` of the text there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selection_hash: Option<Fingerprint>,
}

/// Reply of `diff_builder`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DiffFields {
    /// The version that the diff is for; the same as `revision_id`.
    pub(super) document_version: RevisionId,
    /// The unified diff.
    pub(super) diff: String,
    /// Whether `document_edit` takes it for the document as it is.
    pub(super) applies: bool,
    /// What to do where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

/// Reply of `document_edit`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct EditFields<'a> {
    /// One line for a status bar: what was done, and the version.
    pub(super) status: String,
    /// The directive's action.
    pub(super) action: Action,
    /// The version after; the same as before where the text stays.
    pub(super) document_version: RevisionId,
    /// The version before.
    pub(super) previous_version: RevisionId,
    /// Characters gained or lost, such as `+120 chars`.
    pub(super) summary: &'a str,
    /// The changed parts of the new text, in order; of an annotation, its target.
    pub(super) spans: &'a [EditSpan],
    /// The smallest range of the old text that holds all that was removed.
    pub(super) replaced_range: CharRange,
    /// The smallest range of the new text that holds all that was inserted.
    pub(super) edited_range: CharRange,
    /// What to select: the last changed part, or the place where text was removed.
    pub(super) selection: CharRange,
    /// What was repaired in a patch.
    pub(super) repairs: &'a [Repair],
    /// The number of the change in the history. Left out where the text stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<ChangeNumber>,
    /// What an annotation says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'a str>,
}

/// The JSON Schema of the reply of a tool of this name.
#[cfg(feature = "schema")]
pub(crate) fn reply_schema(tool: &str) -> Option<Value> {
    let reply = ReplySchema::new();
    let (reply, own, beside): (_, &[&str], &[(&str, &str)]) = match tool {
        DOCUMENT_SNAPSHOT => (reply.success::<SnapshotFields<'_>>(), &["INVALID_RANGE"], &[]),
        DIFF_BUILDER => (reply.success::<DiffFields>(), &[], &[]),
        DOCUMENT_EDIT => {
            let own = &[
                "FINGERPRINT_MISMATCH",
                "INVALID_DIRECTIVE",
                "INVALID_RANGE",
                "PATCH_EDITS_OFF",
                "PATCH_REJECTED",
                "STALE_VERSION",
                "DOCUMENT_TOO_LARGE",
                "LOCK_NOT_AVAILABLE",
                "REVISION_EXHAUSTED",
            ];
            let beside = &[
                ("status", "One line for a status bar; the same as in `error`."),
                ("document_version", "The version that the document has; the same as `revision_id`."),
            ];
            (reply.success::<EditFields<'_>>(), own, beside)
        }
        _ => return None,
    };
    Some(reply.failure::<DirectiveDetail>(&[own, codes::CALL, codes::ENGINE], beside))
}
