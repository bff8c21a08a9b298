//! The faces of a canvas, and their files in its tree.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Index, IndexMut};

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::path::TreePath;
use crate::model::revision::Revision;

/// Lists the faces in the order in which heads contain them. Each has its name in JSON, its feature, and its files,
/// with the root first. `naming` marks a file that names other blobs which the canvas needs.
macro_rules! faces {
    ($(
        $(#[doc = $doc:literal])*
        $face:ident = $name:literal $(if $feature:literal)? {
            $($(#[doc = $file_doc:literal])* $file:ident = $path:literal $($naming:ident)?;)*
        }
    )*) => {
        /// A part of a canvas that changes by its own commands.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum Face {
            $($(#[doc = $doc])* $face,)*
        }

        impl Face {
            /// All faces, in the order in which heads list them.
            pub const ALL: [Self; [$(Self::$face),*].len()] = [$(Self::$face),*];

            /// Whether this library reads and changes the face. The board needs the feature `board`, the surface
            /// `surface`, and the recipe and its data need `recipe`.
            ///
            /// A canvas with an unsupported face can still be opened, edited and promoted, and that face stays
            /// unchanged. Only an operation that would undo its changes, or need to know its blobs, is refused with
            /// `FACE_NOT_SUPPORTED`.
            pub const fn is_supported(self) -> bool {
                match self {
                    $(Self::$face => true $(&& cfg!(feature = $feature))?,)*
                }
            }

            /// Returns the name in JSON.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$face => $name,)*
                }
            }

            /// Returns the feature that enables the face; empty if every build has it.
            const fn feature(self) -> &'static str {
                match self {
                    $(Self::$face => concat!($($feature)?),)*
                }
            }

            /// Returns the file that leads to the other files.
            const fn root(self) -> TreeFile {
                match self {
                    $(Self::$face => [$(TreeFile::$file),*][0],)*
                }
            }
        }

        /// A file of a tree that faces read and write.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
        pub enum TreeFile {
            $($($(#[doc = $file_doc])* $file,)*)*
        }

        impl TreeFile {
            /// All files, grouped by face.
            pub(crate) const ALL: [Self; [$($(Self::$file),*),*].len()] = [$($(Self::$file),*),*];

            pub(crate) const fn face(self) -> Face {
                match self {
                    $($(Self::$file => Face::$face,)*)*
                }
            }

            pub(crate) const fn path(self) -> &'static str {
                match self {
                    $($(Self::$file => $path,)*)*
                }
            }

            /// Whether it names other blobs that the canvas needs.
            pub(crate) const fn names_blobs(self) -> bool {
                match self {
                    $($(Self::$file => !stringify!($($naming)?).is_empty(),)*)*
                }
            }
        }
    };
}

faces! {
    /// The Markdown text, which every canvas has.
    Document = "document" {
        /// The Markdown text of the document.
        Document = "document.md";
    }
    /// The grid of components, with its saved views and settings.
    Board = "board" if "board" {
        /// The root of the board, which names its pages.
        Board = "board.json" naming;
    }
    /// State, actions and assets.
    Surface = "surface" if "surface" {
        /// The description of the surface.
        Descriptor = "descriptor.json";
        /// Actions, bindings and jobs of the surface.
        Spec = "spec.json";
        /// The live state of the surface.
        State = "state/latest.json";
        /// The manifest of the surface's assets, which names their blobs.
        Assets = "assets" naming;
    }
    /// The recipe that produces data of the board and the surface, and can refresh them.
    Recipe = "recipe" if "recipe" {
        /// The recipe as JSON.
        Recipe = "recipe.json";
    }
    /// The data of components that the recipe produces.
    Data = "data" if "recipe" {
        /// The manifest of these data, which names their blobs.
        Data = "data.json" naming;
    }
    /// Changes of the document that wait for a decision. They are on no stack of undo, and no tree has them.
    Proposals = "proposals" {
        /// The parts of all proposals, in the head itself.
        Proposals = "proposals.json";
    }
}

impl Face {
    /// Whether heads list the face even if the canvas never had it, as they did before other faces existed.
    const fn is_always_listed(self) -> bool {
        matches!(self, Self::Document | Self::Board | Self::Surface)
    }

    /// Returns the path of the face's root, the blob that leads to the others.
    pub fn path(self) -> TreePath {
        self.root().tree_path()
    }
}

impl TreeFile {
    pub(crate) fn tree_path(self) -> TreePath {
        TreePath::try_from(self.path().to_owned()).expect("names without anything special")
    }
}

/// Formats the name of the face in JSON.
impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error code of an invalid board. Builds without boards know it too, because they may read refusals that have it.
pub(crate) const INVALID_BOARD: &str = "INVALID_BOARD";

/// The code if this library does not support a face that it would have to read or change.
pub(crate) const FACE_NOT_SUPPORTED: &str = "FACE_NOT_SUPPORTED";

/// Returns the advice for [`FACE_NOT_SUPPORTED`].
pub(crate) fn not_supported(face: Face) -> String {
    let feature = face.feature();
    format!("this library was built without the {face}: build canvas-core with the feature `{feature}`")
}

/// A value for each face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct PerFace<T>([T; Face::ALL.len()]);

impl PerFace<Revision> {
    /// The state in which no face has content.
    pub(crate) const NOTHING: Self = Self([Revision::ZERO; Face::ALL.len()]);
}

impl<T> PerFace<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Face, &T)> {
        Face::ALL.into_iter().zip(&self.0)
    }
}

impl<T> Index<Face> for PerFace<T> {
    type Output = T;

    fn index(&self, face: Face) -> &T {
        &self.0[face as usize]
    }
}

impl<T> IndexMut<Face> for PerFace<T> {
    fn index_mut(&mut self, face: Face) -> &mut T {
        &mut self.0[face as usize]
    }
}

/// Writes an object with a member for each face, in their order. Faces from later versions are included only if their
/// value is not the default.
impl<T: Serialize + Default + PartialEq> Serialize for PerFace<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let listed = |(face, value): &(Face, &T)| face.is_always_listed() || **value != T::default();
        for (face, value) in self.iter().filter(listed) {
            map.serialize_entry(&face, value)?;
        }
        map.end()
    }
}

/// A face without a member has the default, because it is newer than the writer.
impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for PerFace<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut named = BTreeMap::<Face, T>::deserialize(deserializer)?;
        Ok(Self(Face::ALL.map(|face| named.remove(&face).unwrap_or_default())))
    }
}

/// A value for each file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct PerFile<T>([T; TreeFile::ALL.len()]);

impl<T> PerFile<T> {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }
}

impl<T> Index<TreeFile> for PerFile<T> {
    type Output = T;

    fn index(&self, file: TreeFile) -> &T {
        &self.0[file as usize]
    }
}

impl<T> IndexMut<TreeFile> for PerFile<T> {
    fn index_mut(&mut self, file: TreeFile) -> &mut T {
        &mut self.0[file as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_paths_of_trees_and_faces_have_their_roots_among_them() {
        for (place, file) in TreeFile::ALL.into_iter().enumerate() {
            assert_eq!((file as usize, file.tree_path().as_str()), (place, file.path()));
        }
        for face in Face::ALL {
            assert_eq!(serde_json::to_string(&face).unwrap(), format!("\"{face}\""));
            let root = TreeFile::ALL.into_iter().find(|file| file.face() == face).unwrap();
            assert_eq!(face.path(), root.tree_path());
        }
    }
}
