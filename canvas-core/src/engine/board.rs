//! What the engine does of boards.

use std::collections::BTreeMap;
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::walk::Walk;
use super::{Engine, Snapshot};
use crate::board::{Board, BoardPatch, LoadError, Registry};
use crate::model::blob::{BlobId, Missing};
use crate::model::file::TreeFile;
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
        let Some(id) = row.head.board() else { return Ok(Decision::Answer(None)) };
        match row.contents.board(id, context.blobs) {
            Ok(board) => Ok(Decision::Answer(Some(board))),
            Err(LoadError::Missing(parts)) => Err(Missing::all(parts).into()),
            Err(LoadError::Damaged(id)) => Err(context.run.damaged(id).into()),
        }
    }
}

/// The board at some entry of the journal, and its blob; nothing until an entry has touched it.
#[derive(Default)]
pub(super) struct BoardReplay(Option<(BlobId, Board)>);

impl BoardReplay {
    /// Plays one step, from one root blob to another, which it gives.
    pub(super) async fn play<S: Store>(
        &mut self,
        walk: &Walk<'_, S>,
        (before, after): (BlobId, BlobId),
        patch: &BoardPatch,
    ) -> Result<BlobId, EngineError> {
        let (id, mut board) = match self.0.take() {
            Some(board) => board,
            None => (before, walk.board(before).await?),
        };
        let played = (id == before && board.apply(patch).is_ok()).then(|| board.encode());
        let played = played.filter(|kept| kept.root.id() == after);
        let kept = played.ok_or_else(|| walk.damaged(after))?;
        self.0 = Some((after, Arc::unwrap_or_clone(kept.board)));
        Ok(after)
    }
}

impl<S: Store> Walk<'_, S> {
    /// The blobs that a board's root names.
    pub(super) async fn board_blobs(&self, id: BlobId) -> Result<Vec<BlobId>, EngineError> {
        let root = self.blob(id).await?;
        Board::named_blobs(&root).ok_or_else(|| self.damaged(id))
    }

    async fn board(&self, id: BlobId) -> Result<Board, EngineError> {
        let root = self.blob(id).await?;
        let mut parts = BTreeMap::new();
        loop {
            match Board::load(&root, |id| parts.get(&id)) {
                Ok(board) => return Ok(board),
                Err(LoadError::Damaged(id)) => return Err(self.damaged(id)),
                Err(LoadError::Missing(missing)) => {
                    let read = self.blobs(&missing).await?;
                    parts.extend(read.into_iter().map(|blob| (blob.id(), blob)));
                }
            }
        }
    }
}
