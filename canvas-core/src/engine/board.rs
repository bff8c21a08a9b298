//! The engine's component types and reads for boards.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::{Engine, Snapshot};
use crate::board::{Board, Registry};
use crate::model::face::TreeFile;
use crate::model::id::CanvasId;
use crate::store::contract::Store;

impl<S: Store> Engine<S> {
    /// Sets the component types of boards, in place of the built-in ones. Call this before you use the engine, see
    /// [`Engine::new`].
    #[must_use]
    pub fn with_registry(mut self, registry: Arc<Registry>) -> Self {
        self.types.components = registry;
        self.with_empty_cache()
    }

    /// Returns the component types of this engine.
    pub fn registry(&self) -> &Registry {
        &self.types.components
    }

    /// Returns the board of a canvas together with the current canvas. The board is `None` if the canvas does not have
    /// one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::snapshot`], and [`EngineError::Damaged`] if the board cannot be read.
    pub async fn board(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(Option<Arc<Board>>, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "board", None);
        let read = self.read(call.trace(), BoardTask, now).await;
        call.end(read)
    }
}

/// Reads the canvas and its board.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoardTask;

impl Task for BoardTask {
    type Answer = Option<Arc<Board>>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(&[TreeFile::Board])?;
        let board = context.files(row).get(context.blobs);
        board.map(Decision::Answer).map_err(|error| context.unread(error))
    }
}
