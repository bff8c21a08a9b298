//! Runs a checked call on the engine.

use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{
    Board, BoardCommandRun, BoardResult, CanvasEvent, ComponentId, ComponentInstance, RunBoardCommand,
};
use canvas_core::history::{HistoryEntry, HistoryMove, HistoryRefusal, Redo, Undo, UndoRefusal, UndoScope};
use canvas_core::refusal::{BoardRefusal, NotAvailable};
use canvas_core::store::Store;
use canvas_core::{Author, BlobId, CallId, Refused, Revision, RevisionId, Role, Snapshot};
use serde_json::Value;

use super::arguments::RequestAction;
use super::check::{Change, CheckedCall};
use super::dry_run::{DryRun, is_correctable};
use super::tool::{BoardTools, Tool};
use crate::reply::{ActionRequest, ToolError};
use crate::session::plan::Plan;
use crate::toolset::call::ToolCall;
use crate::toolset::context::ToolContext;

/// A call, with everything that is needed to run it.
#[derive(Debug)]
pub(super) struct BoardToolContext<'a, S> {
    pub(super) context: ToolContext<'a, S>,
    pub(super) toolset: BoardTools,
    pub(super) tool: Tool,
    pub(super) call: &'a ToolCall,
}

/// The outcome of a call, from which its reply is made.
#[derive(Debug)]
pub(super) enum BoardOutcome {
    /// The change was made, or it was not necessary.
    Changed { change: Change, result: Box<BoardResult>, events: Vec<CanvasEvent>, revision: RevisionId },
    /// The board refused the command. `corrected` is a call that it would accept.
    Rejected { change: Change, result: Box<BoardResult>, corrected: Option<Value> },
    /// The host should fetch the component's data again.
    Refreshed(ComponentInstance),
    /// The host should ask the user to run an action.
    Requested { request: ActionRequest, requires_selection: bool },
    /// Changes were undone or redone.
    Stepped {
        direction: Direction,
        steps: NonZeroU32,
        entries: Vec<HistoryEntry>,
        events: Vec<CanvasEvent>,
        revision: RevisionId,
    },
    /// The change was only tried. `after` is the board that would result.
    Planned { id: String, change: Change, result: Box<BoardResult>, after: Box<Board> },
    /// The reply should list the board, starting after the given component.
    Shown { board: Arc<Board>, after: Option<ComponentId> },
    /// The user made these changes since the turn began, so the undo did not run.
    UserActed(Vec<HistoryEntry>),
    /// The engine refused the call before it ran a command.
    Refused(Box<dyn Refused + Send + Sync>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Undo,
    Redo,
}

/// An outcome, with the canvas that it applies to.
type Executed = Result<(BoardOutcome, Snapshot), ToolError>;

impl<S: Store> BoardToolContext<'_, S> {
    pub(super) async fn execute(&mut self, call: CheckedCall) -> Executed {
        match call {
            CheckedCall::Change(change) => self.change(change, None).await,
            CheckedCall::Refresh(component) => self.refresh(component).await,
            CheckedCall::Undo(steps) => self.step(steps, Direction::Undo).await,
            CheckedCall::Redo(steps) => self.step(steps, Direction::Redo).await,
            CheckedCall::Plan(change) => self.plan(change).await,
            CheckedCall::Commit(plan) => self.commit(&plan).await,
            CheckedCall::RequestAction(request) => self.request_action(request).await,
            CheckedCall::Show { after } => self.show(after).await,
        }
    }

    async fn change(&self, change: Change, base: Option<Revision>) -> Executed {
        let command = Box::new(change.command.clone());
        let by = Author::Assistant { lease: None };
        let command = RunBoardCommand { by, command, base, grid: self.toolset.grid() };
        let answered = self.context.run(command).await?;
        let outcome = match answered.result {
            Ok(BoardCommandRun { result, events, revision }) if result.is_success() => {
                BoardOutcome::Changed { change, result, events, revision }
            }
            Ok(BoardCommandRun { result, .. }) => {
                let corrected = self.correct(&result).await;
                BoardOutcome::Rejected { change, result, corrected }
            }
            Err(refusal) => BoardOutcome::Refused(Box::new(refusal)),
        };
        Ok((outcome, answered.snapshot))
    }

    /// Returns the corrected call after a rejection, if a correction exists and the store still answers.
    async fn correct(&self, result: &BoardResult) -> Option<Value> {
        if !result.error().is_some_and(is_correctable) {
            return None;
        }
        let (board, _) = self.board().await.ok()?;
        self.dry_run(&*board?).correct(self.tool, self.call)
    }

    async fn show(&self, after: Option<ComponentId>) -> Executed {
        let (board, snapshot) = self.board().await?;
        let outcome = match board {
            None => BoardOutcome::Refused(Box::new(BoardRefusal::NoBoard)),
            Some(board) => {
                if after.as_ref().is_some_and(|gone| board.component(gone).is_none()) {
                    let message = "there is no such component any more: leave after out to begin anew";
                    return Err(ToolError::new("COMPONENT_NOT_FOUND", message).at("/after"));
                }
                BoardOutcome::Shown { board, after }
            }
        };
        Ok((outcome, snapshot))
    }

    /// Checks a request to the user. Like a refresh, this does not change anything.
    async fn request_action(&self, request: RequestAction) -> Executed {
        let RequestAction { component_id, action_id, params } = request;
        let (outcome, snapshot) = self.refresh(component_id.clone()).await?;
        let BoardOutcome::Refreshed(component) = outcome else { return Ok((outcome, snapshot)) };
        let known = self.context.engine.registry().get(&component.type_id);
        let actions = known.map_or(&[][..], |known| &known.actions);
        let Some(action) = actions.iter().find(|action| action.action_id == action_id) else {
            let ids: Vec<&str> = actions.iter().map(|action| action.action_id.as_str()).collect();
            let next = match ids.as_slice() {
                [] => "it has none, so ask the user in words".to_owned(),
                ids => format!("take one of {}", ids.join(", ")),
            };
            let message = format!("{} has no such action: {next}", component.type_id);
            return Err(ToolError::new("ACTION_NOT_FOUND", message).at("/action_id"));
        };
        let params = params.unwrap_or_default();
        if let Some(fault) = action.validate(&params).first() {
            return Err(ToolError::argument(&format!("/params{}", fault.path), fault.message.clone()));
        }
        let requires_selection = action.requires_selection == Some(true);
        let label = action.label.clone();
        let request = ActionRequest { component_id, action_id, label, params };
        Ok((BoardOutcome::Requested { request, requires_selection }, snapshot))
    }

    /// Returns the component to fetch again. This does not change anything, so there is no receipt or history entry.
    async fn refresh(&self, component: ComponentId) -> Executed {
        let (board, snapshot) = self.board().await?;
        let Some(board) = board else {
            return Ok((BoardOutcome::Refused(Box::new(BoardRefusal::NoBoard)), snapshot));
        };
        let lock = snapshot.head.lock_of(&self.context.session.conversation);
        let outcome = match board.component(&component) {
            None => {
                let change = Change::removal(component);
                let result = Box::new(self.dry_run(&board).run(&change.command).result);
                BoardOutcome::Rejected { change, result, corrected: None }
            }
            Some(_) if self.context.session.turn != lock.turn() || !lock.is_turn_open() => {
                BoardOutcome::Refused(Box::new(NotAvailable::UserActive))
            }
            Some(component) => BoardOutcome::Refreshed(component),
        };
        Ok((outcome, snapshot))
    }

    /// Undoes or redoes this many changes, or as many as the history has if it has fewer.
    async fn step(&self, steps: NonZeroU32, direction: Direction) -> Executed {
        let (mut result, mut snapshot) = self.move_by(self.context.id.clone(), steps, direction).await?;
        if let Err(UndoRefusal::History(HistoryRefusal::HistoryEmpty { available, .. })) = result
            && let Some(available) = NonZeroU32::new(available)
        {
            // The second operation's id is derived from the first one's, so a retry takes the same path, because both
            // have receipts.
            (result, snapshot) = self.move_by(second(&self.context.id), available, direction).await?;
        }
        let outcome = match result {
            Ok(HistoryMove { entries, events, revision, .. }) => {
                BoardOutcome::Stepped { direction, steps, entries, events, revision }
            }
            Err(UndoRefusal::History(HistoryRefusal::UserActed)) => {
                BoardOutcome::UserActed(self.acts_of_user().await?)
            }
            Err(refusal) => BoardOutcome::Refused(Box::new(refusal)),
        };
        Ok((outcome, snapshot))
    }

    /// Returns the user's changes since the turn began, in order. Examines only the last entries of the history.
    async fn acts_of_user(&self) -> Result<Vec<HistoryEntry>, ToolError> {
        const LOOKED_AT: usize = 20;
        let ToolContext { engine, session, now, .. } = &self.context;
        let entries = engine.history(&session.canvas, None, LOOKED_AT, *now).await?;
        let since = entries.iter().take_while(|entry| entry.revision_after > session.start.revision);
        let mut acts: Vec<_> =
            since.filter(|entry| entry.actor == Role::User).map(HistoryEntry::from).collect();
        acts.reverse();
        Ok(acts)
    }

    async fn move_by(
        &self,
        id: CallId,
        steps: NonZeroU32,
        direction: Direction,
    ) -> Result<(Result<HistoryMove, UndoRefusal>, Snapshot), ToolError> {
        let by = Author::Assistant { lease: None };
        match direction {
            Direction::Undo => {
                let undo = Undo { by, what: UndoScope::Steps(steps) };
                let answered = self.context.run_as(id, undo).await?;
                Ok((answered.result, answered.snapshot))
            }
            Direction::Redo => {
                let answered = self.context.run_as(id, Redo { by, steps }).await?;
                Ok((answered.result, answered.snapshot))
            }
        }
    }

    /// Returns the effect of a change without making it.
    async fn plan(&mut self, change: Change) -> Executed {
        let (board, snapshot) = self.board().await?;
        let Some(board) = board else {
            return Ok((BoardOutcome::Refused(Box::new(BoardRefusal::NoBoard)), snapshot));
        };
        let dry_run = self.dry_run(&board);
        let mut after = Box::new(Board::clone(&board));
        let result = Box::new(dry_run.run_on(&mut after, &change.command).result);
        if !result.is_success() {
            let corrected = dry_run.correct(self.tool, self.call);
            return Ok((BoardOutcome::Rejected { change, result, corrected }, snapshot));
        }
        let session = &mut *self.context.session;
        let plan = Plan::new(&session.canvas, &snapshot, change.command.clone());
        let id = plan.id.clone();
        session.board.plans.keep(plan);
        Ok((BoardOutcome::Planned { id, change, result, after }, snapshot))
    }

    /// Commits a plan unless the board changed since the plan was made.
    async fn commit(&self, plan: &str) -> Executed {
        let session = &self.context.session;
        let plan = session.board.plans.find(&session.canvas, plan).ok_or_else(|| {
            let message = "there is no such plan any more: call plan_canvas again and commit its plan_id";
            ToolError::new("PLAN_NOT_FOUND", message).at("/plan_id")
        })?;
        // The call that commits a plan does not contain the plan's parts.
        let change = Change { command: plan.command.clone(), origins: Vec::new() };
        self.change(change, Some(plan.base)).await
    }

    async fn board(&self) -> Result<(Option<Arc<Board>>, Snapshot), ToolError> {
        Ok(self.context.engine.board(&self.context.session.canvas, self.context.now).await?)
    }

    fn dry_run<'b>(&'b self, board: &'b Board) -> DryRun<'b> {
        DryRun {
            board,
            registry: self.context.engine.registry(),
            rules: self.toolset.rules(self.context.engine.policy().board),
            now: self.context.now,
            toolset: self.toolset,
            aliases: &self.context.session.board.aliases,
        }
    }
}

/// Returns the id of a second operation of the same call. It is hashed because ids have a maximum length.
fn second(id: &CallId) -> CallId {
    let hash = BlobId::of(id.as_str().as_bytes());
    CallId::new(&format!("{hash}:available")).expect("a hash is a short name")
}
