//! What an entry of the journal changed.

use canvas_patch::Delta;
use serde::{Deserialize, Serialize};

use crate::board::{BoardPatch, CanvasCommand, UndoId};
use crate::model::blob::BlobId;
use crate::model::face::Face;

/// What an entry changed, by face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "face", rename_all = "snake_case")]
pub enum Step {
    /// The document.
    Document {
        /// Its blob before.
        before: BlobId,
        /// Its blob after.
        after: BlobId,
        /// The edit that leads from one to the other; `None` where it is larger than an entry may be, and both blobs are
        /// kept instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delta: Option<Delta>,
    },
    /// The board.
    Board {
        /// Its blob before.
        before: BlobId,
        /// Its blob after.
        after: BlobId,
        /// Names the change, as the answer to its command did.
        id: UndoId,
        /// The command as it was done; of a selective undo, the one that it undid.
        forward: Box<CanvasCommand>,
        /// The change that leads from one to the other.
        patch: BoardPatch,
    },
}

impl Step {
    /// The face that it changed.
    pub const fn face(&self) -> Face {
        match self {
            Self::Document { .. } => Face::Document,
            Self::Board { .. } => Face::Board,
        }
    }

    /// The step back.
    pub fn inverse(&self) -> Self {
        match self {
            Self::Document { before, after, delta } => {
                Self::Document { before: *after, after: *before, delta: delta.as_ref().map(Delta::inverse) }
            }
            Self::Board { before, after, id, forward, patch } => Self::Board {
                before: *after,
                after: *before,
                id: id.clone(),
                forward: forward.clone(),
                patch: patch.inverse(),
            },
        }
    }
}
