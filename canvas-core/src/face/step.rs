//! Steps. A step is the change of one face in an entry of the journal, and acts on the current face.

use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::tree::Tree;

/// The direction in which a step is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Forth,
    Back,
}

impl Way {
    /// Returns the start and the end of a step from `before` to `after`.
    pub(crate) fn ends<T>(self, before: T, after: T) -> (T, T) {
        match self {
            Self::Forth => (before, after),
            Self::Back => (after, before),
        }
    }
}

/// The face differs from the one that a step was made on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mismatch;

/// The reason why a step cannot be reverted from under later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conflict {
    /// The later step at this index touches the same part. If there are no later steps, the step itself cannot be
    /// moved.
    Touched(usize),
    /// The face differs from the one that the step was made on.
    Mismatch,
}

impl From<Mismatch> for Conflict {
    fn from(_: Mismatch) -> Self {
        Self::Mismatch
    }
}

/// Input for a new step from its call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepSeed<'a> {
    #[cfg_attr(not(feature = "board"), expect(dead_code, reason = "only changes of a board have names"))]
    pub(crate) operation: &'a OpKey,
    /// Number of steps that the call made before this one.
    #[cfg_attr(not(feature = "board"), expect(dead_code, reason = "only changes of a board have names"))]
    pub(crate) nth: usize,
    /// Maximum bytes of old and new text in a step.
    pub(crate) bytes: usize,
}

/// A step of one face. Its functions are pure. If blobs must be loaded first, they return an error that lists them.
pub(crate) trait FaceStep: Clone {
    /// The face after some entry of the journal.
    type At: Clone;

    /// Returns the step in the opposite direction.
    fn inverse(&self) -> Self;

    /// Reads the files that this step needs, unless `at` has them. Leaves `at` empty if the tree does not have the face.
    fn read(&self, way: Way, at: &mut Option<Self::At>, files: &Files<'_>) -> Result<(), ReadError>;

    /// Plays the step on the face that it was made on.
    fn play(&self, way: Way, at: &mut Self::At, files: &Files<'_>) -> Result<(), Mismatch>;

    /// Reverts the step from under the steps in `later`, oldest first, which stay and are moved.
    fn revert(&self, at: &mut Self::At, later: &mut [Self]) -> Result<(), Conflict>;

    /// Whether `undoing` did exactly the opposite of this step, from under the steps in `between`, oldest first. If so,
    /// these are moved as if neither had been made. Otherwise they are unchanged.
    fn cancels(&self, between: &mut [Self], undoing: &Self) -> bool;

    /// Makes the root blob of the face, and checks that it has the id that the played steps name.
    fn seal(at: Self::At) -> Result<Self::At, Mismatch> {
        Ok(at)
    }

    /// Combines the reverts since `before` into one step, and gives the face its root blob. Returns `None` if the face
    /// is unchanged.
    fn since(before: &Self::At, at: &mut Self::At, seed: &StepSeed<'_>) -> Option<Self>;

    /// Reads the whole face of a tree. Returns `None` if the tree does not have it, or if the face is never restored.
    fn load(_files: &Files<'_>) -> Result<Option<Self::At>, ReadError> {
        Ok(None)
    }

    /// Makes a face equal to an earlier one. [`FaceStep::since`] then returns the step.
    fn restore(_at: &mut Self::At, _then: &Self::At) -> Result<(), Mismatch> {
        Err(Mismatch)
    }

    /// Sets the face of a draft.
    fn put(at: Self::At, draft: &mut Draft<'_>);

    /// Returns the blob to report as damaged if the step does not fit the face, or `None` for the blob of the document.
    fn suspect(&self, way: Way, tree: &Tree) -> Option<BlobId>;

    /// Returns the blobs that an entry with this step needs, each with its file.
    fn kept(&self) -> Vec<(TreeFile, BlobId)>;

    /// Returns the places of the state that the step changes.
    fn state_paths(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the blobs that a file of the face names, or `None` if the file is damaged.
    fn named(_file: TreeFile, _blob: &Blob) -> Option<Vec<BlobId>> {
        Some(Vec::new())
    }
}
