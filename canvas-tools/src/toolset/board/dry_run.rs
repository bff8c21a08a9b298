//! Calls put right: what the core offers for a command, as arguments of the call that it came from.

use canvas_core::board::{
    Aliases, Board, BoardEnv, CanvasCommand, CommandError, CreateComponent, Executed, IdSource,
    MoveComponent, OnCollision, Registry, ResizeComponent,
};
use canvas_core::lease::Timestamp;
use canvas_core::{Actor, Policy};
use serde_json::{Value, json};

use super::BoardExtensions;
use super::checked::{Change, CheckedCall, check};
use super::reply::number_in;
use crate::toolset::call::ToolCall;

/// A board to try calls on; none of them changes it.
pub(super) struct DryRun<'a> {
    pub(super) board: &'a Board,
    pub(super) registry: &'a Registry,
    pub(super) policy: &'a Policy,
    pub(super) now: Timestamp,
    pub(super) extensions: BoardExtensions,
    pub(super) aliases: Option<&'a Aliases>,
}

impl DryRun<'_> {
    /// What a command would do. Cost: linear in the board.
    pub(super) fn run(&self, command: &CanvasCommand) -> Executed {
        self.run_on(&mut self.board.clone(), command)
    }

    /// The same on a copy of the board, which it is done to.
    pub(super) fn run_on(&self, copy: &mut Board, command: &CanvasCommand) -> Executed {
        let ids = IdSource::seeded(b"rehearsal");
        let mut env = BoardEnv { registry: self.registry, rules: self.policy.board, now: self.now, ids };
        copy.execute(command, Actor::Assistant, &mut env)
    }

    /// The call put right, where the core says how, and the board takes it then.
    ///
    /// Each round mends one fault, and a call of several operations may have one in each.
    pub(super) fn correct(&self, call: &ToolCall) -> Option<Value> {
        const ROUNDS: usize = 8;
        let mut corrected = call.clone();
        for _ in 0..ROUNDS {
            let (CheckedCall::Change(change) | CheckedCall::Plan(change)) =
                check(&corrected, self.policy, self.extensions, self.aliases).ok()?
            else {
                return None;
            };
            let executed = self.run(&change.command);
            let Some(error) = executed.result.error() else {
                let put_right = json!({"name": corrected.name, "arguments": corrected.arguments});
                return (corrected != *call).then_some(put_right);
            };
            apply_suggestion(&mut corrected.arguments, &change, error)?;
        }
        None
    }
}

/// Whether a refusal says how to put its command right.
pub(super) fn is_repairable(error: &CommandError) -> bool {
    error.corrected.is_some() || !error.free_positions.is_empty()
}

/// Puts what a refusal offers into the arguments that the refused command came from.
fn apply_suggestion(arguments: &mut Value, change: &Change, error: &CommandError) -> Option<()> {
    let number = error.place.as_deref().map_or(0, |place| number_in(place).0);
    let origin = change.origins.as_ref()?.get(number)?;
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
        // The tools push nothing away, so what is to grow goes where there is room for it.
        (CanvasCommand::Resize(_), _) => ("position", json!(error.free_positions.first()?)),
        _ => return None,
    };
    arguments[field] = value;
    Some(())
}
