//! The fields of a failed directive.

use canvas_core::RevisionId;
use canvas_core::document::Changes;
use serde::Serialize;

use super::advice::Advice;
use super::range::Fingerprint;
use crate::reply::{ConflictFields, FitDetail, HeldDetail};

/// The fields of an error besides those that every error has.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DirectiveDetail {
    /// One line for a status bar: what failed, and the version of the document.
    pub(super) status: String,
    /// What to do about it: take a fresh snapshot, correct the directive, or wait.
    pub(super) advice: Advice,
    /// The version that the directive was made for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected_version: Option<RevisionId>,
    /// The version that the document has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) document_version: Option<RevisionId>,
    /// What happened since that version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<Changes>,
    /// Every place at which the patch is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conflicts: Option<Vec<ConflictFields>>,
    #[serde(flatten)]
    pub(super) fits: FitDetail,
    #[serde(flatten)]
    pub(super) there: Option<ChangedText>,
    #[serde(flatten)]
    pub(super) held: HeldDetail,
}

/// A range that holds another text.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ChangedText {
    /// The fingerprint that the directive has.
    pub(super) expected: Fingerprint,
    /// That of the text in the range.
    pub(super) actual: Fingerprint,
    /// The beginning of the text in the range.
    pub(super) text: String,
}
