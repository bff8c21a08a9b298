//! Commands on the board, and the board's part of the head.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::board::{
    Board, BoardEnv, BoardResult, BoardRules, BoardStep, CanvasCommand, CanvasEvent, GridPolicy, IdSource,
    StoredBoard, Workspace,
};
use crate::face::read_error::ReadError;
use crate::model::author::Author;
use crate::model::blob::Blob;
use crate::model::face::{Face, TreeFile};
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Revision, RevisionId};
use crate::transition::access::{access_of, author_text};
use crate::transition::command::sealed::Decide;
use crate::transition::command::{Command, Outcome};
use crate::transition::refusal::{BoardCommandRefusal, BoardRefusal, CreateBoardRefusal, NewBoardRefusal};
use crate::transition::rollout::Access;
use crate::transition::step::{Record, Stop, Transition};

/// Creates the board of the canvas.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateBoard {
    /// The initial content of the board.
    pub workspace: Box<Workspace>,
}

/// The answer to [`CreateBoard`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardCreated {
    /// Id of the document, which the new board does not change.
    pub revision: RevisionId,
}

/// Runs a command on the board. It needs no lease, because the lease covers only the document.
#[derive(Debug, Clone, PartialEq)]
pub struct RunBoardCommand {
    /// The author in whose name the command runs. A model can run commands only in its own running turn.
    pub by: Author,
    /// The command to run on the board's components, views or settings.
    pub command: Box<CanvasCommand>,
    /// The revision that the command was made for. If the board changed after it, the command is refused.
    pub base: Option<Revision>,
    /// The policy if the board lacks room for a component without a requested position. `None` uses the board rules. A
    /// retry may pass another policy and is still the same call.
    pub grid: Option<GridPolicy>,
}

/// The answer to a command on the board. The board either executed it or refused it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoardCommandRun {
    /// The board's own answer.
    pub result: Box<BoardResult>,
    /// The events for subscribers, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<CanvasEvent>,
    /// Id of the document, which the command does not change. For the board, see
    /// [`Head::face_revision`](crate::store::Head::face_revision).
    pub revision: RevisionId,
}

/// Encodes a board, or a command on it, as JSON, which is the one form that distinguishes all their fields.
fn json_text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("its maps have text for keys")
}

impl Command for CreateBoard {
    type Done = BoardCreated;
    type Refusal = CreateBoardRefusal;
}

impl Decide for CreateBoard {
    const NAME: &'static str = "create_board";
    const KIND: &'static str = "board_created";

    fn digest(&self) -> Digest {
        Digest::of(&[b"create_board", json_text(&self.workspace).as_bytes()])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<BoardCreated, Stop<CreateBoardRefusal>> {
        if at.head.board().is_some() {
            return Err(Stop::refused(NewBoardRefusal::BoardExists));
        }
        let board = Board::new(Workspace::clone(&self.workspace));
        let board =
            board.map_err(|e| Stop::refused(NewBoardRefusal::InvalidBoard { message: e.to_string() }))?;
        at.next_revision::<CreateBoardRefusal>()?;
        at.put_board(board.encode());
        Ok(BoardCreated { revision: at.head.revision_id() })
    }
}

impl Command for RunBoardCommand {
    type Done = BoardCommandRun;
    type Refusal = BoardCommandRefusal;
}

impl Decide for RunBoardCommand {
    const NAME: &'static str = "run_board_command";
    const KIND: &'static str = "board";
    const FILES: &'static [TreeFile] = &[TreeFile::Board];

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        let base = self.base.map_or_else(String::new, |base| base.get().to_string());
        let parts = ["board", &author_text(self.by), &json_text(&self.command), &base];
        Digest::of(&parts.map(str::as_bytes))
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<BoardCommandRun, Stop<BoardCommandRefusal>> {
        if matches!(self.by, Author::Assistant { .. }) {
            at.check_turn::<BoardCommandRefusal>(operation)?;
        }
        let mut board = Board::clone(&*at.board_now::<BoardCommandRefusal>()?);
        if let Some(base) = self.base
            && !at.head.is_current(Face::Board, base)
        {
            let current = at.head.face_revision(Face::Board);
            return Err(Stop::refused(BoardRefusal::StaleBoard { base, current }));
        }
        let (registry, now) = (&*at.view.types.components, at.view.clock);
        let rules = BoardRules { grid: self.grid.unwrap_or(at.policy.board.grid), ..at.policy.board };
        let mut env = BoardEnv { registry, rules, now, ids: IdSource::of(operation) };
        let executed = board.execute(&self.command, self.by.actor(), &mut env);
        if let Some(change) = executed.change {
            at.next_revision::<BoardCommandRefusal>()?;
            let before = at.head.board().unwrap_or_else(|| Blob::text(String::new()).id());
            let stored = board.encode();
            let after = stored.root.id();
            at.put_board(stored);
            if self.by == Author::User {
                at.head.user_revision = at.head.revision;
            }
            let (forward, patch) = (Some(change.forward), change.patch);
            let record = Record { actor: self.by.actor(), operation, summary: change.description };
            at.record(record, BoardStep { before, after, id: change.id, forward, patch }.into());
        }
        let (result, events) = (Box::new(executed.result), executed.events);
        Ok(BoardCommandRun { result, events, revision: at.head.revision_id() })
    }

    fn is_refusal(outcome: &Outcome<Self>) -> bool {
        !outcome.as_ref().is_ok_and(|run| run.result.is_success())
    }
}

impl Transition<'_> {
    /// Returns the view's board.
    pub(super) fn board_now<R: From<BoardRefusal>>(&self) -> Result<Arc<Board>, Stop<R>> {
        match self.view.files().get::<Board>(self.view.blobs).map_err(ReadError::missing) {
            Ok(board) => board.ok_or_else(|| Stop::refused(BoardRefusal::NoBoard)),
            Err(Ok(missing)) => Err(missing.into()),
            Err(Err(_)) => Err(Stop::refused(BoardRefusal::BoardDamaged)),
        }
    }

    /// Makes this the board of the head's current revision.
    pub(super) fn put_board(&mut self, board: StoredBoard) {
        let StoredBoard { root, parts, board } = board;
        self.head.draft.insert(TreeFile::Board.tree_path(), root.id());
        self.head.faces[Face::Board] = self.head.revision;
        self.blobs.extend(parts);
        self.blobs.push(root.clone());
        self.contents.put(root, board);
    }
}
