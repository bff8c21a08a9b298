//! Reports to the owner of a proposal.

use std::collections::BTreeMap;

use canvas_patch::PartId;
use serde::{Deserialize, Serialize};

/// The parts of a proposal that an edit made or changed, which now wait for a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProposedParts {
    /// Ids of the parts. Empty if the edit only took back what its owner had proposed.
    pub parts: Vec<PartId>,
    /// The parts that a person rejected before, with the same lines.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, RejectedBefore>"))]
    pub rejected_before: BTreeMap<PartId, RejectedBefore>,
}

/// An earlier rejection of the same part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedBefore {
    /// The note of the person who rejected it. Only the owner who got it sees it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A part that a person rejected since the owner's last message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedLines {
    /// First line of the document that the part would replace, counted from 1.
    pub start_line: usize,
    /// Last line that it would replace. An insertion ends before it starts.
    pub end_line: usize,
    /// A note by the person who rejected it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
