//! Error fields of a failed directive.

use canvas_core::RevisionId;
use canvas_core::document::Changes;
use serde::Serialize;

use super::advice::Advice;
use super::range::Fingerprint;
use crate::reply::{AddressDetail, ConflictFields, FitDetail, HeldDetail};

/// Error fields of a failed directive, in addition to the common ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct DirectiveDetail {
    /// One line for a status bar, with the failure and the version of the document.
    pub(super) status: String,
    /// Suggested next step. The assistant takes a fresh snapshot, corrects the directive, or waits.
    pub(super) advice: Advice,
    /// Version that the directive was written for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expected_version: Option<RevisionId>,
    /// Current version of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) document_version: Option<RevisionId>,
    /// Changes since `expected_version`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) changes: Option<Changes>,
    /// All places at which the patch does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) conflicts: Option<Vec<ConflictFields>>,
    #[serde(flatten)]
    pub(super) fits: FitDetail,
    #[serde(flatten)]
    pub(super) address: AddressDetail,
    #[serde(flatten)]
    pub(super) there: Option<ChangedText>,
    #[serde(flatten)]
    pub(super) held: HeldDetail,
}

/// Range whose text has changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ChangedText {
    /// Fingerprint given by the directive.
    pub(super) expected: Fingerprint,
    /// Fingerprint of the current text in the range.
    pub(super) actual: Fingerprint,
    /// Beginning of the current text in the range.
    pub(super) text: String,
}
