//! Commands on the board, and the board's part of the head.

use std::sync::Arc;

use crate::board::{
    Board, BoardEnv, BoardResult, CanvasCommand, IdSource, LoadError, StoredBoard, Workspace,
};
use crate::history::journal::{EntryKind, Step as Change};
use crate::model::author::Actor;
use crate::model::blob::Blob;
use crate::model::blob::Missing;
use crate::model::face::Face;
use crate::model::id::OpKey;
use crate::model::path::TreePath;
use crate::model::revision::Revision;
use crate::transition::decide::{Step, Stop};
use crate::transition::history::Record;
use crate::transition::outcome::Outcome;
use crate::transition::refusal::{Counter, Refusal};

impl Step<'_> {
    pub(super) fn create_board(&mut self, workspace: &Workspace) -> Result<Outcome, Stop> {
        if self.head.board().is_some() {
            return Err(Refusal::BoardExists.into());
        }
        let board = Board::new(workspace.clone());
        let board = board.map_err(|e| Refusal::InvalidBoard { message: e.to_string() })?;
        self.next_revision()?;
        self.put_board(board.encode());
        Ok(Outcome::BoardCreated { revision: self.head.revision_id() })
    }

    pub(super) fn board_command(
        &mut self,
        operation: &OpKey,
        by: Actor,
        command: &CanvasCommand,
        base: Option<Revision>,
    ) -> Result<Outcome, Stop> {
        let mut board = Board::clone(&*self.board_now()?);
        let current = self.head.face_revision(Face::Board);
        if let Some(base) = base.filter(|base| *base < current || *base > self.head.revision) {
            return Err(Refusal::StaleBoard { base, current }.into());
        }
        let (registry, rules, now) = (self.view.registry, self.policy.board, self.view.clock);
        let mut env = BoardEnv { registry, rules, now, ids: ids_of(operation) };
        let executed = board.execute(command, by, &mut env);
        if let Some(change) = executed.change {
            self.next_revision()?;
            let before = self.head.board().unwrap_or_else(|| Blob::text(String::new()).id());
            let kept = board.encode();
            let after = kept.root.id();
            self.put_board(kept);
            if by == Actor::User {
                self.head.user_revision = self.head.revision;
            }
            let summary = change.description;
            let step =
                Change::Board { before, after, id: change.id, forward: change.forward, patch: change.patch };
            self.record(Record { kind: EntryKind::Edit, actor: by, operation, summary }, step);
        }
        Ok(self.ran(executed.result, executed.events))
    }

    fn ran(&self, result: BoardResult, events: Vec<crate::board::CanvasEvent>) -> Outcome {
        Outcome::Board { result: Box::new(result), events, revision: self.head.revision_id() }
    }

    /// The board as it is in the view.
    pub(super) fn board_now(&self) -> Result<Arc<Board>, Stop> {
        let id = self.view.head.board().ok_or(Refusal::NoBoard)?;
        match self.view.contents.board(id, self.view.blobs) {
            Ok(board) => Ok(board),
            Err(LoadError::Missing(parts)) => Err(Missing(parts).into()),
            Err(LoadError::Damaged(_)) => Err(Refusal::BoardDamaged.into()),
        }
    }

    pub(super) fn next_revision(&mut self) -> Result<(), Stop> {
        let next = self.head.revision.next();
        self.head.revision = next.ok_or(Refusal::Exhausted { counter: Counter::Revision })?;
        Ok(())
    }

    /// Makes this the board of the revision that the head has.
    pub(super) fn put_board(&mut self, board: StoredBoard) {
        let StoredBoard { root, parts, board } = board;
        self.head.draft.insert(TreePath::board(), root.id());
        self.head.faces[Face::Board] = self.head.revision;
        self.blobs.extend(parts);
        self.blobs.push(root.clone());
        self.contents.put_board(root, board);
    }
}

/// Ids follow from the call, so that a retry that is decided anew makes the same ones.
pub(super) fn ids_of(operation: &OpKey) -> IdSource {
    let mut seed = Vec::new();
    for part in [operation.conversation.as_str(), operation.call.as_str()] {
        seed.extend_from_slice(&(part.len() as u64).to_le_bytes());
        seed.extend_from_slice(part.as_bytes());
    }
    seed.extend_from_slice(&operation.turn.get().to_le_bytes());
    IdSource::seeded(&seed)
}
