//! Steps: the change of one face in an entry of the journal, and how it acts on the current face.

use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::id::OpKey;
use crate::model::tree::Tree;

/// The direction in which a step is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Forth,
    Back,
}

impl Way {
    /// The start and the end of a step from `before` to `after`.
    pub(crate) fn ends<T>(self, before: T, after: T) -> (T, T) {
        match self {
            Self::Forth => (before, after),
            Self::Back => (after, before),
        }
    }
}

/// A face is not what a step was made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// Why a step cannot be taken back from under later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// The later step of this index touches the same; without any, the step itself cannot be moved.
    Touched(usize),
    /// The face is not what the step was made on.
    Mismatch,
}

impl From<Mismatch> for Conflict {
    fn from(_: Mismatch) -> Self {
        Self::Mismatch
    }
}

/// The input of a new step from its call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepSeed<'a> {
    #[cfg_attr(not(feature = "board"), expect(dead_code, reason = "only changes of a board have names"))]
    pub(crate) operation: &'a OpKey,
    /// Bytes of old and new text that a step may have.
    pub(crate) bytes: usize,
}

/// A step of one face. Its functions are pure, and report a blob that must be loaded first as an error.
pub(crate) trait FaceStep: Clone {
    /// The face after some entry of the journal.
    type At;

    /// The step that leads back.
    fn inverse(&self) -> Self;

    /// Reads the files that this step needs, unless `at` has them. Leaves `at` empty if the tree does not have the face.
    fn read(&self, way: Way, at: &mut Option<Self::At>, files: &Files<'_>) -> Result<(), ReadError>;

    /// Plays the step on the face that it was made on.
    fn play(&self, way: Way, at: &mut Self::At, files: &Files<'_>) -> Result<(), Mismatch>;

    /// Takes the step back from under later ones, oldest first, which stay and are moved.
    fn revert(&self, at: &mut Self::At, later: &mut [Self]) -> Result<(), Conflict>;

    /// Makes the root blob of the face, and checks that it has the id that the played steps name.
    fn seal(at: Self::At) -> Result<Self::At, Mismatch> {
        Ok(at)
    }

    /// Combines the reverts into one step from the files to the face, which gets its root blob. `None` if the face is the same.
    fn since(at: Self::At, files: &Files<'_>, seed: &StepSeed<'_>) -> Option<(Self, Self::At)>;

    /// Makes the face that of a draft.
    fn put(at: Self::At, draft: &mut Draft<'_>);

    /// The blob to report as damaged if the step does not fit the face; `None` for that of the document.
    fn suspect(&self, way: Way, tree: &Tree) -> Option<BlobId>;

    /// The blobs that an entry with the step needs, each with its file.
    fn kept(&self) -> Vec<(TreeFile, BlobId)>;

    /// The places of the state that it changes.
    fn state_paths(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The blobs that a file of the face names; `None` if the file is damaged.
    fn named(_file: TreeFile, _blob: &Blob) -> Option<Vec<BlobId>> {
        Some(Vec::new())
    }
}
