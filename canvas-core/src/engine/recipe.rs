//! What the engine does of recipes and their data.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::walk::Walk;
use super::{Engine, Snapshot};
use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::file::TreeFile;
use crate::model::id::CanvasId;
use crate::model::tree::Tree;
use crate::recipe::{CanvasData, ComponentData, DataDiff, DataManifest, StoredRecipe};
use crate::store::contract::Store;
use crate::transition::contents::ReadError;

impl<S: Store> Engine<S> {
    /// The canvas as it is, and its recipe, compiled; `None` where it has none.
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`]; [`EngineError::Damaged`] where the recipe cannot be read.
    pub async fn recipe(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(Option<Arc<StoredRecipe>>, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "recipe", None);
        let read = self.read(call.trace(), RecipeTask, now).await;
        call.end(read)
    }

    /// The canvas as it is, and the data that its recipe has made. Linear in them, in two round trips.
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`]; [`EngineError::Damaged`] where data cannot be read.
    pub async fn data(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(CanvasData, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "data", None);
        let read = self.read(call.trace(), DataTask, now).await;
        call.end(read)
    }
}

/// See the canvas and its recipe.
#[derive(Debug, Clone, Copy)]
struct RecipeTask;

impl Task for RecipeTask {
    type Answer = Option<Arc<StoredRecipe>>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(&[TreeFile::Recipe])?;
        let recipe = row.head.file(TreeFile::Recipe).map(|id| row.contents.recipe(id)).transpose();
        recipe.map(Decision::Answer).map_err(|error| unread(context, error))
    }
}

/// See the canvas and its data.
#[derive(Debug, Clone, Copy)]
struct DataTask;

impl Task for DataTask {
    type Answer = CanvasData;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(&[TreeFile::Data])?;
        let Some(id) = row.head.file(TreeFile::Data) else {
            return Ok(Decision::Answer(CanvasData::default()));
        };
        let manifest = row.contents.manifest(id).map_err(|error| unread(context, error))?;
        let missing: Vec<_> = manifest.blobs().filter(|id| context.blobs.get(*id).is_none()).collect();
        if !missing.is_empty() {
            return Err(Missing::all(missing).into());
        }
        let mut data = CanvasData::default();
        for (component, entry) in manifest.iter() {
            let blob = entry.data.and_then(|stored| context.blobs.get(stored.blob));
            let read = ComponentData::read(entry, blob);
            let read = read.ok_or_else(|| context.run.damaged(blob.map_or(id, Blob::id)))?;
            data.components.insert(component.clone(), read);
        }
        Ok(Decision::Answer(data))
    }
}

fn unread(context: &DecisionContext<'_>, error: ReadError) -> Blocked {
    match error {
        ReadError::Missing(id) => Missing::all(vec![id]).into(),
        ReadError::Damaged(id) => context.run.damaged(id).into(),
    }
}

/// The recipe and its data at some entry of the journal.
pub(super) struct RecipeReplay {
    recipe: Option<BlobId>,
    manifest: DataManifest,
}

impl RecipeReplay {
    /// Those of the head of a walk.
    pub(super) async fn of<S: Store>(walk: &Walk<'_, S>) -> Result<Self, EngineError> {
        let draft = walk.head.draft();
        let manifest = match draft.file(TreeFile::Data) {
            Some(id) => walk.manifest(id).await?,
            None => DataManifest::default(),
        };
        Ok(Self { recipe: draft.file(TreeFile::Recipe), manifest })
    }

    /// Plays a change of the recipe.
    pub(super) fn play<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        (before, after): (Option<BlobId>, Option<BlobId>),
    ) -> Result<(), EngineError> {
        if self.recipe != before {
            let damaged = self.recipe.or(before).unwrap_or_else(|| walk.head.document());
            return Err(walk.damaged(damaged));
        }
        self.recipe = after;
        Ok(())
    }

    /// Plays a change of the data.
    pub(super) fn play_data<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        diff: &DataDiff,
    ) -> Result<(), EngineError> {
        let id = walk.head.draft().file(TreeFile::Data).unwrap_or_else(|| walk.head.document());
        self.manifest.apply(diff).map_err(|_| walk.damaged(id))
    }

    /// Makes them those of a tree.
    pub(super) fn put(&self, tree: &mut Tree) {
        let manifest = (!self.manifest.is_empty()).then(|| Blob::text(self.manifest.to_json()).id());
        for (file, blob) in [(TreeFile::Recipe, self.recipe), (TreeFile::Data, manifest)] {
            match blob {
                Some(blob) => tree.insert(file.tree_path(), blob),
                None => tree.remove(&file.tree_path()),
            };
        }
    }
}

impl<S: Store> Walk<'_, S> {
    /// The blobs that a manifest of data names.
    pub(super) async fn data_blobs(&self, manifest: BlobId) -> Result<Vec<BlobId>, EngineError> {
        Ok(self.manifest(manifest).await?.blobs().collect())
    }

    async fn manifest(&self, id: BlobId) -> Result<DataManifest, EngineError> {
        let blob = self.blob(id).await?;
        blob.as_text().and_then(DataManifest::read).ok_or_else(|| self.damaged(id))
    }
}
