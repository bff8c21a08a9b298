//! All versions of a canvas, in pages by label, in the form that stores keep.

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use super::label::VersionLabel;
use crate::model::actor::Actor;
use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::face::Face;
use crate::model::json_text::json_text;
use crate::model::revision::{Revision, RevisionId};
use crate::model::tree::Tree;
use crate::model::unknown::Unknown;

/// Maximum number of versions of a canvas.
pub const MAX_VERSIONS: usize = 10_000;

/// Maximum length of a version's note in bytes.
pub const MAX_NOTE_BYTES: usize = 1_024;

/// Maximum number of versions in a page.
const PAGE: usize = 64;

/// A revision of a canvas with a label, which is kept until somebody removes it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct NamedVersion {
    /// Label of the version.
    pub label: VersionLabel,
    /// Revision of the canvas.
    pub revision: Revision,
    /// Revision id of the document.
    pub revision_id: RevisionId,
    /// Time at which the version was named, by the store's clock.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub at: Timestamp,
    /// The person or host that named the version.
    pub actor: Actor,
    /// A note for people. It has at most [`MAX_NOTE_BYTES`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Files of the revision; `None` if an erasure dropped them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, String>>"))]
    pub(crate) tree: Option<Tree>,
    #[serde(flatten)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    pub(crate) unknown: Unknown,
}

impl NamedVersion {
    /// Whether an erasure dropped the texts of the version, so that only its label is left.
    pub fn is_erased(&self) -> bool {
        self.tree.is_none()
    }

    /// Returns the faces that the version has. A version of an earlier revision lacks the faces that changed after it,
    /// except the document.
    pub fn faces(&self) -> Vec<Face> {
        self.tree.as_ref().map_or_else(Vec::new, Tree::faces)
    }
}

/// The pages of all versions, ordered by label.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct VersionIndex(Vec<ListedPage>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct ListedPage {
    /// The first label.
    first: VersionLabel,
    page: BlobId,
    count: usize,
}

/// The reason why the versions cannot be read.
#[derive(Debug)]
pub(crate) enum Unread {
    Missing(Missing),
    /// This blob is not a part of them.
    Damaged(BlobId),
}

impl From<Missing> for Unread {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

impl VersionIndex {
    /// Reads the index of a head. It is empty if the canvas has no versions.
    pub(crate) fn read<'a>(
        index: Option<BlobId>,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Self, Unread> {
        let Some(id) = index else { return Ok(Self::default()) };
        Self::of_blob(blob(id)?).ok_or(Unread::Damaged(id))
    }

    pub(crate) fn of_blob(blob: &Blob) -> Option<Self> {
        serde_json::from_str(blob.as_text()?).ok()
    }

    pub(crate) fn page_of_blob(blob: &Blob) -> Option<Vec<NamedVersion>> {
        serde_json::from_str(blob.as_text()?).ok()
    }

    pub(crate) fn pages(&self) -> impl Iterator<Item = BlobId> {
        self.0.iter().map(|listed| listed.page)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.iter().map(|listed| listed.count).sum()
    }

    /// Returns the page that has this label if any does.
    pub(crate) fn page_with(&self, label: &VersionLabel) -> Option<BlobId> {
        self.0.get(self.place(label)).map(|listed| listed.page)
    }

    fn place(&self, label: &VersionLabel) -> usize {
        self.0.partition_point(|listed| listed.first <= *label).saturating_sub(1)
    }

    pub(crate) fn find<'a>(
        &self,
        label: &VersionLabel,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
    ) -> Result<Option<NamedVersion>, Unread> {
        let Some(page) = self.page_with(label) else { return Ok(None) };
        let versions = Self::page_of_blob(blob(page)?).ok_or(Unread::Damaged(page))?;
        Ok(versions.into_iter().find(|version| version.label == *label))
    }

    /// Adds a version in place of one with the same label. Its page goes to `blobs`.
    pub(crate) fn put<'a>(
        &mut self,
        version: NamedVersion,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Unread> {
        let label = version.label.clone();
        self.change_page(&label, blob, blobs, |page| {
            match page.binary_search_by(|known| known.label.cmp(&label)) {
                Ok(at) => page[at] = version,
                Err(at) => page.insert(at, version),
            }
        })
    }

    /// Removes a version. Its page goes to `blobs`.
    pub(crate) fn remove<'a>(
        &mut self,
        label: &VersionLabel,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Unread> {
        self.change_page(label, blob, blobs, |page| page.retain(|version| version.label != *label))
    }

    fn change_page<'a>(
        &mut self,
        label: &VersionLabel,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
        change: impl FnOnce(&mut Vec<NamedVersion>),
    ) -> Result<(), Unread> {
        let place = self.place(label);
        let mut versions = match self.0.get(place).map(|listed| listed.page) {
            // A page of the same command is not stored yet.
            Some(page) => match blobs.iter().find(|blob| blob.id() == page) {
                Some(made) => Self::page_of_blob(made),
                None => Self::page_of_blob(blob(page)?),
            }
            .ok_or(Unread::Damaged(page))?,
            None => Vec::new(),
        };
        change(&mut versions);
        let size = if versions.len() > PAGE { versions.len().div_ceil(2) } else { PAGE };
        let pages = versions.chunks(size).filter_map(|versions| {
            let blob = Blob::text(json_text(&versions, 16 << 10));
            let listed =
                ListedPage { first: versions.first()?.label.clone(), page: blob.id(), count: versions.len() };
            blobs.push(blob);
            Some(listed)
        });
        let pages: Vec<_> = pages.collect();
        let end = (place + 1).min(self.0.len());
        self.0.splice(place..end, pages);
        Ok(())
    }

    /// Drops all notes, and the tree of each version with a file that these trees lack.
    pub(crate) fn erase<'a>(
        &mut self,
        live: &[&Tree],
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) -> Result<(), Unread> {
        let is_live =
            |tree: &Tree| tree.iter().all(|(path, id)| live.iter().any(|live| live.get(path) == Some(id)));
        let missing: Vec<_> = self.pages().filter(|page| blob(*page).is_err()).collect();
        if !missing.is_empty() {
            return Err(Missing::all(missing).into());
        }
        for listed in &mut self.0 {
            let mut versions = Self::page_of_blob(blob(listed.page)?).ok_or(Unread::Damaged(listed.page))?;
            for version in &mut versions {
                version.note = None;
                if !version.tree.as_ref().is_some_and(&is_live) {
                    version.tree = None;
                }
            }
            let page = Blob::text(json_text(&versions, 16 << 10));
            listed.page = page.id();
            blobs.push(page);
        }
        Ok(())
    }

    /// Encodes the index. Returns `None` if there is no version.
    pub(crate) fn put_index(&self, blobs: &mut Vec<Blob>) -> Option<BlobId> {
        if self.0.is_empty() {
            return None;
        }
        let blob = Blob::text(json_text(self, 4 << 10));
        let id = blob.id();
        blobs.push(blob);
        Some(id)
    }
}
