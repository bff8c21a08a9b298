//! The model's declaration about the calls of its turn.

use std::collections::BTreeMap;

use canvas_core::board::ComponentId;
use canvas_core::recipe::MappingSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// How the results of calls became data, and which arguments are to be found anew.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipeDeclaration {
    /// Where parts of the results go. `step` is the id of a call of this turn.
    #[schemars(with = "Vec<MappingSpec>", length(min = 1, max = 128))]
    pub mappings: Vec<Value>,
    /// By the id of a call, and then by a JSON Pointer into its arguments, such as `/from`: `{"$date": "now-7d/d", "as"?}`,
    /// `{"$result": {"step": id, "path": JSON Pointer}}` of an earlier call, or `{"$frozen": reason}`, which keeps the call from
    /// being made again. All other arguments are sent as they were.
    #[serde(default)]
    pub params: BTreeMap<String, BTreeMap<String, Map<String, Value>>>,
    /// The IANA name of the zone of the time expressions. UTC where it is left out.
    #[serde(default)]
    pub timezone: Option<String>,
    /// The data that components show now, by their ids: recorded only if the mappings give the same.
    #[serde(default)]
    pub shown: BTreeMap<ComponentId, Value>,
}
