//! The loaded files of a canvas, one slot each.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use crate::face::fetched::Fetched;
use crate::face::read_error::ReadError;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::{PerFile, TreeFile};
use crate::model::head::Head;

/// A type decoded from the blob of a file.
pub(crate) trait FileContent: Any + Send + Sync {
    const FILE: TreeFile;

    /// The further input of decoding, in addition to the blob.
    type With<'a>;

    /// Decodes a blob.
    fn read(blob: &Blob, with: Self::With<'_>) -> Result<Self, ReadError>
    where
        Self: Sized;

    /// Estimates the bytes in memory in addition to the blob. The default is six for each byte of JSON.
    fn approximate_bytes(&self, blob: &Blob) -> usize {
        blob.as_bytes().len() * 6
    }
}

/// Parses a blob as text. A blob that cannot be parsed is damaged.
#[cfg(feature = "surface")]
pub(crate) fn parsed<T>(blob: &Blob, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, ReadError> {
    blob.as_text().and_then(parse).ok_or_else(|| ReadError::Damaged(blob.id()))
}

/// The loaded blobs of a canvas that calls need all the time, and a value that follows from its journal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Contents {
    /// The slot of a file that is not loaded is empty.
    files: PerFile<Option<Arc<Slot>>>,
    /// The loaded blobs of [`Head::indexes`].
    indexes: Vec<Blob>,
    attached: Option<Arc<Attached>>,
}

/// A value that follows from the journal, for example the blame of the document.
#[derive(Debug)]
struct Attached {
    /// The last entry, which names all earlier ones.
    last: Option<BlobId>,
    document: BlobId,
    value: Arc<dyn Any + Send + Sync>,
    approximate_bytes: usize,
}

impl Attached {
    fn is_of(&self, head: &Head) -> bool {
        self.last == head.journal.last && self.document == head.document()
    }
}

/// A file's blob, with its content once decoded.
///
/// Copies of contents share the slot, so that a file is decoded once for all of them.
#[derive(Debug)]
struct Slot {
    blob: Blob,
    content: OnceLock<Decoded>,
}

/// Decoded content, whose type follows from the file.
#[derive(Debug)]
struct Decoded {
    content: Arc<dyn Any + Send + Sync>,
    approximate_bytes: fn(&(dyn Any + Send + Sync), &Blob) -> usize,
}

impl Decoded {
    fn new<T: FileContent>(content: Arc<T>) -> Self {
        let approximate_bytes = |content: &(dyn Any + Send + Sync), blob: &Blob| {
            content.downcast_ref::<T>().map_or(0, |content| content.approximate_bytes(blob))
        };
        Self { content, approximate_bytes }
    }

    fn get<T: FileContent>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.content).downcast().ok()
    }
}

impl Slot {
    fn approximate_bytes(&self) -> usize {
        let decoded = self.content.get();
        let decoded = decoded.map_or(0, |decoded| (decoded.approximate_bytes)(&*decoded.content, &self.blob));
        self.blob.approximate_bytes() + decoded
    }

    /// Returns the content, decoding it on the first call.
    fn get<T: FileContent>(&self, with: T::With<'_>) -> Result<Arc<T>, ReadError> {
        let decoded = match self.content.get() {
            Some(decoded) => decoded,
            None => {
                let decoded = Decoded::new(Arc::new(T::read(&self.blob, with)?));
                // The first content stays, because both were decoded from the same blob.
                self.content.get_or_init(|| decoded)
            }
        };
        decoded.get().ok_or_else(|| ReadError::Damaged(self.blob.id()))
    }
}

/// The attached value follows from the journal, so that it need not be compared.
#[cfg(test)]
impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        (&self.files, &self.indexes) == (&other.files, &other.indexes)
    }
}

#[cfg(test)]
impl Eq for Contents {}

#[cfg(test)]
impl std::hash::Hash for Contents {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (&self.files, &self.indexes).hash(state);
    }
}

/// The content follows from the blob, so that the blob is enough to compare slots.
#[cfg(test)]
impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.blob == other.blob
    }
}

#[cfg(test)]
impl Eq for Slot {}

#[cfg(test)]
impl std::hash::Hash for Slot {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.blob.hash(state);
    }
}

impl Contents {
    /// Returns the blob of a file, if it has this id.
    pub(crate) fn file(&self, file: TreeFile, id: BlobId) -> Option<&Blob> {
        self.slot(file, id).map(|slot| &slot.blob)
    }

    fn slot(&self, file: TreeFile, id: BlobId) -> Option<&Arc<Slot>> {
        self.files[file].as_ref().filter(|slot| slot.blob.id() == id)
    }

    /// Returns all loaded blobs.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        self.files.iter().flatten().map(|slot| &slot.blob).chain(&self.indexes)
    }

    /// Returns the blob with this id.
    pub(crate) fn blob(&self, id: BlobId) -> Option<&Blob> {
        self.blobs().find(|blob| blob.id() == id)
    }

    /// Returns the approximate size in memory, in bytes.
    pub(crate) fn approximate_bytes(&self) -> usize {
        let files: usize = self.files.iter().flatten().map(|slot| slot.approximate_bytes()).sum();
        let attached = self.attached.as_ref().map_or(0, |attached| attached.approximate_bytes);
        files + self.indexes.iter().map(Blob::approximate_bytes).sum::<usize>() + attached
    }

    /// Returns the value attached at the document and the last journal entry of a head.
    pub(crate) fn attached<T: Any + Send + Sync>(&self, head: &Head) -> Option<Arc<T>> {
        let attached = self.attached.as_ref().filter(|attached| attached.is_of(head))?;
        Arc::clone(&attached.value).downcast().ok()
    }

    /// Attaches a value that follows from the journal, at a document and the last entry before it.
    pub(crate) fn attach<T: Any + Send + Sync>(
        &mut self,
        (last, document): (Option<BlobId>, BlobId),
        value: Arc<T>,
        approximate_bytes: usize,
    ) {
        self.attached = Some(Arc::new(Attached { last, document, value, approximate_bytes }));
    }

    pub(crate) fn document(&self) -> Option<&Blob> {
        self.files[TreeFile::Document].as_ref().map(|slot| &slot.blob)
    }

    /// Returns the content of this blob, decoded once for each slot.
    pub(crate) fn get<T: FileContent>(&self, id: BlobId, with: T::With<'_>) -> Result<Arc<T>, ReadError> {
        self.slot(T::FILE, id).ok_or_else(|| ReadError::Missing(vec![id]))?.get(with)
    }

    /// Returns the blob and the content of a file, if both are loaded.
    pub(crate) fn decoded<T: FileContent>(&self) -> Option<(&Blob, Arc<T>)> {
        let slot = self.files[T::FILE].as_ref()?;
        Some((&slot.blob, slot.content.get()?.get()?))
    }

    /// Takes a file's blob, which is decoded on demand.
    pub(crate) fn put_blob(&mut self, file: TreeFile, blob: Blob) {
        self.files[file] = Some(Arc::new(Slot { blob, content: OnceLock::new() }));
    }

    /// Takes a file's blob and its content.
    pub(crate) fn put<T: FileContent>(&mut self, blob: Blob, content: Arc<T>) {
        self.files[T::FILE] = Some(Arc::new(Slot { blob, content: Decoded::new(content).into() }));
    }

    /// Takes a file from other contents.
    pub(crate) fn share(&mut self, file: TreeFile, other: &Self) {
        self.files[file].clone_from(&other.files[file]);
    }

    /// Collects the contents of a head from these, then from `older`, then from `blobs`.
    pub(crate) fn of(self, head: &Head, older: Option<&Self>, blobs: &Fetched) -> Self {
        let mut contents = Self::default();
        for file in TreeFile::ALL {
            let Some(id) = head.file(file) else { continue };
            let known = [Some(&self), older].into_iter().flatten().find_map(|known| known.slot(file, id));
            match (known, blobs.get(id)) {
                (Some(slot), _) => contents.files[file] = Some(Arc::clone(slot)),
                (None, Some(blob)) => contents.put_blob(file, blob.clone()),
                (None, None) => {}
            }
        }
        for id in head.indexes() {
            let known = [Some(&self), older].into_iter().flatten().find_map(|known| known.blob(id));
            contents.indexes.extend(known.or_else(|| blobs.get(id)).cloned());
        }
        let mut known =
            [Some(&self), older].into_iter().flatten().filter_map(|known| known.attached.as_ref());
        contents.attached = known.find(|attached| attached.is_of(head)).cloned();
        contents
    }

    /// Takes the indexes of a head from blobs that are about to be stored with it.
    pub(crate) fn with_indexes(mut self, head: &Head, blobs: &[Blob]) -> Self {
        for id in head.indexes() {
            self.indexes.extend(blobs.iter().find(|blob| blob.id() == id).cloned());
        }
        self
    }
}
