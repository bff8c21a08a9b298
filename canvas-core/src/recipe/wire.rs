//! A recipe in the form for transport and storage.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::json_hash::JsonHash;
use crate::recipe::mapping::Target;
use crate::recipe::name::StepId;
use crate::recipe::operation::operations::Operations;
use crate::recipe::pointer::JsonPointer;
use crate::surface::ToolName;

/// A recipe as its author writes it: for hosts that make one in Rust, and for the JSON Schema.
///
/// Sent recipes are read by [`Recipe::compile`](crate::recipe::Recipe::compile) only, which finds every fault.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct RecipeSpec {
    /// 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The version of what the operations mean: 1.
    #[schemars(range(min = 1, max = 1))]
    pub catalogue: u32,
    /// The IANA name of the zone of its time expressions. UTC where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The calls, each after those whose responses it needs.
    #[schemars(length(min = 1, max = 32))]
    pub steps: Vec<StepSpec>,
    /// Where parts of the responses go.
    #[schemars(length(min = 1, max = 128))]
    pub mappings: Vec<MappingSpec>,
    /// What the turn changed on the board, joined: a board's patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub composition: Option<Value>,
}

/// A call as its author writes it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct StepSpec {
    /// Names it in the recipe.
    pub id: StepId,
    /// The tool.
    pub tool: ToolName,
    /// Its arguments. In the place of a value may stand `{"$date": "now-7d/d", "as"?: "rfc3339"|"date"|"unix"|"unix_ms"}`,
    /// `{"$result": {"step": id, "path": JSON Pointer}}` of an earlier step, `{"$literal": value}`, or
    /// `{"$frozen": reason, "value": value}`, which keeps the step from being called again.
    #[serde(default)]
    pub params: Map<String, Value>,
    /// The hash of the tool's contract. It is filled in when the recipe is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<JsonHash>,
    /// The tool's version, in its own words. It is filled in when the recipe is recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
}

/// A mapping as its author writes it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MappingSpec {
    /// The step whose response it takes.
    pub step: StepId,
    /// The part of the response; the whole where it is left out.
    #[serde(default)]
    pub path: JsonPointer,
    /// What is done with it, one operation after the other.
    #[serde(default, skip_serializing_if = "Operations::is_empty")]
    pub ops: Operations,
    /// Where it goes: the member `component` or `state`.
    #[serde(flatten)]
    pub target: Target,
}
