//! Types of the arguments of the tools that edit the structure.
//!
//! The descriptions of the tools explain the fields, in fewer tokens than a description of each field would have.

use canvas_core::text::{Address, YamlValue};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
#[cfg(feature = "schema")]
use {schemars::JsonSchema, serde_json::Map};

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Move {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub(super) from: Address,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) before: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) after: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) into: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub(super) shift: Option<i64>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct ReplaceAll {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    pub(super) find: String,
    pub(super) with: String,
    #[serde(default)]
    pub(super) regex: Option<bool>,
    pub(super) revision_id: String,
    #[cfg_attr(feature = "schema", schemars(with = "i64"))]
    pub(super) count: usize,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct EditTable {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    #[serde(default)]
    pub(super) section: Option<Vec<String>>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub(super) ordinal: Option<usize>,
    #[cfg_attr(feature = "schema", schemars(with = "i64"))]
    pub(super) table: usize,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) set: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) insert_row: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) remove_row: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) move_row: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) insert_column: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) remove_column: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Map<String, Value>>"))]
    pub(super) move_column: Option<Value>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct SetFrontMatter {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    pub(super) key: String,
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(feature = "schema", schemars(schema_with = "yaml_value"))]
    pub(super) value: Option<YamlValue>,
    #[serde(default)]
    pub(super) remove: Option<bool>,
}

/// The usual values of a key, each with a type of its own: some clients refuse a list of types. Null and other lists are
/// read too.
#[cfg(feature = "schema")]
fn yaml_value(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({"anyOf": [
        {"type": "string"}, {"type": "boolean"}, {"type": "number"},
        {"type": "array", "items": {"type": "string"}},
    ]})
}

/// Reads a value that is there, even if it is null.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<YamlValue>, D::Error> {
    YamlValue::deserialize(deserializer).map(Some)
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct EditList {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    #[serde(default)]
    pub(super) section: Option<Vec<String>>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub(super) ordinal: Option<usize>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<i64>>"))]
    pub(super) item: Option<Value>,
    #[serde(default)]
    pub(super) check: Option<bool>,
    #[serde(default)]
    pub(super) insert_after: Option<String>,
    #[serde(default)]
    pub(super) remove: Option<bool>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<i64>>"))]
    pub(super) move_to: Option<Value>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub(super) list: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct RenameHeading {
    #[serde(default)]
    pub(super) lease_id: Option<String>,
    pub(super) section: Vec<String>,
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub(super) ordinal: Option<usize>,
    pub(super) title: String,
    #[serde(default)]
    pub(super) links: Option<bool>,
}
