//! The faces of a canvas.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Index, IndexMut};

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::path::TreePath;
use crate::model::revision::Revision;

/// What may change on a canvas. A face is a room of its own and one line here, in [`Face::ALL`] and in [`Face::path`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Face {
    /// The Markdown text.
    Document,
    /// The grid of components.
    Board,
    /// State, actions and assets.
    Surface,
    /// How data of the board and the surface were made, so that they can be made again.
    Recipe,
    /// Data of components that the recipe has made.
    Data,
}

impl Face {
    /// All faces, in the order in which heads list them.
    pub const ALL: [Self; 5] = [Self::Document, Self::Board, Self::Surface, Self::Recipe, Self::Data];

    /// Whether heads list the face also where the canvas never had it, as they did before there were others.
    const fn is_always_listed(self) -> bool {
        matches!(self, Self::Document | Self::Board | Self::Surface)
    }

    /// Where a tree has the face's root: the blob that leads to the rest of it.
    pub fn path(self) -> TreePath {
        match self {
            Self::Document => TreePath::document(),
            Self::Board => TreePath::board(),
            Self::Surface => TreePath::descriptor(),
            Self::Recipe => TreePath::recipe(),
            Self::Data => TreePath::data(),
        }
    }

    /// Whether this library reads and changes the face: the board with the feature `board`, the surface with `surface`, the
    /// recipe and its data with `recipe`.
    ///
    /// A canvas with a face that is not supported is opened, edited and promoted all the same, and that face stays as it
    /// is. Only what takes its changes back, or would have to know its blobs, is refused with `FACE_NOT_SUPPORTED`.
    pub const fn is_supported(self) -> bool {
        match self {
            Self::Document => true,
            Self::Board => cfg!(feature = "board"),
            Self::Surface => cfg!(feature = "surface"),
            Self::Recipe | Self::Data => cfg!(feature = "recipe"),
        }
    }

    /// The feature that brings it.
    const fn feature(self) -> &'static str {
        match self {
            Self::Document => "default",
            Self::Board => "board",
            Self::Surface => "surface",
            Self::Recipe | Self::Data => "recipe",
        }
    }
}

/// The name of the face in JSON.
impl fmt::Display for Face {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Document => "document",
            Self::Board => "board",
            Self::Surface => "surface",
            Self::Recipe => "recipe",
            Self::Data => "data",
        })
    }
}

/// The code of what can be no board. A build without boards reads refusals of one with them.
pub(crate) const INVALID_BOARD: &str = "INVALID_BOARD";

/// The code where this library does not support a face that it would have to read or change.
pub(crate) const FACE_NOT_SUPPORTED: &str = "FACE_NOT_SUPPORTED";

/// What to do about it.
pub(crate) fn not_supported(face: Face) -> String {
    let feature = face.feature();
    format!("this library was built without the {face}: build canvas-core with the feature `{feature}`")
}

/// A value for each face.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) struct PerFace<T>([T; Face::ALL.len()]);

impl PerFace<Revision> {
    /// No face has content.
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

/// An object with a member for each face, in their order. Of later faces it has those that the canvas has had.
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

/// A face that is not named has the default: it is younger than what is read.
impl<'de, T: Deserialize<'de> + Default> Deserialize<'de> for PerFace<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut named = BTreeMap::<Face, T>::deserialize(deserializer)?;
        Ok(Self(Face::ALL.map(|face| named.remove(&face).unwrap_or_default())))
    }
}
