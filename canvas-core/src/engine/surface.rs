//! What the engine does of surfaces.

use super::error::EngineError;
use super::walk::Walk;
use crate::history::journal::Entry;
use crate::history::step::Step;
use crate::model::blob::{Blob, BlobId};
use crate::model::file::TreeFile;
use crate::model::tree::Tree;
use crate::store::contract::Store;
use crate::surface::diff::SurfaceFiles;
use crate::surface::{Assets, SurfaceDiff, SurfaceFile, SurfaceState};

/// The surface at some entry of the journal.
pub(super) struct SurfaceReplay(SurfaceFiles);

impl SurfaceReplay {
    /// That of a tree. Its state is read when an entry has changed it.
    pub(super) fn of(tree: &Tree) -> Self {
        Self(SurfaceFiles::of(tree))
    }

    /// Plays one change.
    pub(super) async fn play<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        diff: &SurfaceDiff,
    ) -> Result<(), EngineError> {
        let id = walk.head.draft().file(TreeFile::State);
        if let (false, None, Some(id)) = (diff.state.is_empty(), &self.0.state, id) {
            let blob = walk.blob(id).await?;
            let state = blob.as_text().and_then(SurfaceState::read);
            self.0.state = Some(state.ok_or_else(|| walk.damaged(id))?);
        }
        self.0.apply(diff).map_err(|_| walk.damaged(id.unwrap_or_else(|| walk.head.document())))
    }

    /// Makes it the surface of a tree.
    pub(super) fn put(&self, tree: &mut Tree) {
        for file in SurfaceFile::ALL {
            let path = file.of_tree().tree_path();
            match self.0.file(file) {
                Some(blob) => tree.insert(path, blob),
                None => tree.remove(&path),
            };
        }
        if let Some(state) = &self.0.state {
            tree.insert(TreeFile::State.tree_path(), Blob::text(state.to_json()).id());
        }
    }
}

impl<S: Store> Walk<'_, S> {
    /// The blobs that a manifest of assets names.
    pub(super) async fn asset_blobs(&self, manifest: BlobId) -> Result<Vec<BlobId>, EngineError> {
        let blob = self.blob(manifest).await?;
        let assets = blob.as_text().and_then(Assets::read).ok_or_else(|| self.damaged(manifest))?;
        Ok(assets.iter().map(|(_, asset)| asset.blob).collect())
    }

    /// The blobs of the assets that an entry has put or taken away.
    pub(super) async fn assets_of(&self, entry: &Entry) -> Result<Vec<BlobId>, EngineError> {
        let mut blobs = Vec::new();
        if let Step::Surface(diff) = &entry.step
            && let Some(change) = diff.of_file(SurfaceFile::Assets)
        {
            for manifest in [change.before, change.after].into_iter().flatten() {
                blobs.extend(self.asset_blobs(manifest).await?);
            }
        }
        Ok(blobs)
    }
}
