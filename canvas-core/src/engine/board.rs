//! What the engine does of boards.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::{Engine, Snapshot};
use crate::board::{Board, Registry};
use crate::model::face::TreeFile;
use crate::model::id::CanvasId;
use crate::store::contract::Store;
use crate::transition::policy::Policy;
use crate::transition::view::Types;

impl<S: Store> Engine<S> {
    /// An engine on a store, with other types of components.
    pub fn with_registry(store: S, policy: Policy, registry: Arc<Registry>) -> Self {
        Self::with_types(store, policy, Types::default().with_components(registry))
    }

    /// The types of components.
    pub fn registry(&self) -> &Registry {
        &self.types.components
    }

    /// The canvas as it is, and its board; `None` where it has none.
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`]; [`EngineError::Damaged`] where the board cannot be read.
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

/// See the canvas and its board.
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
