//! The model's declaration about the calls of its turn.

use std::collections::BTreeMap;

use canvas_core::board::ComponentId;
use canvas_core::recipe::MappingSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// The model's mapping of call results to data, and the arguments to compute at each replay.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecipeDeclaration {
    /// Mappings of parts of the results to their targets. `step` is the id of a call of this turn.
    #[schemars(with = "Vec<MappingSpec>", length(min = 1, max = 128))]
    pub mappings: Vec<Value>,
    /// Arguments to compute, by the id of a call, and then by a JSON Pointer into its arguments, such as `/from`. A
    /// value is `{"$date": "now-7d/d", "as"?}`, `{"$result": {"step": ID, "path": POINTER}}` of an earlier call, or
    /// `{"$frozen": REASON}`, which keeps the call from being repeated. All other arguments are sent unchanged.
    #[serde(default)]
    pub params: BTreeMap<String, BTreeMap<String, Map<String, Value>>>,
    /// The IANA name of the zone of the time expressions. UTC if left out.
    #[serde(default)]
    pub timezone: Option<String>,
    /// The data that components show now, by their ids. Recorded only if the mappings give the same data.
    #[serde(default)]
    pub shown: BTreeMap<ComponentId, Value>,
}
