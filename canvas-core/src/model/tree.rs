//! The files of a canvas at one moment.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::blob::BlobId;
use crate::model::face::{Face, TreeFile};
use crate::model::path::TreePath;

/// A map from paths to blobs, in the order of the paths.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tree(BTreeMap<TreePath, BlobId>);

impl Tree {
    /// Returns the blob at a path.
    pub fn get(&self, path: &TreePath) -> Option<BlobId> {
        self.0.get(path).copied()
    }

    /// Returns the blob of a face's file.
    pub(crate) fn file(&self, file: TreeFile) -> Option<BlobId> {
        self.0.get(file.path()).copied()
    }

    /// Returns the faces that have a file, in the order of [`Face::ALL`].
    pub(crate) fn faces(&self) -> Vec<Face> {
        let has = |face: &Face| {
            TreeFile::ALL.into_iter().any(|file| file.face() == *face && self.file(file).is_some())
        };
        Face::ALL.into_iter().filter(has).collect()
    }

    /// Puts a blob at a path and returns the previous one.
    pub fn insert(&mut self, path: TreePath, blob: BlobId) -> Option<BlobId> {
        self.0.insert(path, blob)
    }

    /// Removes a path and returns its blob.
    pub fn remove(&mut self, path: &TreePath) -> Option<BlobId> {
        self.0.remove(path)
    }

    /// Returns all paths with their blobs, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&TreePath, BlobId)> {
        self.0.iter().map(|(path, blob)| (path, *blob))
    }

    /// Computes a single hash of the whole tree. Two trees have the same hash if and only if their paths and contents
    /// are equal.
    pub fn hash(&self) -> BlobId {
        let mut bytes = Vec::new();
        for (path, blob) in &self.0 {
            // The length first, so that no path runs into the hash after it.
            bytes.extend_from_slice(&(path.as_str().len() as u64).to_be_bytes());
            bytes.extend_from_slice(path.as_str().as_bytes());
            bytes.extend_from_slice(blob.as_bytes());
        }
        BlobId::of(&bytes)
    }
}
