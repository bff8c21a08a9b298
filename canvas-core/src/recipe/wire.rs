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

/// A recipe as its author writes it. It serves hosts that build one in Rust, and the JSON Schema.
///
/// Only [`Recipe::compile`](crate::recipe::Recipe::compile) reads a sent recipe, and it finds every fault.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct RecipeSpec {
    /// The version of this format, which is 1.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// The version of the operations, which is 1.
    #[schemars(range(min = 1, max = 1))]
    pub catalogue: u32,
    /// The IANA name of the zone of its time expressions. UTC if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
    /// The calls, each after those whose responses it needs.
    #[schemars(length(min = 1, max = 32))]
    pub steps: Vec<StepSpec>,
    /// The mappings of parts of the responses to their targets.
    #[schemars(length(min = 1, max = 128))]
    pub mappings: Vec<MappingSpec>,
    /// The joined changes of the turn to the board, as a board's patch.
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
    /// Name of the called tool.
    pub tool: ToolName,
    /// The arguments of the call. In place of a value you may write `{"$date": "now-7d/d", "as"?:
    /// "rfc3339"|"date"|"unix"|"unix_ms"}`, `{"$result": {"step": ID, "path": POINTER}}` of an earlier step,
    /// `{"$literal": VALUE}`, or `{"$frozen": REASON, "value": VALUE}`, which keeps the step from being called again.
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
    /// The part of the response; the whole response if left out.
    #[serde(default)]
    pub path: JsonPointer,
    /// The operations on that part, in order.
    #[serde(default, skip_serializing_if = "Operations::is_empty")]
    pub ops: Operations,
    /// The target, in the member `component` or `state`.
    #[serde(flatten)]
    pub target: Target,
}
