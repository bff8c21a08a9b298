//! Arguments of the tools: their types, from which their schemas follow, and every check that needs no board.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use canvas_core::board::{ComponentId, Position, Size, TypeId, ViewId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::BoardTools;
use super::schema::{cell, number_of_steps, width_and_height};
use super::tool::Tool;
use crate::toolset::arguments::arguments;
use crate::toolset::error::ToolError;
use crate::toolset::unknown_tool;

/// Operations of one arrangement, and commands of one plan: more than a model can mean.
const MAX_COMMANDS: usize = 1_000;

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
        let count = |Fields(one): &Fields<Operation>| {
            usize::from(one.position.is_some()) + usize::from(one.size.is_some())
        };
        operations.iter().map(count).sum()
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
                    let unknown = unknown_tool(&name, plannable().map(Tool::name));
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

impl Arrange {
    fn checked(self) -> Result<Self, ToolError> {
        check_count("/operations", self.operations.len())?;
        let is_empty = |Fields(one): &Fields<Operation>| one.position.is_none() && one.size.is_none();
        match self.operations.iter().position(is_empty) {
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

/// Reads a number of steps. Models write 3.0 for 3.
fn steps<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NonZeroU32, D::Error> {
    let Some(number) = Option::<Number>::deserialize(deserializer)? else { return Ok(NonZeroU32::MIN) };
    let whole = number.as_f64().filter(|number| number.fract() == 0.0 && (1.0..=10.0).contains(number));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    let steps = whole.and_then(|number| NonZeroU32::new(number as u32));
    steps.ok_or_else(|| D::Error::custom("pass a whole number from 1 to 10"))
}

const fn one_step() -> NonZeroU32 {
    NonZeroU32::MIN
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Create {
    /// The component type identifier
    #[schemars(with = "String")]
    pub(super) type_id: TypeId,
    /// Component-specific configuration. Schema varies by type_id.
    pub(super) config: Map<String, Value>,
    /// Grid position. If omitted, component is auto-placed.
    #[serde(default)]
    #[schemars(schema_with = "cell")]
    pub(super) position: Option<Fields<Position>>,
    /// Component size. If omitted, uses component default.
    #[serde(default)]
    #[schemars(schema_with = "width_and_height")]
    pub(super) size: Option<Fields<Size>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Modify {
    /// ID of the component to modify (from canvas context)
    #[schemars(with = "String")]
    pub(super) component_id: ComponentId,
    /// Configuration fields to update (merged with existing config)
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(super) config_updates: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arrange {
    /// List of move/resize operations (applied atomically)
    #[schemars(with = "Vec<Operation>", length(max = MAX_COMMANDS))]
    pub(super) operations: Vec<Fields<Operation>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct Operation {
    /// Component to move/resize
    #[schemars(with = "String")]
    pub(super) component_id: ComponentId,
    /// New position (optional)
    #[serde(default)]
    #[schemars(schema_with = "cell")]
    pub(super) position: Option<Fields<Position>>,
    /// New size (optional)
    #[serde(default)]
    #[schemars(schema_with = "width_and_height")]
    pub(super) size: Option<Fields<Size>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Remove {
    /// ID of the component to remove (from canvas context)
    #[schemars(with = "String")]
    pub(super) component_id: ComponentId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Refresh {
    /// ID of the component to refresh (from canvas context)
    #[schemars(with = "String")]
    pub(super) component_id: ComponentId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UndoSteps {
    /// Number of steps to undo (default: 1)
    #[serde(default = "one_step", deserialize_with = "steps")]
    #[schemars(schema_with = "number_of_steps")]
    steps: NonZeroU32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RedoSteps {
    /// Number of steps to redo (default: 1)
    #[serde(default = "one_step", deserialize_with = "steps")]
    #[schemars(schema_with = "number_of_steps")]
    steps: NonZeroU32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Save {
    /// Name for the saved view
    pub(super) name: String,
    /// Optional description of what this view is for
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) description: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Load {
    /// ID of the view to load (from workspace context)
    #[schemars(with = "String")]
    pub(super) view_id: ViewId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Delete {
    /// ID of the view to delete (from workspace context)
    #[schemars(with = "String")]
    pub(super) view_id: ViewId,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Clear {
    /// Whether pinned components stay. Default true.
    #[serde(default)]
    #[schemars(with = "bool")]
    pub(super) preserve_pinned: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Label {
    /// ID of the component (from canvas context)
    #[schemars(with = "String")]
    pub(super) component_id: ComponentId,
    /// What the user calls it; empty text takes the name away
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) label: Option<String>,
    /// Whether it stays where it is
    #[serde(default)]
    #[schemars(with = "bool")]
    pub(super) pinned: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Plan {
    /// Calls to try, in order. A later one may say $0 for the first component that they create, $1 for the second.
    #[schemars(with = "Vec<PlannedCall>", length(max = MAX_COMMANDS))]
    pub(super) commands: Vec<Fields<PlannedCall>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub(super) struct PlannedCall {
    /// A canvas tool that changes something, such as create_component
    pub(super) name: String,
    /// Its arguments
    pub(super) arguments: Map<String, Value>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Commit {
    /// The plan_id of plan_canvas
    pub(super) plan_id: String,
}

/// Something that is read from an object alone, where serde would take a list of its fields as well.
#[derive(Debug)]
pub(super) struct Fields<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Fields<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }

        deserializer.deserialize_map(Object(PhantomData)).map(Self)
    }
}
