//! Execution of commands and their answers.

use crate::board::command::env::BoardEnv;
use crate::board::command::refusal::CommandRefusal;
use crate::board::command::run::{BoardChange, Done, Ran, leaves};
use crate::board::command::{Batch, CanvasCommand, UserAction};
use crate::board::model::event::CanvasEvent;
use crate::board::model::id::UndoId;
use crate::board::state::board::Board;
use crate::board::wire::result::{BatchCommandResult, CommandError, CommandResult};
use crate::model::author::Role;

/// Answer, change and events of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// Answer to the command, in its JSON shape.
    pub result: BoardResult,
    /// The refusal, if the board is unchanged because of one. In a batch it is about the last command answered.
    pub refusal: Option<Box<CommandRefusal>>,
    /// The change; `None` if the command was refused or had no effect.
    pub change: Option<BoardChange>,
    /// Events for those who follow the board, in order.
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
    /// Returns whether the command succeeded. A command without effect succeeds, too.
    pub const fn is_success(&self) -> bool {
        match self {
            Self::Batch(result) => result.success,
            Self::One(result) => result.success,
        }
    }

    /// Returns the error, if the command was refused.
    pub const fn error(&self) -> Option<&CommandError> {
        match self {
            Self::Batch(result) => result.error.as_ref(),
            Self::One(result) => result.error.as_ref(),
        }
    }
}

impl Board {
    /// Runs a command, either completely or not at all.
    ///
    /// Faults are checked in this order: an unknown component, view or trigger, an unknown type, the config, the size,
    /// the place, and the components in the way. The cost depends on the change and not on the board.
    #[expect(clippy::missing_panics_doc, reason = "a command that is not refused has done something")]
    pub fn execute(&mut self, command: &CanvasCommand, source: Role, env: &mut BoardEnv<'_>) -> Executed {
        let Ran { one, done, refusal, explanation, change, events } = self.run(command, source, env);
        let undo_id = change.as_ref().map(|change| change.id.clone());
        let result = match (command, &refusal) {
            (CanvasCommand::Batch(batch), Some(refusal)) => {
                BoardResult::Batch(BatchCommandResult::refused(batch, done, refusal))
            }
            (CanvasCommand::Batch(_), None) => {
                let results =
                    done.into_iter().map(|done| CommandResult::done(done, undo_id.clone())).collect();
                BoardResult::Batch(BatchCommandResult {
                    success: true,
                    undo_id,
                    explanation,
                    results,
                    error: None,
                })
            }
            (command, Some(refusal)) => {
                let error = CommandError::of(CommandRefusal::clone(refusal), command);
                BoardResult::One(CommandResult::refused(error))
            }
            (_, None) => {
                let done = one.expect("a command that is not refused has done something");
                BoardResult::One(CommandResult::done(done, undo_id))
            }
        };
        Executed { result, refusal, change, events }
    }

    /// Runs an action that a person took by hand. Returns `None` for undo and redo, which belong to the history, and
    /// for a refresh, which belongs to the data, because they have no command.
    pub fn act(&mut self, action: &UserAction, env: &mut BoardEnv<'_>) -> Option<Executed> {
        Some(self.execute(&action.command()?, Role::User, env))
    }
}

impl BatchCommandResult {
    fn refused(batch: &Batch, done: Vec<Done>, refusal: &CommandRefusal) -> Self {
        let mut results: Vec<_> = done.into_iter().map(|done| CommandResult::done(done, None)).collect();
        let number = results.len();
        let commands = leaves(batch);
        let command = commands.get(number).expect("one of them was refused");
        let mut error = CommandError::of(refusal.clone(), command);
        let place = error.place.take().unwrap_or_default();
        let command = path_of(batch, &mut number.clone()).unwrap_or_default();
        error.place = Some(format!("{command}{place}"));
        results.push(CommandResult::refused(error.clone()));
        let explanation = format!("Nothing was changed: {}", error.message);
        Self { success: false, undo_id: None, explanation, results, error: Some(error) }
    }
}

/// Returns the JSON Pointer to the command with this number in a batch. Commands of nested batches are counted, too.
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
            placement,
            warnings,
            ..Self::default()
        }
    }

    /// Returns the answer to a refused command.
    pub fn refused(error: CommandError) -> Self {
        Self {
            explanation: format!("Nothing was changed: {}", error.message),
            error: Some(error),
            ..Self::default()
        }
    }
}
