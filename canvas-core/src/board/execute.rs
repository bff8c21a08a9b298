//! Commands, run and answered.

use crate::board::command::env::BoardEnv;
use crate::board::command::refusal::CommandRefusal;
use crate::board::command::run::{BoardChange, Done, Ran, leaves};
use crate::board::command::{Batch, CanvasCommand, UserAction};
use crate::board::model::event::CanvasEvent;
use crate::board::model::id::UndoId;
use crate::board::state::board::Board;
use crate::board::wire::result::{BatchCommandResult, CommandError, CommandResult};
use crate::model::author::Actor;

/// What came of a command.
#[derive(Debug, Clone, PartialEq)]
pub struct Executed {
    /// As JSON has it.
    pub result: BoardResult,
    /// Why nothing was changed; of a batch, what is wrong with the last command that it answers.
    pub refusal: Option<Box<CommandRefusal>>,
    /// What it changed; `None` where it was refused or there was nothing to do.
    pub change: Option<BoardChange>,
    /// For those who follow the board, in order.
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

impl Board {
    /// Runs a command. It is done whole, or refused and nothing is changed.
    ///
    /// Faults are looked for in this order: what is named is not there, the type is not, the config is wrong, the size,
    /// the place, what is there. Cost: of the change, not of the board.
    #[expect(clippy::missing_panics_doc, reason = "a command that is not refused has done something")]
    pub fn execute(&mut self, command: &CanvasCommand, source: Actor, env: &mut BoardEnv<'_>) -> Executed {
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

    /// Runs what a person did by hand. Undo and redo belong to the history, and refreshing to the data: for these there
    /// is no command, and `None` is given.
    pub fn act(&mut self, action: &UserAction, env: &mut BoardEnv<'_>) -> Option<Executed> {
        Some(self.execute(&action.command()?, Actor::User, env))
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

/// Where in a batch the command of a number is, those of batches within it counted too, as a JSON Pointer.
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

    /// The answer to a command that was refused.
    pub fn refused(error: CommandError) -> Self {
        Self {
            explanation: format!("Nothing was changed: {}", error.message),
            error: Some(error),
            ..Self::default()
        }
    }
}
