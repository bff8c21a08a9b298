//! What an entry of the journal changed.

use canvas_patch::Delta;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

#[cfg(feature = "board")]
use crate::board::{BoardPatch, CanvasCommand, UndoId};
use crate::model::blob::BlobId;
use crate::model::face::Face;
#[cfg(feature = "recipe")]
use crate::recipe::DataDiff;
#[cfg(feature = "surface")]
use crate::surface::SurfaceDiff;

/// What an entry changed, by face.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "face", rename_all = "snake_case", remote = "Self")]
#[non_exhaustive]
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
    #[cfg(feature = "board")]
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
    /// The surface.
    #[cfg(feature = "surface")]
    Surface(SurfaceDiff),
    /// The recipe.
    #[cfg(feature = "recipe")]
    Recipe {
        /// Its blob before; `None` where there was none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        before: Option<BlobId>,
        /// Its blob after; `None` where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<BlobId>,
    },
    /// The data that a recipe has made.
    #[cfg(feature = "recipe")]
    Data(DataDiff),
    /// A face that this library does not support ([`Face::is_supported`]).
    #[serde(skip)]
    Unsupported {
        /// Which.
        face: Face,
        /// The step as it was written, in JSON.
        json: Box<str>,
    },
}

impl Step {
    /// The face that it changed.
    pub const fn face(&self) -> Face {
        match self {
            Self::Document { .. } => Face::Document,
            #[cfg(feature = "board")]
            Self::Board { .. } => Face::Board,
            #[cfg(feature = "surface")]
            Self::Surface(_) => Face::Surface,
            #[cfg(feature = "recipe")]
            Self::Recipe { .. } => Face::Recipe,
            #[cfg(feature = "recipe")]
            Self::Data(_) => Face::Data,
            Self::Unsupported { face, .. } => *face,
        }
    }

    /// The step back; `None` where the face is not supported.
    pub fn inverse(&self) -> Option<Self> {
        Some(match self {
            Self::Document { before, after, delta } => {
                Self::Document { before: *after, after: *before, delta: delta.as_ref().map(Delta::inverse) }
            }
            #[cfg(feature = "board")]
            Self::Board { before, after, id, forward, patch } => Self::Board {
                before: *after,
                after: *before,
                id: id.clone(),
                forward: forward.clone(),
                patch: patch.inverse(),
            },
            #[cfg(feature = "surface")]
            Self::Surface(diff) => Self::Surface(diff.inverse()),
            #[cfg(feature = "recipe")]
            Self::Recipe { before, after } => Self::Recipe { before: *after, after: *before },
            #[cfg(feature = "recipe")]
            Self::Data(diff) => Self::Data(diff.inverse()),
            Self::Unsupported { .. } => return None,
        })
    }

    /// The documents that are kept in place of an edit.
    pub(crate) fn documents(&self) -> impl Iterator<Item = BlobId> + use<> {
        let kept = match self {
            Self::Document { before, after, delta: None } => Some([*before, *after]),
            _ => None,
        };
        kept.into_iter().flatten()
    }

    /// The places of the state that it changed.
    pub(crate) fn state_paths(&self) -> Vec<&str> {
        match self {
            #[cfg(feature = "surface")]
            Self::Surface(diff) => diff.state.iter().map(|change| change.path.as_str()).collect(),
            _ => Vec::new(),
        }
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unsupported { json, .. } => {
                let json: &RawValue = serde_json::from_str(json).map_err(S::Error::custom)?;
                json.serialize(serializer)
            }
            step => Self::serialize(step, serializer),
        }
    }
}

/// Only from JSON: what is not supported is kept as it was written.
impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag {
            face: Face,
        }
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let Tag { face } = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
        if !face.is_supported() {
            return Ok(Self::Unsupported { face, json: Box::<str>::from(json) });
        }
        #[cfg(feature = "board")]
        if face == Face::Board {
            return serde_json::from_str(json.get()).map(BoardStep::into).map_err(D::Error::custom);
        }
        Self::deserialize(&mut serde_json::Deserializer::from_str(json.get())).map_err(D::Error::custom)
    }
}

/// The step of a board, read without the tag: what has one is read into a value first, and a change of a whole board is
/// long.
#[cfg(feature = "board")]
#[derive(Deserialize)]
struct BoardStep {
    before: BlobId,
    after: BlobId,
    id: UndoId,
    forward: Box<CanvasCommand>,
    patch: BoardPatch,
}

#[cfg(feature = "board")]
impl From<BoardStep> for Step {
    fn from(BoardStep { before, after, id, forward, patch }: BoardStep) -> Self {
        Self::Board { before, after, id, forward, patch }
    }
}
