//! Converts the arguments of a call into board commands, with every check that does not need the board.

use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{
    Aliases, Batch, CanvasCommand, ClearCanvas, ComponentId, CreateComponent, DeleteView, LoadView,
    MoveComponent, OnCollision, PartialMeta, RemoveComponent, ResizeComponent, SaveView, UpdateComponent,
};
use serde_json::Value;

use super::arguments::{
    Arrange, Clear, Commit, Create, Delete, Fields, Label, Load, MAX_COMMANDS, Modify, Operation, Plan,
    PlannedCall, RedoSteps, Refresh, Remove, RequestAction, Save, Show, UndoSteps,
};
use super::tool::{BoardTools, Tool};
use crate::arguments::arguments;
use crate::reply::ToolError;

/// A call that has passed every check that does not need the board.
#[derive(Debug)]
pub(super) enum CheckedCall {
    Change(Change),
    Refresh(ComponentId),
    Undo(NonZeroU32),
    Redo(NonZeroU32),
    Plan(Change),
    Commit(String),
    RequestAction(RequestAction),
    Show { after: Option<ComponentId> },
}

/// A command, with the arguments that each of its parts came from.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// A single command, or a batch without nested batches.
    pub(super) command: CanvasCommand,
    /// For each part, a JSON Pointer to its arguments within the call's arguments. Empty if the call does not contain
    /// them.
    pub(super) origins: Vec<String>,
}

/// Parses a call. It may name components by their aliases.
pub(super) fn check(
    tool: Tool,
    sent: &Value,
    toolset: BoardTools,
    aliases: &Aliases,
) -> Result<CheckedCall, ToolError> {
    let command = match tool {
        Tool::Refresh => {
            let Refresh { component_id } = arguments(sent)?;
            return Ok(CheckedCall::Refresh(resolve(component_id, aliases)));
        }
        Tool::Undo => return Ok(CheckedCall::Undo(arguments::<UndoSteps>(sent)?.steps)),
        Tool::Redo => return Ok(CheckedCall::Redo(arguments::<RedoSteps>(sent)?.steps)),
        Tool::Plan => return arguments::<Plan>(sent)?.change(toolset, aliases).map(CheckedCall::Plan),
        Tool::RequestAction => {
            let request: RequestAction = arguments(sent)?;
            let component_id = resolve(request.component_id, aliases);
            return Ok(CheckedCall::RequestAction(RequestAction { component_id, ..request }));
        }
        Tool::Show => {
            let Show { after } = arguments(sent)?;
            return Ok(CheckedCall::Show { after: after.map(|after| resolve(after, aliases)) });
        }
        Tool::Commit => return Ok(CheckedCall::Commit(arguments::<Commit>(sent)?.plan_id)),
        Tool::Arrange => return arguments::<Arrange>(sent)?.change(aliases).map(CheckedCall::Change),
        Tool::Create => arguments::<Create>(sent)?.command(),
        Tool::Modify => arguments::<Modify>(sent)?.command(aliases),
        Tool::Label => arguments::<Label>(sent)?.command(aliases),
        Tool::Remove => {
            let Remove { component_id } = arguments(sent)?;
            CanvasCommand::Remove(RemoveComponent { component_id: resolve(component_id, aliases) })
        }
        Tool::SaveView => {
            let Save { name, description } = arguments(sent)?;
            CanvasCommand::SaveView(SaveView { name, description, trigger_ids: None })
        }
        Tool::LoadView => {
            let Load { view_id } = arguments(sent)?;
            CanvasCommand::LoadView(LoadView { view_id })
        }
        Tool::DeleteView => {
            let Delete { view_id } = arguments(sent)?;
            CanvasCommand::DeleteView(DeleteView { view_id })
        }
        Tool::Clear => {
            let Clear { preserve_pinned } = arguments(sent)?;
            CanvasCommand::Clear(ClearCanvas { preserve_pinned: preserve_pinned.unwrap_or(true) })
        }
    };
    Ok(CheckedCall::Change(Change::one(command)))
}

impl Change {
    fn one(command: CanvasCommand) -> Self {
        Self { command, origins: vec![String::new()] }
    }

    fn batch(parts: Vec<(CanvasCommand, String)>, description: String) -> Self {
        let (commands, origins) = parts.into_iter().unzip();
        Self { command: CanvasCommand::Batch(Batch { commands, description }), origins }
    }

    /// Returns a removal, which the board refuses with its usual error if the component does not exist.
    pub(super) fn removal(component_id: ComponentId) -> Self {
        Self::one(CanvasCommand::Remove(RemoveComponent { component_id }))
    }

    /// Returns the command at an index.
    pub(super) fn part(&self, number: usize) -> Option<&CanvasCommand> {
        match &self.command {
            CanvasCommand::Batch(batch) => batch.commands.get(number),
            command => (number == 0).then_some(command),
        }
    }

    /// Returns the change's commands with the places of their arguments, for a call whose arguments are at `place`
    /// within others.
    fn into_parts(self, place: &str) -> impl Iterator<Item = (CanvasCommand, String)> {
        let commands = match self.command {
            CanvasCommand::Batch(batch) => batch.commands,
            command => vec![command],
        };
        commands
            .into_iter()
            .zip(self.origins)
            .map(move |(command, origin)| (command, format!("{place}{origin}")))
    }
}

impl Plan {
    fn change(self, toolset: BoardTools, aliases: &Aliases) -> Result<Change, ToolError> {
        check_count("/commands", self.commands.len())?;
        let plannable = || Tool::of(toolset).filter(|tool| tool.is_plannable());
        let mut parts = Vec::with_capacity(self.commands.len());
        for (number, Fields(PlannedCall { name, arguments })) in self.commands.into_iter().enumerate() {
            let place = format!("/commands/{number}/arguments");
            let tool = plannable().find(|tool| tool.name() == name);
            let checked = tool.map(|tool| check(tool, &arguments.into(), toolset, aliases)).transpose();
            let Some(CheckedCall::Change(change)) = checked.map_err(|error| error.within(&place))? else {
                let unknown = ToolError::unknown_tool(&name, plannable().map(Tool::name));
                return Err(unknown.at(&format!("/commands/{number}/name")));
            };
            parts.extend(change.into_parts(&place));
            check_count("/commands", parts.len())?;
        }
        let many = parts.len();
        let what = if many > 1 { format!("Made {many} planned changes.") } else { String::new() };
        Ok(Change::batch(parts, what))
    }
}

impl Arrange {
    /// Converts the operations to one change. If an operation both resizes and moves a component, the resize comes
    /// first, so that the component is checked and corrected by its place.
    fn change(self, aliases: &Aliases) -> Result<Change, ToolError> {
        check_count("/operations", self.operations.len())?;
        let on_collision = OnCollision::Reject;
        let mut parts = Vec::with_capacity(self.operations.len());
        for (number, Fields(operation)) in self.operations.into_iter().enumerate() {
            let Operation { component_id, position, size } = operation;
            let origin = format!("/operations/{number}");
            if position.is_none() && size.is_none() {
                let what = "the operation has neither position nor size: pass one or both";
                return Err(ToolError::argument(&origin, what));
            }
            let component_id = resolve(component_id, aliases);
            if let Some(Fields(size)) = size {
                let resize = ResizeComponent { component_id: component_id.clone(), size, on_collision };
                parts.push((CanvasCommand::Resize(resize), origin.clone()));
            }
            if let Some(Fields(position)) = position {
                let moved = MoveComponent { component_id, position, on_collision };
                parts.push((CanvasCommand::Move(moved), origin));
            }
        }
        // For a single operation, the board has its own description.
        let what = if parts.len() > 1 { "Rearranged the canvas." } else { "" };
        Ok(Change::batch(parts, what.to_owned()))
    }
}

impl Create {
    fn command(self) -> CanvasCommand {
        CanvasCommand::Create(Box::new(CreateComponent {
            type_id: self.type_id,
            config: Arc::new(self.config.into()),
            data_binding: None,
            position: self.position.map(|Fields(position)| position),
            size: self.size.map(|Fields(size)| size),
            meta: None,
            hints: None,
            on_collision: OnCollision::Reject,
        }))
    }
}

impl Modify {
    fn command(self, aliases: &Aliases) -> CanvasCommand {
        CanvasCommand::Update(Box::new(UpdateComponent {
            component_id: resolve(self.component_id, aliases),
            config: self.config_updates.map(Value::Object),
            data_binding: None,
            meta: None,
        }))
    }
}

impl Label {
    fn command(self, aliases: &Aliases) -> CanvasCommand {
        let label = self.label.map(|label| (!label.is_empty()).then_some(label));
        CanvasCommand::Update(Box::new(UpdateComponent {
            component_id: resolve(self.component_id, aliases),
            config: None,
            data_binding: None,
            meta: Some(PartialMeta { pinned: self.pinned, label }),
        }))
    }
}

fn check_count(place: &str, found: usize) -> Result<(), ToolError> {
    if found <= MAX_COMMANDS {
        return Ok(());
    }
    Err(ToolError::argument(place, format!("there are more than {MAX_COMMANDS} at once: make several calls")))
}

/// Returns the component that the model means, by its alias if an alias has this name, otherwise by its id.
fn resolve(name: ComponentId, aliases: &Aliases) -> ComponentId {
    aliases.resolve(name.as_str()).cloned().unwrap_or(name)
}

/// Returns the index of the command that a place points to, and the place within it.
pub(super) fn number_in(place: &str) -> (usize, &str) {
    let rest = place.strip_prefix("/payload/commands/");
    let found = rest.and_then(|rest| {
        let (number, within) = rest.split_once('/').unwrap_or((rest, ""));
        Some((number.parse().ok()?, &rest[rest.len() - within.len()..]))
    });
    let (number, within) = found.unwrap_or((0, place));
    (number, within.trim_start_matches('/'))
}
