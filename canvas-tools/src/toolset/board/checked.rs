//! What a call asks for: its arguments read into commands, and every check that needs no board.

use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{
    Aliases, Batch, CanvasCommand, ClearCanvas, ComponentId, CreateComponent, DeleteView, LoadView,
    MoveComponent, OnCollision, PartialMeta, RemoveComponent, ResizeComponent, SaveView, UpdateComponent,
};
use canvas_core::{Access, Policy};
use serde_json::{Number, Value};

use super::BoardExtensions;
use super::arguments::{
    Arrange, Clear, Commit, Create, Delete, Fields, Label, Load, MOST, Modify, Operation, Plan, PlannedCall,
    RedoSteps, Refresh, Remove, Save, UndoSteps,
};
use super::tool::Tool;
use crate::reply::ToolError;
use crate::toolset::call::ToolCall;
use crate::toolset::document::arguments::arguments;

/// Arguments that have passed every check which needs no board.
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

    fn batch(parts: Vec<(CanvasCommand, String)>, description: String) -> Self {
        let (commands, origins) = parts.into_iter().unzip();
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

/// What a call asks for.
pub(super) fn check(
    call: &ToolCall,
    policy: &Policy,
    extensions: BoardExtensions,
    aliases: Option<&Aliases>,
) -> Result<CheckedCall, ToolError> {
    let tool = Tool::beside(extensions).find(|tool| tool.name() == call.name).ok_or_else(|| {
        let open = Tool::beside(extensions).filter(|tool| policy.permits(tool.access()).is_ok());
        let names: Vec<_> = open.map(Tool::name).collect();
        if names.is_empty()
            && let Err(refusal) = policy.permits(Access::Read)
        {
            return ToolError::of_refusal(&refusal);
        }
        unknown(&call.name, &names)
    })?;
    policy.permits(tool.access()).map_err(|refusal| ToolError::of_refusal(&refusal))?;
    let names = Names { aliases };
    Ok(match tool {
        Tool::Refresh => CheckedCall::Refresh(names.id(arguments::<Refresh>(call)?.component_id)),
        Tool::Undo => CheckedCall::Undo(steps(arguments::<UndoSteps>(call)?.steps)?),
        Tool::Redo => CheckedCall::Redo(steps(arguments::<RedoSteps>(call)?.steps)?),
        Tool::Plan => {
            let Plan { commands } = arguments(call)?;
            limited("/commands", commands.len())?;
            let mut parts = Vec::with_capacity(commands.len());
            for (at, Fields(PlannedCall { name, arguments })) in commands.into_iter().enumerate() {
                let place = format!("/commands/{at}");
                let known = Tool::beside(extensions).find(|tool| tool.name() == name && tool.is_planned());
                let tool = known.ok_or_else(|| {
                    let planned = Tool::beside(extensions).filter(|tool| tool.is_planned());
                    let error = unknown(&name, &planned.map(Tool::name).collect::<Vec<_>>());
                    error.at(&format!("{place}/name"))
                })?;
                let call = ToolCall { id: String::new(), name, arguments: arguments.into() };
                let within = format!("{place}/arguments");
                let made = names.parts(tool, &call, &within).map_err(|error| error.within(&within))?;
                parts.extend(made);
                limited("/commands", parts.len())?;
            }
            let many = parts.len();
            let what = if many > 1 { format!("Made {many} planned changes.") } else { String::new() };
            CheckedCall::Plan(Change::batch(parts, what))
        }
        Tool::Commit => CheckedCall::Commit(arguments::<Commit>(call)?.plan_id),
        Tool::Arrange => {
            let parts = names.parts(tool, call, "")?;
            // Of a single operation the board has words of its own.
            let what = if parts.len() > 1 { "Rearranged the canvas." } else { "" };
            CheckedCall::Change(Change::batch(parts, what.to_owned()))
        }
        _ => {
            let (command, _) = names.parts(tool, call, "")?.remove(0);
            CheckedCall::Change(Change::one(command))
        }
    })
}

impl Tool {
    /// Whether it may be part of a plan.
    const fn is_planned(self) -> bool {
        !matches!(self, Self::Refresh | Self::Undo | Self::Redo | Self::Plan | Self::Commit)
    }
}

/// What the model calls components by.
struct Names<'a> {
    aliases: Option<&'a Aliases>,
}

impl Names<'_> {
    fn id(&self, id: ComponentId) -> ComponentId {
        self.aliases.and_then(|aliases| aliases.resolve(id.as_str())).cloned().unwrap_or(id)
    }

    /// The commands that a call of a tool which changes something means, and where in `within` each comes from.
    fn parts(
        &self,
        tool: Tool,
        call: &ToolCall,
        within: &str,
    ) -> Result<Vec<(CanvasCommand, String)>, ToolError> {
        let command = match tool {
            Tool::Arrange => return self.arrangement(arguments(call)?, within),
            Tool::Create => {
                let Create { type_id, config, position, size } = arguments(call)?;
                let (data_binding, meta, hints, on_collision) = (None, None, None, OnCollision::Reject);
                let (position, size) =
                    (position.map(|Fields(position)| position), size.map(|Fields(size)| size));
                let config = Arc::new(config.into());
                CanvasCommand::Create(Box::new(CreateComponent {
                    type_id,
                    config,
                    data_binding,
                    position,
                    size,
                    meta,
                    hints,
                    on_collision,
                }))
            }
            Tool::Modify => {
                let Modify { component_id, config_updates } = arguments(call)?;
                let (component_id, config) = (self.id(component_id), config_updates.map(Value::Object));
                let (data_binding, meta) = (None, None);
                CanvasCommand::Update(Box::new(UpdateComponent { component_id, config, data_binding, meta }))
            }
            Tool::Remove => {
                let component_id = self.id(arguments::<Remove>(call)?.component_id);
                CanvasCommand::Remove(RemoveComponent { component_id })
            }
            Tool::SaveView => {
                let Save { name, description } = arguments(call)?;
                CanvasCommand::SaveView(SaveView { name, description, trigger_ids: None })
            }
            Tool::LoadView => CanvasCommand::LoadView(LoadView { view_id: arguments::<Load>(call)?.view_id }),
            Tool::DeleteView => {
                CanvasCommand::DeleteView(DeleteView { view_id: arguments::<Delete>(call)?.view_id })
            }
            Tool::Clear => {
                let preserve_pinned = arguments::<Clear>(call)?.preserve_pinned.unwrap_or(true);
                CanvasCommand::Clear(ClearCanvas { preserve_pinned })
            }
            Tool::Label => {
                let Label { component_id, label, pinned } = arguments(call)?;
                let label = label.map(|label| (!label.is_empty()).then_some(label));
                CanvasCommand::Update(Box::new(UpdateComponent {
                    component_id: self.id(component_id),
                    config: None,
                    data_binding: None,
                    meta: Some(PartialMeta { pinned, label }),
                }))
            }
            Tool::Refresh | Tool::Undo | Tool::Redo | Tool::Plan | Tool::Commit => {
                unreachable!("these are no commands of the board")
            }
        };
        Ok(vec![(command, within.to_owned())])
    }

    /// Sizes go before places, so that a component that gets both is judged, and put right, by its place.
    fn arrangement(
        &self,
        Arrange { operations }: Arrange,
        within: &str,
    ) -> Result<Vec<(CanvasCommand, String)>, ToolError> {
        limited("/operations", operations.len())?;
        let mut parts = Vec::with_capacity(operations.len());
        for (at, Fields(Operation { component_id, position, size })) in operations.into_iter().enumerate() {
            if position.is_none() && size.is_none() {
                let what = "this operation says nothing: pass position, size or both";
                return Err(ToolError::argument(&format!("/operations/{at}"), what));
            }
            let component_id = self.id(component_id);
            let origin = format!("{within}/operations/{at}");
            let on_collision = OnCollision::Reject;
            if let Some(Fields(size)) = size {
                let resize = ResizeComponent { component_id: component_id.clone(), size, on_collision };
                parts.push((CanvasCommand::Resize(resize), origin.clone()));
            }
            if let Some(Fields(position)) = position {
                let moved = MoveComponent { component_id, position, on_collision };
                parts.push((CanvasCommand::Move(moved), origin));
            }
        }
        Ok(parts)
    }
}

fn unknown(name: &str, known: &[&str]) -> ToolError {
    let name: String = name.chars().take(80).collect();
    let message = format!("there is no tool \"{name}\": call one of {}", known.join(", "));
    ToolError::new("UNKNOWN_TOOL", message)
}

fn limited(place: &str, found: usize) -> Result<(), ToolError> {
    if found <= MOST {
        return Ok(());
    }
    Err(ToolError::argument(place, format!("at most {MOST} at once: make several calls")))
}

/// Models write 3.0 for 3.
fn steps(steps: Option<Number>) -> Result<NonZeroU32, ToolError> {
    let Some(number) = steps.as_ref().map(Number::as_f64) else { return Ok(NonZeroU32::MIN) };
    let whole = number.filter(|number| number.fract() == 0.0 && (1.0..=10.0).contains(number));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let steps = whole.and_then(|number| NonZeroU32::new(number as u32));
    steps.ok_or_else(|| ToolError::argument("/steps", "pass a whole number from 1 to 10"))
}
