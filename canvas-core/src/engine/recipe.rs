//! The engine's reads of recipes and their data.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::{Engine, Snapshot};
use crate::model::blob::{Blob, Missing};
use crate::model::face::TreeFile;
use crate::model::id::CanvasId;
use crate::recipe::{CanvasData, ComponentData, DataManifest, StoredRecipe};
use crate::store::contract::Store;

impl<S: Store> Engine<S> {
    /// Returns the compiled recipe of a canvas together with the current canvas. The recipe is `None` if the canvas
    /// does not have one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::snapshot`], and [`EngineError::Damaged`] if the recipe cannot be read.
    pub async fn recipe(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(Option<Arc<StoredRecipe>>, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "recipe", None);
        let read = self.read(call.trace(), RecipeTask, now).await;
        call.end(read)
    }

    /// Returns the data that the recipe of a canvas produced, together with the current canvas. It is linear in the
    /// data and takes two round trips.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::snapshot`], and [`EngineError::Damaged`] if data cannot be read.
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

/// Reads the canvas and its recipe.
#[derive(Debug, Clone, Copy)]
struct RecipeTask;

impl Task for RecipeTask {
    type Answer = Option<Arc<StoredRecipe>>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(&[TreeFile::Recipe])?;
        context.files(row).get(()).map(Decision::Answer).map_err(|error| context.unread(error))
    }
}

/// Reads the canvas and its data.
#[derive(Debug, Clone, Copy)]
struct DataTask;

impl Task for DataTask {
    type Answer = CanvasData;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(&[TreeFile::Data])?;
        let Some(id) = row.head.file(TreeFile::Data) else {
            return Ok(Decision::Answer(CanvasData::default()));
        };
        let manifest = context.files(row).get::<DataManifest>(()).map_err(|error| context.unread(error))?;
        let manifest = manifest.unwrap_or_default();
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
