//! The files of a tree, for faces to read and write.

use std::sync::Arc;

use crate::face::contents::{Contents, FileContent};
use crate::face::fetched::Fetched;
use crate::face::read_error::ReadError;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::tree::Tree;

/// The loaded files of one tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Files<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) contents: &'a Contents,
    pub(crate) blobs: &'a Fetched,
}

impl<'a> Files<'a> {
    /// Decodes a file, once for all copies of the contents. `None` if the tree does not have the file.
    #[cfg_attr(
        not(any(feature = "board", feature = "surface")),
        expect(dead_code, reason = "a document is its text")
    )]
    pub(crate) fn get<T: FileContent>(&self, with: T::With<'_>) -> Result<Option<Arc<T>>, ReadError> {
        self.tree.file(T::FILE).map(|id| self.contents.get(id, with)).transpose()
    }

    /// Returns the blob with this id, for any file.
    pub(crate) fn blob(&self, id: BlobId) -> Result<&'a Blob, ReadError> {
        let blob = self.contents.blob(id).or_else(|| self.blobs.get(id));
        blob.ok_or_else(|| ReadError::Missing(vec![id]))
    }
}

/// A tree during a change, with its new blobs.
pub(crate) struct Draft<'a> {
    pub(crate) tree: &'a mut Tree,
    pub(crate) blobs: &'a mut Vec<Blob>,
    pub(crate) contents: &'a mut Contents,
    /// Contents of the tree before the change.
    pub(crate) older: &'a Contents,
}

impl Draft<'_> {
    /// Sets a file to a stored blob, or removes the file.
    pub(crate) fn set(&mut self, file: TreeFile, blob: Option<BlobId>) {
        match blob {
            Some(id) => self.tree.insert(file.tree_path(), id),
            None => self.tree.remove(&file.tree_path()),
        };
    }

    /// Puts a new blob and its decoded form.
    #[cfg_attr(
        not(any(feature = "board", feature = "surface")),
        expect(dead_code, reason = "a document is its text")
    )]
    pub(crate) fn put<T: FileContent>(&mut self, blob: Blob, content: Arc<T>) {
        self.set(T::FILE, Some(blob.id()));
        self.blobs.push(blob.clone());
        self.contents.put(blob, content);
    }
}
