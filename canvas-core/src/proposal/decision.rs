//! Decisions on parts, as entries of the journal keep them for undo.

use canvas_patch::PendingPart;
use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;
use crate::model::revision::Revision;
use crate::proposal::owner::Owner;

/// The parts of one owner on which an entry decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Decision {
    /// The person or the conversation that proposed the parts.
    pub(crate) owner: Owner,
    /// The accepted parts with their places before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) accepted: Vec<PendingPart>,
    /// The rejected parts with their places before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) rejected: Vec<PendingPart>,
    /// Other parts of the owner with their places before, if an undo would not lead to these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) neighbours: Vec<PendingPart>,
    /// A note for the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) note: Option<String>,
    /// The revision before the decision was made first.
    pub(crate) revision: Revision,
    /// The document at that revision, which the parts are of.
    pub(crate) document: BlobId,
    /// Whether the entry takes the decision back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_undone: bool,
}

impl Decision {
    /// Returns the decisions of an entry that does the opposite.
    pub(crate) fn inverse(decisions: &[Self]) -> Vec<Self> {
        decisions.iter().map(|one| Self { is_undone: !one.is_undone, ..one.clone() }).collect()
    }
}
