//! Types of the tools' arguments, from which their schemas follow.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU32;

use canvas_core::board::{ComponentId, Position, Size, TypeId, ViewId};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error as _, MapAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Maximum number of operations in one arrangement, and of commands in one plan. A model does not need more.
pub(super) const MAX_COMMANDS: usize = 1_000;

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
    pub(super) steps: NonZeroU32,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RedoSteps {
    /// Number of steps to redo (default: 1)
    #[serde(default = "one_step", deserialize_with = "steps")]
    #[schemars(schema_with = "number_of_steps")]
    pub(super) steps: NonZeroU32,
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

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RequestAction {
    /// ID of the component (from canvas context)
    #[schemars(with = "String")]
    pub(super) component_id: ComponentId,
    /// One of the actions of its type
    pub(super) action_id: String,
    /// Parameters of the action
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    pub(super) params: Option<Map<String, Value>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Show {
    /// Go on after this component: the next_after of a reply
    #[serde(default)]
    #[schemars(with = "String")]
    pub(super) after: Option<ComponentId>,
}

/// Reads a value only from an object, because serde would also take a list of its fields.
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

fn cell(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "col": {"type": "integer", "minimum": 0, "description": "Column position (0-indexed)"},
            "row": {"type": "integer", "minimum": 0, "description": "Row position (0-indexed)"},
        },
        "required": ["col", "row"],
    })
}

fn width_and_height(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "cols": {"type": "integer", "minimum": 1, "description": "Width in grid units"},
            "rows": {"type": "integer", "minimum": 1, "description": "Height in grid units"},
        },
        "required": ["cols", "rows"],
    })
}

fn number_of_steps(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "integer", "minimum": 1, "maximum": 10})
}
