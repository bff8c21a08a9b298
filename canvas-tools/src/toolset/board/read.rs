//! Reading a call's arguments, with every check that needs no board.

use std::num::NonZeroU32;

use serde_json::Value;

use super::arguments::{
    Arrange, Clear, Commit, Create, Delete, Fields, Label, Load, MAX_COMMANDS, Modify, Operation, Plan,
    PlannedCall, RedoSteps, Refresh, Remove, Save, UndoSteps,
};
use super::tool::{BoardTools, Tool};
use crate::reply::ToolError;
use crate::toolset::arguments::arguments;

/// The arguments of a call, read and checked.
#[derive(Debug)]
pub(super) enum Arguments {
    Command(CommandArguments),
    Arrange(Arrange),
    Refresh(Refresh),
    Undo(NonZeroU32),
    Redo(NonZeroU32),
    Plan(Vec<PlannedArguments>),
    Commit(Commit),
}

/// The arguments of a call that makes one command.
#[derive(Debug)]
pub(super) enum CommandArguments {
    Create(Create),
    Modify(Modify),
    Remove(Remove),
    Save(Save),
    Load(Load),
    Delete(Delete),
    Clear(Clear),
    Label(Label),
}

impl Arguments {
    pub(super) fn read(tool: Tool, sent: &Value, toolset: BoardTools) -> Result<Self, ToolError> {
        Ok(match tool {
            Tool::Create => Self::Command(CommandArguments::Create(arguments(sent)?)),
            Tool::Modify => Self::Command(CommandArguments::Modify(arguments(sent)?)),
            Tool::Remove => Self::Command(CommandArguments::Remove(arguments(sent)?)),
            Tool::Refresh => Self::Refresh(arguments(sent)?),
            Tool::Undo => Self::Undo(arguments::<UndoSteps>(sent)?.steps),
            Tool::Redo => Self::Redo(arguments::<RedoSteps>(sent)?.steps),
            Tool::SaveView => Self::Command(CommandArguments::Save(arguments(sent)?)),
            Tool::LoadView => Self::Command(CommandArguments::Load(arguments(sent)?)),
            Tool::Commit => Self::Commit(arguments(sent)?),
            Tool::DeleteView => Self::Command(CommandArguments::Delete(arguments(sent)?)),
            Tool::Clear => Self::Command(CommandArguments::Clear(arguments(sent)?)),
            Tool::Label => Self::Command(CommandArguments::Label(arguments(sent)?)),
            Tool::Arrange => Self::Arrange(arguments::<Arrange>(sent)?.checked()?),
            Tool::Plan => Self::Plan(arguments::<Plan>(sent)?.checked(toolset)?),
        })
    }
}

/// The arguments of a call that may be part of a plan.
#[derive(Debug)]
pub(super) enum PlannedArguments {
    Command(CommandArguments),
    Arrange(Arrange),
}

impl PlannedArguments {
    fn command_count(&self) -> usize {
        let Self::Arrange(Arrange { operations }) = self else { return 1 };
        operations.iter().map(|Fields(operation)| operation.command_count()).sum()
    }
}

/// The arguments of a planned call lie here in those of `plan_canvas`.
pub(super) fn planned_place(number: usize) -> String {
    format!("/commands/{number}/arguments")
}

/// An operation lies here in the arguments of `arrange_canvas`.
pub(super) fn operation_place(number: usize) -> String {
    format!("/operations/{number}")
}

impl Plan {
    fn checked(self, toolset: BoardTools) -> Result<Vec<PlannedArguments>, ToolError> {
        check_count("/commands", self.commands.len())?;
        let plannable = || Tool::of(toolset).filter(|tool| tool.is_plannable());
        let (mut calls, mut count) = (Vec::with_capacity(self.commands.len()), 0);
        for (number, Fields(PlannedCall { name, arguments })) in self.commands.into_iter().enumerate() {
            let tool = plannable().find(|tool| tool.name() == name);
            let read = tool.map(|tool| Arguments::read(tool, &arguments.into(), toolset)).transpose();
            let call = match read.map_err(|error| error.within(&planned_place(number)))? {
                Some(Arguments::Command(call)) => PlannedArguments::Command(call),
                Some(Arguments::Arrange(call)) => PlannedArguments::Arrange(call),
                _ => {
                    let unknown = ToolError::unknown_tool(&name, plannable().map(Tool::name));
                    return Err(unknown.at(&format!("/commands/{number}/name")));
                }
            };
            count += call.command_count();
            check_count("/commands", count)?;
            calls.push(call);
        }
        Ok(calls)
    }
}

impl Operation {
    /// One command to move, one to resize.
    fn command_count(&self) -> usize {
        usize::from(self.position.is_some()) + usize::from(self.size.is_some())
    }
}

impl Arrange {
    fn checked(self) -> Result<Self, ToolError> {
        check_count("/operations", self.operations.len())?;
        match self.operations.iter().position(|Fields(operation)| operation.command_count() == 0) {
            Some(number) => {
                let what = "this operation says nothing: pass position, size or both";
                Err(ToolError::argument(&operation_place(number), what))
            }
            None => Ok(self),
        }
    }
}

fn check_count(place: &str, found: usize) -> Result<(), ToolError> {
    if found <= MAX_COMMANDS {
        return Ok(());
    }
    Err(ToolError::argument(place, format!("at most {MAX_COMMANDS} at once: make several calls")))
}
