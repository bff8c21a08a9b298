//! The faces of a canvas: their steps in the journal, and their values while steps act on them.

use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::document::step::DocumentStep;
use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{FaceStep, Mismatch, StepSeed, Way};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::track::{RevertConflict, Track};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::{Face, TreeFile};
use crate::model::tree::Tree;

/// Declares the faces. Each has the type of its steps, the field that holds it while steps act on it, and its feature.
macro_rules! faces {
    ($($(#[doc = $doc:literal])* $(#[cfg($($gate:tt)*)])? $face:ident($step:ty) $field:ident;)*) => {
        /// The change that an entry made to a face.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "face", rename_all = "snake_case", remote = "Self")]
        #[non_exhaustive]
        pub enum Step {
            $(
                $(#[doc = $doc])*
                $(#[cfg($($gate)*)])?
                $face($step),
            )*
            /// A change of a face that this library does not support ([`Face::is_supported`]).
            #[serde(skip)]
            Unsupported {
                /// The face that the step changed.
                face: Face,
                /// The stored step in JSON, verbatim.
                json: Box<str>,
            },
        }

        $(
            $(#[cfg($($gate)*)])?
            impl From<$step> for Step {
                fn from(step: $step) -> Self {
                    Self::$face(step)
                }
            }
        )*

        impl Step {
            /// Returns the face that the step changed.
            pub const fn face(&self) -> Face {
                match self {
                    $($(#[cfg($($gate)*)])? Self::$face(_) => Face::$face,)*
                    Self::Unsupported { face, .. } => *face,
                }
            }

            /// Returns the inverse step, or `None` if the face is not supported.
            pub fn inverse(&self) -> Option<Self> {
                match self {
                    $($(#[cfg($($gate)*)])? Self::$face(step) => Some(Self::$face(FaceStep::inverse(step))),)*
                    Self::Unsupported { .. } => None,
                }
            }

            /// Returns the blob to report as damaged if the step does not fit its face, or `None` for the blob of the
            /// document.
            pub(crate) fn suspect(&self, way: Way, tree: &Tree) -> Option<BlobId> {
                match self {
                    $($(#[cfg($($gate)*)])? Self::$face(step) => step.suspect(way, tree),)*
                    Self::Unsupported { .. } => None,
                }
            }

            /// Returns the blobs that the entry needs, each with its file.
            pub(crate) fn kept(&self) -> Vec<(TreeFile, BlobId)> {
                match self {
                    $($(#[cfg($($gate)*)])? Self::$face(step) => step.kept(),)*
                    Self::Unsupported { .. } => Vec::new(),
                }
            }

            /// Returns the places of the state that the step changed.
            pub(crate) fn state_paths(&self) -> Vec<&str> {
                match self {
                    $($(#[cfg($($gate)*)])? Self::$face(step) => step.state_paths(),)*
                    Self::Unsupported { .. } => Vec::new(),
                }
            }

            fn read(face: Face, json: Box<RawValue>) -> serde_json::Result<Self> {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    return serde_json::from_str(json.get()).map(Self::$face);
                })*
                Ok(Self::Unsupported { face, json: json.into() })
            }
        }

        /// The faces of a canvas while steps act on them. A face stays empty until a step touches it.
        #[derive(Clone, Default)]
        pub(crate) struct Faces {
            $($(#[cfg($($gate)*)])? pub(crate) $field: Track<$step>,)*
        }

        impl Faces {
            /// Reads the blobs that a step needs.
            pub(crate) fn read(&mut self, way: Way, step: &Step, files: &Files<'_>) -> Result<(), ReadError> {
                match step {
                    $($(#[cfg($($gate)*)])? Step::$face(step) => self.$field.read(way, step, files),)*
                    Step::Unsupported { .. } => Ok(()),
                }
            }

            /// Plays a step on the faces that it was made on. All its blobs must have been read.
            pub(crate) fn play(&mut self, way: Way, step: &Step, files: &Files<'_>) -> Result<(), Mismatch> {
                match step {
                    $($(#[cfg($($gate)*)])? Step::$face(step) => self.$field.play(way, step, files),)*
                    Step::Unsupported { .. } => Err(Mismatch),
                }
            }

            /// Adds the next older change, which stays.
            pub(crate) fn keep(&mut self, of: (EntryNumber, ChangeNumber), step: &Step) {
                match step {
                    $($(#[cfg($($gate)*)])? Step::$face(step) => self.$field.keep(of, step),)*
                    // The step touches no other face.
                    Step::Unsupported { .. } => {}
                }
            }

            /// Leaves out the next older change together with the later entry `undoing`, if that undid exactly this
            /// change. Otherwise keeps both.
            pub(crate) fn cancel(&mut self, of: (EntryNumber, ChangeNumber), step: &Step, undoing: EntryNumber) {
                match step {
                    $($(#[cfg($($gate)*)])? Step::$face(step) => self.$field.cancel(of, step, undoing),)*
                    Step::Unsupported { .. } => {}
                }
            }

            /// Returns the number of later steps of a face that stay.
            pub(crate) fn later(&self, face: Face) -> usize {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    return self.$field.later();
                })*
                0
            }

            /// Reverts the next older change, from under those added by [`Faces::keep`].
            pub(crate) fn revert(&mut self, change: ChangeNumber, step: &Step) -> Result<(), RevertConflict> {
                match step {
                    $($(#[cfg($($gate)*)])? Step::$face(step) => self.$field.revert(change, step),)*
                    Step::Unsupported { .. } => Err(RevertConflict::Mismatch),
                }
            }

            /// Reads a face of a tree. Returns whether the tree has it, which is never so for a face that is not restored.
            pub(crate) fn load(&mut self, face: Face, files: &Files<'_>) -> Result<bool, ReadError> {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    return self.$field.load(files);
                })*
                Ok(false)
            }

            /// Makes a face equal to an earlier one. [`Faces::since`] then returns the step.
            pub(crate) fn restore(&mut self, face: Face, then: &Self) -> Result<(), Mismatch> {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    return self.$field.restore(&then.$field);
                })*
                Err(Mismatch)
            }

            /// Checks that a face matches the steps, and builds its root blob.
            pub(crate) fn seal(&mut self, face: Face) -> Result<(), Mismatch> {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    return self.$field.seal();
                })*
                Ok(())
            }

            /// Returns the single step that the reverts since the last such call made on a face, with the reverted
            /// changes, or `None` if the face is unchanged.
            pub(crate) fn since(&mut self, face: Face, seed: &StepSeed<'_>) -> Option<(Step, Vec<ChangeNumber>)> {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    let (step, changes) = self.$field.since(seed)?;
                    return Some((step.into(), changes));
                })*
                None
            }

            /// Puts a face into a draft. Returns `false` if the face was never touched by a step.
            pub(crate) fn put(&mut self, face: Face, draft: &mut Draft<'_>) -> bool {
                $($(#[cfg($($gate)*)])? if face == Face::$face {
                    return self.$field.put(draft);
                })*
                false
            }
        }

        /// Returns the blobs that a file names, or `None` if the file is damaged.
        pub(crate) fn named(file: TreeFile, blob: &Blob) -> Option<Vec<BlobId>> {
            $($(#[cfg($($gate)*)])? if file.face() == Face::$face {
                return <$step>::named(file, blob);
            })*
            Some(Vec::new())
        }
    };
}

faces! {
    /// A change of the document.
    Document(DocumentStep) document;
    /// A change of the board.
    #[cfg(feature = "board")]
    Board(crate::board::BoardStep) board;
    /// A change of the surface.
    #[cfg(feature = "surface")]
    Surface(crate::surface::SurfaceDiff) surface;
    /// A change of the recipe.
    #[cfg(feature = "recipe")]
    Recipe(crate::recipe::RecipeReplaced) recipe;
    /// A change of the data produced by a recipe.
    #[cfg(feature = "recipe")]
    Data(crate::recipe::DataDiff) data;
}

impl Step {
    pub(crate) fn document(&self) -> Option<&DocumentStep> {
        match self {
            Self::Document(step) => Some(step),
            _ => None,
        }
    }
}

impl Faces {
    /// Reads the blobs that steps need. Returns those not loaded yet.
    pub(crate) fn read_all<'s>(
        &mut self,
        way: Way,
        steps: impl IntoIterator<Item = &'s Step>,
        files: &Files<'_>,
    ) -> Vec<BlobId> {
        let mut missing = Vec::new();
        for step in steps {
            // Damage is found again when the step is played.
            if let Err(ReadError::Missing(ids)) = self.read(way, step, files) {
                missing.extend(ids);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        missing
    }
}

#[cfg(feature = "board")]
impl Faces {
    /// Returns the events of the last step on a face.
    pub(crate) fn events(&self, face: Face) -> Vec<crate::board::CanvasEvent> {
        match (face, &self.board.at) {
            (Face::Board, Some(at)) => at.events(),
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

/// Reads JSON only, and keeps the text of an unsupported step. Reads the tag first, because otherwise serde would
/// buffer the whole of a long change.
impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag {
            face: Face,
        }
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let Tag { face } = serde_json::from_str(json.get()).map_err(D::Error::custom)?;
        Self::read(face, json).map_err(D::Error::custom)
    }
}
