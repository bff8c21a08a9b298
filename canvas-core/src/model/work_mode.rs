//! Whether the conversations of a canvas share one turn and one lease.

use serde::{Deserialize, Serialize};

/// The way in which conversations and people work on one canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum WorkMode {
    /// All conversations share one turn and one lease, and a message or an edit by the user ends them.
    #[default]
    Exclusive,
    /// Each conversation has its own turn, which only its own messages and cancellations end. A patch needs no lease. It
    /// is applied if nobody else changed its lines or their context, and edits by people end no turn.
    Collaborative,
}

impl WorkMode {
    pub(crate) fn is_exclusive(&self) -> bool {
        *self == Self::Exclusive
    }
}
