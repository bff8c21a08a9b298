//! Tries commands without changing the board, and corrects calls: the core's suggestions for a command become arguments
//! of its call.

use canvas_core::Role;
use canvas_core::board::{
    Aliases, Board, BoardEnv, BoardRules, CanvasCommand, CommandError, CreateComponent, Executed, IdSource,
    MoveComponent, OnCollision, Registry, ResizeComponent,
};
use canvas_core::lease::Timestamp;
use serde_json::{Value, json};

use super::check::{Change, CheckedCall, check, number_in};
use super::tool::{BoardTools, Tool};
use crate::toolset::call::ToolCall;

/// A board on which calls can be tried. It stays unchanged.
pub(super) struct DryRun<'a> {
    pub(super) board: &'a Board,
    pub(super) registry: &'a Registry,
    pub(super) rules: BoardRules,
    pub(super) now: Timestamp,
    pub(super) toolset: BoardTools,
    pub(super) aliases: &'a Aliases,
}

impl DryRun<'_> {
    /// Returns the result that a command would have. Takes time linear in the board.
    pub(super) fn run(&self, command: &CanvasCommand) -> Executed {
        self.run_on(&mut self.board.clone(), command)
    }

    /// Like `run`, but applies the command to the given copy of the board.
    pub(super) fn run_on(&self, copy: &mut Board, command: &CanvasCommand) -> Executed {
        let ids = IdSource::seeded(b"rehearsal");
        let mut env = BoardEnv { registry: self.registry, rules: self.rules, now: self.now, ids };
        copy.execute(command, Role::Assistant, &mut env)
    }

    /// Returns the call in a form that the board would accept, if the core can suggest corrections.
    ///
    /// Each round corrects one error, because each operation of a call may have one.
    pub(super) fn correct(&self, tool: Tool, call: &ToolCall) -> Option<Value> {
        const ROUNDS: usize = 8;
        let mut sent = call.arguments.clone();
        for _ in 0..ROUNDS {
            let (CheckedCall::Change(change) | CheckedCall::Plan(change)) =
                check(tool, &sent, self.toolset, self.aliases).ok()?
            else {
                return None;
            };
            let executed = self.run(&change.command);
            let Some(error) = executed.result.error() else {
                let corrected = sent != call.arguments;
                return corrected.then(|| json!({"name": call.name, "arguments": sent}));
            };
            apply_suggestion(&mut sent, &change, error)?;
        }
        None
    }
}

/// Whether a refusal suggests a correction.
pub(super) fn is_correctable(error: &CommandError) -> bool {
    error.corrected.is_some() || !error.free_positions.is_empty()
}

/// Writes the suggestion of a refusal into the arguments of the refused command.
fn apply_suggestion(arguments: &mut Value, change: &Change, error: &CommandError) -> Option<()> {
    let number = error.place.as_deref().map_or(0, |place| number_in(place).0);
    let origin = change.origins.get(number)?;
    let arguments = arguments.pointer_mut(origin)?;
    let (field, value) = match (change.part(number)?, error.corrected.as_deref()) {
        (_, Some(CanvasCommand::Create(create))) => {
            let CreateComponent { type_id, position, .. } = &**create;
            arguments["type_id"] = json!(type_id);
            match position {
                Some(position) => ("position", json!(position)),
                None => return Some(()),
            }
        }
        (_, Some(CanvasCommand::Move(MoveComponent { position, .. }))) => ("position", json!(position)),
        (_, Some(CanvasCommand::Resize(ResizeComponent { size, on_collision: OnCollision::Reject, .. }))) => {
            ("size", json!(size))
        }
        // These tools never push other components away, so the component moves to a place with enough room instead of
        // growing in place.
        (CanvasCommand::Resize(_), _) => ("position", json!(error.free_positions.first()?)),
        _ => return None,
    };
    arguments[field] = value;
    Some(())
}
