//! Whether a conversation changes the document or proposes changes of it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Whether edits in a session change the document or wait.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "mode", rename_all = "snake_case")]
pub enum SessionMode {
    /// They change the document.
    #[default]
    Direct,
    /// They change the proposal of the conversation, and wait for a decision. Everything that the model reads, with line
    /// numbers and revision ids, is of the proposed text. No lease is needed, because the document does not change.
    ///
    /// Other tools that change something are refused with `PROPOSE_ONLY`, for example a change of the board.
    Propose {
        /// Names of such tools that the host allows nevertheless.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        also: BTreeSet<String>,
    },
}

/// A line for the system prompt of a session that proposes. [`Tools::briefing_in`](crate::Tools::briefing_in) adds it.
pub const PROPOSING_PROMPT: &str = "Your edits are proposals: they wait for the user's decision, and all that you read includes them. You need no lease.";

impl SessionMode {
    /// Creates the mode in which edits wait for a decision.
    pub const fn propose() -> Self {
        Self::Propose { also: BTreeSet::new() }
    }

    /// Whether edits change the document.
    pub const fn is_direct(&self) -> bool {
        matches!(self, Self::Direct)
    }

    /// Whether a tool may change something else than the document.
    pub(crate) fn allows(&self, tool: &str) -> bool {
        match self {
            Self::Direct => true,
            Self::Propose { also } => also.contains(tool),
        }
    }
}
