//! Commands, done: checked in the order that specs 002 and its rulings set, and all of one or nothing.

use std::borrow::Cow;

use super::env::BoardEnv;
use super::refusal::{Refused, refused};
use super::{Batch, CanvasCommand, UpdateComponent, UserAction};
use super::{MoveComponent, PartialMeta, RemoveComponent, ResizeComponent};
use crate::board::model::event::CanvasEvent;
use crate::board::model::grid::Position;
use crate::board::model::id::{ComponentId, UndoId};
use crate::board::model::placement::{OnCollision, PlacementReason, PlacementResult};
use crate::board::state::board::Board;
use crate::board::state::patch::BoardPatch;
use crate::board::state::transaction::Transaction;
use crate::board::wire::result::{BatchCommandResult, CommandError, CommandErrorCode, CommandResult};
use crate::model::author::Actor;
use canvas_lease::Timestamp;

/// What a command did.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// What is answered.
    pub result: BoardResult,
    /// What it changed; `None` where it was refused or there was nothing to do.
    pub change: Option<BoardChange>,
    /// What happened, in order.
    pub events: Vec<CanvasEvent>,
}

/// The answer to a command.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum BoardResult {
    /// To a batch.
    Batch(BatchCommandResult),
    /// To any other.
    One(CommandResult),
}

impl BoardResult {
    /// Whether it was done, or there was nothing to do.
    pub const fn success(&self) -> bool {
        match self {
            Self::Batch(result) => result.success,
            Self::One(result) => result.success,
        }
    }

    /// Why it was refused.
    pub const fn error(&self) -> Option<&CommandError> {
        match self {
            Self::Batch(result) => result.error.as_ref(),
            Self::One(result) => result.error.as_ref(),
        }
    }
}

/// A change of a board, as a history keeps it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoardChange {
    /// Names it.
    pub id: UndoId,
    /// When it was made.
    pub at: Timestamp,
    /// Who made it.
    pub source: Actor,
    /// What it did, for people.
    pub description: String,
    /// The command as it was done: place and size settled.
    pub forward: Box<CanvasCommand>,
    /// What it changed.
    pub patch: BoardPatch,
}

/// What one command did, within a batch or alone.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) explanation: String,
    pub(super) affected: Vec<ComponentId>,
    pub(super) placement: Option<PlacementResult>,
    pub(super) warnings: Vec<String>,
    /// The command with place and size settled, where they were not.
    pub(super) settled: Option<CanvasCommand>,
}

impl Done {
    pub(super) fn new(explanation: String, affected: Vec<ComponentId>) -> Self {
        Self { explanation, affected, placement: None, warnings: Vec::new(), settled: None }
    }
}

impl Board {
    /// Runs a command. It is done whole, or refused and nothing is changed.
    ///
    /// Faults are looked for in this order: what is named is not there, the type is not, the config is wrong, the size,
    /// the place, what stands there. Cost: of the change, not of the board.
    pub fn execute(&mut self, command: &CanvasCommand, source: Actor, env: &mut BoardEnv<'_>) -> Executed {
        let mut run = Execution { transaction: Transaction::new(self), env, source, created: Vec::new() };
        match command {
            CanvasCommand::Batch(batch) => {
                let told = run.batch(batch);
                run.finish_batch(command, batch, told)
            }
            command => {
                let told = run.one(command);
                run.finish_one(command, told)
            }
        }
    }

    /// Runs what a person did by hand. Undo and redo belong to the history, and refreshing to the data: for these there
    /// is no command, and `None` is given.
    pub fn act(&mut self, action: &UserAction, env: &mut BoardEnv<'_>) -> Option<Executed> {
        Some(self.execute(&action.command()?, Actor::User, env))
    }
}

impl UserAction {
    /// The command that does it; `None` for undo and redo, which belong to the history, and for a refresh, which belongs
    /// to the data.
    pub fn command(&self) -> Option<CanvasCommand> {
        Some(match self.clone() {
            Self::Move { component_id, position } => CanvasCommand::Move(MoveComponent {
                component_id,
                position,
                on_collision: OnCollision::Reject,
            }),
            Self::Resize { component_id, size } => CanvasCommand::Resize(ResizeComponent {
                component_id,
                size,
                on_collision: OnCollision::Reject,
            }),
            Self::Dismiss { component_id } => CanvasCommand::Remove(RemoveComponent { component_id }),
            Self::Pin { component_id, pinned } => {
                let meta = Some(PartialMeta { pinned: Some(pinned), label: None });
                CanvasCommand::Update(Box::new(UpdateComponent {
                    component_id,
                    config: None,
                    data_binding: None,
                    meta,
                }))
            }
            Self::Refresh { .. } | Self::Undo | Self::Redo => return None,
        })
    }
}

/// Where something is to stand, and what has to be moved for that.
pub(super) struct Placement {
    pub(super) position: Position,
    pub(super) reason: PlacementReason,
    /// Slots, and where they go.
    pub(super) moved: Vec<(u32, Position)>,
}

/// A command on its way.
pub(super) struct Execution<'r, 'e> {
    pub(super) transaction: Transaction<'r>,
    pub(super) env: &'r mut BoardEnv<'e>,
    pub(super) source: Actor,
    /// The components that a batch has made so far: `$0`, `$1` and so on.
    pub(super) created: Vec<ComponentId>,
}

impl Execution<'_, '_> {
    fn one(&mut self, command: &CanvasCommand) -> Result<Done, Refused> {
        match command {
            CanvasCommand::Create(create) => self.create(create),
            CanvasCommand::Update(update) => self.update(update),
            CanvasCommand::Remove(remove) => self.remove(remove),
            CanvasCommand::Move(_) | CanvasCommand::Resize(_) => {
                let mut done = self.arrange(std::slice::from_ref(&command)).map_err(|(_, error)| error)?;
                Ok(done.remove(0))
            }
            CanvasCommand::SaveView(save) => self.save_view(save),
            CanvasCommand::LoadView(load) => self.load_view(load),
            CanvasCommand::DeleteView(delete) => self.delete_view(delete),
            CanvasCommand::Clear(clear) => Ok(self.clear(clear)),
            CanvasCommand::Batch(_) => unreachable!("batches are flattened"),
        }
    }

    /// What each command did, up to the first that was refused.
    fn batch(&mut self, batch: &Batch) -> (Vec<Done>, Option<Refused>) {
        let mut commands = Vec::new();
        if !flatten(batch, self.env.rules.batch, &mut commands) {
            let limit = self.env.rules.batch;
            let message = format!("a batch has at most {limit} commands: send several");
            return (Vec::new(), Some(refused(CommandErrorCode::BoardTooLarge, message)));
        }
        let mut all = Vec::with_capacity(commands.len());
        let mut rest = commands.as_slice();
        while let Some(first) = rest.first() {
            let told = if is_deferred(first) {
                let run = rest.iter().take_while(|command| is_deferred(command)).count();
                let (run, behind) = rest.split_at(run);
                rest = behind;
                self.arrange(run)
            } else {
                rest = &rest[1..];
                self.one(first).map(|done| vec![done]).map_err(|error| (Vec::new(), error))
            };
            match told {
                Ok(done) => all.extend(done),
                Err((done, error)) => {
                    all.extend(done);
                    return (all, Some(error));
                }
            }
        }
        (all, None)
    }

    fn finish_one(self, command: &CanvasCommand, told: Result<Done, Refused>) -> Executed {
        match told {
            Err(error) => {
                self.transaction.undo();
                let result = CommandResult::refused(*error);
                Executed { result: BoardResult::One(result), change: None, events: Vec::new() }
            }
            Ok(mut done) => {
                let settled = done.settled.take();
                let forward = settled.map_or_else(|| Cow::Borrowed(command), Cow::Owned);
                let (change, events) = self.commit(forward, done.explanation.clone());
                let result = CommandResult::done(done, change.as_ref().map(|change| change.id.clone()));
                Executed { result: BoardResult::One(result), change, events }
            }
        }
    }

    fn finish_batch(
        self,
        command: &CanvasCommand,
        batch: &Batch,
        (mut done, error): (Vec<Done>, Option<Refused>),
    ) -> Executed {
        if let Some(mut error) = error {
            self.transaction.undo();
            let mut results: Vec<_> = done.into_iter().map(|done| CommandResult::done(done, None)).collect();
            let place = error.place.take().unwrap_or_default();
            let command = path_of(batch, &mut results.len()).unwrap_or_default();
            error.place = Some(format!("{command}{place}"));
            results.push(CommandResult::refused((*error).clone()));
            let explanation = format!("Nothing was changed: {}", error.message);
            let error = Some(*error);
            let result = BatchCommandResult { success: false, undo_id: None, explanation, results, error };
            return Executed { result: BoardResult::Batch(result), change: None, events: Vec::new() };
        }
        let settled: Vec<CanvasCommand> = done
            .iter_mut()
            .zip(leaves(batch))
            .map(|(done, command)| done.settled.take().unwrap_or_else(|| command.clone()))
            .collect();
        let explanation = match (batch.description.trim(), done.len()) {
            ("", 0) => "Nothing to do.".to_owned(),
            ("", 1) => done[0].explanation.clone(),
            ("", many) => format!("Did {many} things."),
            (description, _) => description.to_owned(),
        };
        let forward = Batch { commands: settled, description: batch.description.clone() };
        let forward = if done.is_empty() { command.clone() } else { CanvasCommand::Batch(forward) };
        let (change, events) = self.commit(Cow::Owned(forward), explanation.clone());
        let undo_id = change.as_ref().map(|change| change.id.clone());
        let results = done.into_iter().map(|done| CommandResult::done(done, undo_id.clone())).collect();
        let result = BatchCommandResult { success: true, undo_id, explanation, results, error: None };
        Executed { result: BoardResult::Batch(result), change, events }
    }

    fn commit(
        self,
        forward: Cow<'_, CanvasCommand>,
        description: String,
    ) -> (Option<BoardChange>, Vec<CanvasEvent>) {
        let now = self.env.now;
        let Self { transaction, env, source, .. } = self;
        let (patch, board) = transaction.finish(now);
        if patch.is_empty() {
            return (None, Vec::new());
        }
        let events = board.events_of(&patch);
        let forward = Box::new(forward.into_owned());
        let change = BoardChange { id: env.ids.undo(), at: now, source, description, forward, patch };
        (Some(change), events)
    }

    /// The component that a command means: `$0` is the first that the batch has made.
    pub(super) fn meant<'c>(&'c self, id: &'c ComponentId) -> &'c ComponentId {
        let number = id.as_str().strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok());
        number.and_then(|number| self.created.get(number)).unwrap_or(id)
    }
}

/// Moves and resizes that refuse to push: they are judged together, so that two may change places.
const fn is_deferred(command: &CanvasCommand) -> bool {
    match command {
        CanvasCommand::Move(one) => one.on_collision.is_reject(),
        CanvasCommand::Resize(one) => one.on_collision.is_reject(),
        _ => false,
    }
}

/// The commands of a batch and of those within it; false where there are too many.
fn flatten<'c>(batch: &'c Batch, limit: usize, into: &mut Vec<&'c CanvasCommand>) -> bool {
    batch.commands.iter().all(|command| match command {
        CanvasCommand::Batch(inner) => flatten(inner, limit, into),
        command => {
            into.push(command);
            into.len() <= limit
        }
    })
}

fn leaves(batch: &Batch) -> Vec<&CanvasCommand> {
    let mut all = Vec::new();
    flatten(batch, usize::MAX, &mut all);
    all
}

/// Where in a batch the command of a number stands, those of batches within it counted too, as a JSON Pointer.
fn path_of(batch: &Batch, number: &mut usize) -> Option<String> {
    for (at, command) in batch.commands.iter().enumerate() {
        let found = match command {
            CanvasCommand::Batch(inner) => path_of(inner, number),
            _ if *number == 0 => Some(String::new()),
            _ => {
                *number -= 1;
                None
            }
        };
        if let Some(within) = found {
            return Some(format!("/payload/commands/{at}{within}"));
        }
    }
    None
}

impl CommandResult {
    fn done(done: Done, undo_id: Option<UndoId>) -> Self {
        let Done { explanation, affected, placement, warnings, .. } = done;
        Self {
            success: true,
            undo_id,
            explanation,
            affected_component_ids: affected,
            error: None,
            placement,
            warnings,
        }
    }

    /// The answer to a command that was refused.
    pub fn refused(error: CommandError) -> Self {
        Self {
            success: false,
            undo_id: None,
            explanation: format!("Nothing was changed: {}", error.message),
            affected_component_ids: Vec::new(),
            error: Some(error),
            placement: None,
            warnings: Vec::new(),
        }
    }
}
