//! The files that faces have in the tree of a canvas.

use crate::model::face::Face;
use crate::model::path::TreePath;

/// A file of a tree that faces read and write. A new one is a line here, in [`TreeFile::ALL`] and in both functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub enum TreeFile {
    /// The text.
    Document,
    /// The root of the board, which names its pages.
    Board,
    /// What describes the surface.
    Descriptor,
    /// Actions, bindings and jobs of the surface.
    Spec,
    /// The live state of the surface.
    State,
    /// The manifest of the surface's assets, which names their blobs.
    Assets,
    /// The recipe.
    Recipe,
    /// The manifest of what the recipe has made for components, which names their blobs.
    Data,
}

impl TreeFile {
    /// All files, face by face.
    pub(crate) const ALL: [Self; 8] = [
        Self::Document,
        Self::Board,
        Self::Descriptor,
        Self::Spec,
        Self::State,
        Self::Assets,
        Self::Recipe,
        Self::Data,
    ];

    /// Whose it is.
    pub(crate) const fn face(self) -> Face {
        match self {
            Self::Document => Face::Document,
            Self::Board => Face::Board,
            Self::Descriptor | Self::Spec | Self::State | Self::Assets => Face::Surface,
            Self::Recipe => Face::Recipe,
            Self::Data => Face::Data,
        }
    }

    /// Whether it names other blobs that the canvas needs.
    pub(crate) const fn names_blobs(self) -> bool {
        matches!(self, Self::Board | Self::Assets | Self::Data)
    }

    /// Where a tree has it.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Document => "document.md",
            Self::Board => "board.json",
            Self::Descriptor => "descriptor.json",
            Self::Spec => "spec.json",
            Self::State => "state/latest.json",
            Self::Assets => "assets",
            Self::Recipe => "recipe.json",
            Self::Data => "data.json",
        }
    }

    /// Where a tree has it, as a path.
    pub(crate) fn tree_path(self) -> TreePath {
        TreePath::try_from(self.path().to_owned()).expect("names without anything special")
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

impl<T> std::ops::Index<TreeFile> for PerFile<T> {
    type Output = T;

    fn index(&self, file: TreeFile) -> &T {
        &self.0[file as usize]
    }
}

impl<T> std::ops::IndexMut<TreeFile> for PerFile<T> {
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
            let root = TreeFile::ALL.into_iter().find(|file| file.face() == face).unwrap();
            assert_eq!(face.path(), root.tree_path());
        }
    }
}
