//! Reply fields of the directive tools, in addition to `ok` and `revision_id`. The reply schemas are derived from these
//! types. Characters are Unicode scalar values, counted from 0.

use canvas_core::RevisionId;
use canvas_core::history::ChangeNumber;
use canvas_core::proposal::ProposedParts;
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
    /// Version to name in an edit of this text, equal to `revision_id`.
    pub(super) document_version: RevisionId,
    /// Text from `start` to `end`, at most 256 KiB and 8192 lines.
    pub(super) text: &'a str,
    /// Offset of the first character of `text`.
    pub(super) start: usize,
    /// Offset after the last character of `text`, to pass as `offset` to read on.
    pub(super) end: usize,
    /// Number of characters in the document.
    pub(super) total_chars: usize,
    /// Line of the first character, from 1.
    pub(super) start_line: usize,
    /// Offset in the document at which each line of `text` begins.
    pub(super) line_offsets: Vec<usize>,
    /// Whether the document continues after `end`.
    pub(super) truncated: bool,
    /// Selection named by the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selection: Option<CharRange>,
    /// Value to pass as `selection_fingerprint` in a directive on this selection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) selection_hash: Option<Fingerprint>,
}

/// Reply of `diff_builder`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DiffFields {
    /// Version that the diff applies to, equal to `revision_id`.
    pub(super) document_version: RevisionId,
    /// Unified diff.
    pub(super) diff: String,
    /// Whether `document_edit` accepts the diff for the current document.
    pub(super) applies: bool,
    /// Advice if the diff does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

/// Reply of `document_edit`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct EditFields<'a> {
    /// One line for a status bar, with the change and the version.
    pub(super) status: String,
    /// Action of the directive.
    pub(super) action: Action,
    /// Version after the edit. Equal to `previous_version` if the text is unchanged.
    pub(super) document_version: RevisionId,
    /// Version before the edit.
    pub(super) previous_version: RevisionId,
    /// Number of characters gained or lost, such as `+120 chars`.
    pub(super) summary: &'a str,
    /// Changed parts of the new text, in order. For an annotation, its target.
    pub(super) spans: &'a [EditSpan],
    /// Smallest range of the old text that covers everything removed.
    pub(super) replaced_range: CharRange,
    /// Smallest range of the new text that covers everything inserted.
    pub(super) edited_range: CharRange,
    /// Range for an editor to select, which is the last changed part or the place of a removal.
    pub(super) selection: CharRange,
    /// Repairs to the form of a patch.
    pub(super) repairs: &'a [Repair],
    /// Number of the change in the history. Absent if the text is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) change: Option<ChangeNumber>,
    /// Parts of the proposal, which wait for the user's decision. Present if the conversation proposes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) proposed: Option<&'a ProposedParts>,
    /// Content of an annotation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'a str>,
}

/// Returns the JSON Schema of the reply of the tool with this name.
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
                "QUERY_TOO_LARGE",
                "STALE_VERSION",
                "DOCUMENT_TOO_LARGE",
                "LOCK_NOT_AVAILABLE",
                "REVISION_EXHAUSTED",
            ];
            let beside = &[
                ("status", "One line for a status bar, equal to `status` in `error`."),
                ("document_version", "Current version of the document, equal to `revision_id`."),
            ];
            (reply.success::<EditFields<'_>>(), own, beside)
        }
        _ => return None,
    };
    let address: &[&[&str]] =
        if tool == DOCUMENT_EDIT { &[codes::ADDRESS, codes::TABLE, codes::KEY] } else { &[] };
    let codes = [address, &[own, codes::CALL, codes::ENGINE]].concat();
    Some(reply.failure::<DirectiveDetail>(&codes, beside))
}
