//! What a call asks for: its arguments as commands of the board.

use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{
    Aliases, Batch, CanvasCommand, ClearCanvas, ComponentId, CreateComponent, DeleteView, LoadView,
    MoveComponent, OnCollision, PartialMeta, RemoveComponent, ResizeComponent, SaveView, UpdateComponent,
};
use serde_json::Value;

use super::arguments::{
    Arrange, Clear, Commit, Create, Delete, Fields, Label, Load, Modify, Operation, Refresh, Remove, Save,
};
use super::read::{Arguments, CommandArguments, PlannedArguments, operation_place, planned_place};

/// A call that has passed every check which needs no board.
#[derive(Debug)]
pub(super) enum CheckedCall {
    Change(Change),
    Refresh(ComponentId),
    Undo(NonZeroU32),
    Redo(NonZeroU32),
    Plan(Change),
    Commit(String),
}

/// A command, and which arguments its parts come from.
#[derive(Debug, Clone)]
pub(super) struct Change {
    /// One command, or a batch of commands that are none themselves.
    pub(super) command: CanvasCommand,
    /// For each of them the arguments that it was made of, as a JSON Pointer into the call's. `None` where the call says
    /// nothing of it.
    pub(super) origins: Option<Vec<String>>,
}

impl Change {
    fn one(command: CanvasCommand) -> Self {
        Self { command, origins: Some(vec![String::new()]) }
    }

    fn batch(parts: Vec<Part>, description: String) -> Self {
        let (commands, origins) = parts.into_iter().map(|part| (part.command, part.origin)).unzip();
        Self { command: CanvasCommand::Batch(Batch { commands, description }), origins: Some(origins) }
    }

    /// The change that refuses a component which is not there as every other does.
    pub(super) fn removal(component_id: ComponentId) -> Self {
        Self::one(CanvasCommand::Remove(RemoveComponent { component_id }))
    }

    /// The command of a number.
    pub(super) fn part(&self, number: usize) -> Option<&CanvasCommand> {
        match &self.command {
            CanvasCommand::Batch(batch) => batch.commands.get(number),
            command => (number == 0).then_some(command),
        }
    }
}

/// A command of a batch.
struct Part {
    command: CanvasCommand,
    origin: String,
}

impl CheckedCall {
    /// What the arguments mean, with the component of each alias.
    pub(super) fn new(arguments: Arguments, aliases: &Aliases) -> Self {
        match arguments {
            Arguments::Arrange(arrange) => {
                let parts = arrangement(arrange, "", aliases);
                // Of a single operation the board has words of its own.
                let what = if parts.len() > 1 { "Rearranged the canvas." } else { "" };
                Self::Change(Change::batch(parts, what.to_owned()))
            }
            Arguments::Command(call) => Self::Change(Change::one(command(call, aliases))),
            Arguments::Refresh(Refresh { component_id }) => Self::Refresh(resolve(component_id, aliases)),
            Arguments::Undo(steps) => Self::Undo(steps),
            Arguments::Redo(steps) => Self::Redo(steps),
            Arguments::Plan(calls) => {
                let calls = calls.into_iter().enumerate();
                let parts: Vec<Part> =
                    calls.flat_map(|(number, call)| planned(call, planned_place(number), aliases)).collect();
                let many = parts.len();
                let what = if many > 1 { format!("Made {many} planned changes.") } else { String::new() };
                Self::Plan(Change::batch(parts, what))
            }
            Arguments::Commit(Commit { plan_id }) => Self::Commit(plan_id),
        }
    }
}

/// The commands of a planned call, whose arguments lie at `origin`.
fn planned(call: PlannedArguments, origin: String, aliases: &Aliases) -> Vec<Part> {
    match call {
        PlannedArguments::Arrange(arrange) => arrangement(arrange, &origin, aliases),
        PlannedArguments::Command(call) => vec![Part { command: command(call, aliases), origin }],
    }
}

/// Resizes come before moves, so that a component that gets both is judged, and corrected, by its place.
fn arrangement(Arrange { operations }: Arrange, within: &str, aliases: &Aliases) -> Vec<Part> {
    let mut parts = Vec::with_capacity(operations.len());
    let on_collision = OnCollision::Reject;
    for (number, Fields(Operation { component_id, position, size })) in operations.into_iter().enumerate() {
        let component_id = resolve(component_id, aliases);
        let origin = format!("{within}{}", operation_place(number));
        if let Some(Fields(size)) = size {
            let resize = ResizeComponent { component_id: component_id.clone(), size, on_collision };
            parts.push(Part { command: CanvasCommand::Resize(resize), origin: origin.clone() });
        }
        if let Some(Fields(position)) = position {
            let moved = MoveComponent { component_id, position, on_collision };
            parts.push(Part { command: CanvasCommand::Move(moved), origin });
        }
    }
    parts
}

fn command(call: CommandArguments, aliases: &Aliases) -> CanvasCommand {
    match call {
        CommandArguments::Create(Create { type_id, config, position, size }) => {
            CanvasCommand::Create(Box::new(CreateComponent {
                type_id,
                config: Arc::new(config.into()),
                data_binding: None,
                position: position.map(|Fields(position)| position),
                size: size.map(|Fields(size)| size),
                meta: None,
                hints: None,
                on_collision: OnCollision::Reject,
            }))
        }
        CommandArguments::Modify(Modify { component_id, config_updates }) => {
            CanvasCommand::Update(Box::new(UpdateComponent {
                component_id: resolve(component_id, aliases),
                config: config_updates.map(Value::Object),
                data_binding: None,
                meta: None,
            }))
        }
        CommandArguments::Label(Label { component_id, label, pinned }) => {
            let label = label.map(|label| (!label.is_empty()).then_some(label));
            CanvasCommand::Update(Box::new(UpdateComponent {
                component_id: resolve(component_id, aliases),
                config: None,
                data_binding: None,
                meta: Some(PartialMeta { pinned, label }),
            }))
        }
        CommandArguments::Remove(Remove { component_id }) => {
            CanvasCommand::Remove(RemoveComponent { component_id: resolve(component_id, aliases) })
        }
        CommandArguments::Save(Save { name, description }) => {
            CanvasCommand::SaveView(SaveView { name, description, trigger_ids: None })
        }
        CommandArguments::Load(Load { view_id }) => CanvasCommand::LoadView(LoadView { view_id }),
        CommandArguments::Delete(Delete { view_id }) => CanvasCommand::DeleteView(DeleteView { view_id }),
        CommandArguments::Clear(Clear { preserve_pinned }) => {
            CanvasCommand::Clear(ClearCanvas { preserve_pinned: preserve_pinned.unwrap_or(true) })
        }
    }
}

/// The component that the model means: by an alias, if there is one of this name, or by its id.
fn resolve(name: ComponentId, aliases: &Aliases) -> ComponentId {
    aliases.resolve(name.as_str()).cloned().unwrap_or(name)
}

/// Which command of a change a place speaks of, and where in it.
pub(super) fn number_in(place: &str) -> (usize, &str) {
    let rest = place.strip_prefix("/payload/commands/");
    let found = rest.and_then(|rest| {
        let (number, within) = rest.split_once('/').unwrap_or((rest, ""));
        Some((number.parse().ok()?, &rest[rest.len() - within.len()..]))
    });
    let (number, within) = found.unwrap_or((0, place));
    (number, within.trim_start_matches('/'))
}
