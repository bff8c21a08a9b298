//! The record of a replay, from which it can be rerun.

use std::collections::BTreeSet;

use canvas_core::BlobId;
use canvas_core::board::ComponentId;
use canvas_core::json::{JsonHash, JsonPatchOperation};
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{Drift, ReplayFinished, RunId, StepId};
use canvas_core::surface::ToolName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The record of a finished replay. Together with the responses, which the host stores by their hashes, it can be
/// replayed offline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// Id of the run.
    pub run_id: RunId,
    /// Id of the recipe.
    #[schemars(with = "String")]
    pub recipe: BlobId,
    /// Value of `now` in all time expressions.
    #[schemars(with = "u64")]
    pub now: Timestamp,
    /// IANA time zone of the time expressions.
    pub timezone: String,
    /// Version of the time zone database.
    pub tzdb_version: String,
    /// Requested components. Absent if all were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<BTreeSet<ComponentId>>,
    /// Components missing from the board, which were not refreshed. Absent if empty.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub gone: BTreeSet<ComponentId>,
    /// Whether the result was discarded, as in a dry run.
    pub dry_run: bool,
    /// Calls in the order of the recipe.
    pub calls: Vec<RecordedCall>,
    /// Requested steps that could not be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedStep>,
    /// Changes as a JSON Patch on the object `{data: {component: value}, state}`.
    pub patch: Vec<JsonPatchOperation>,
    /// Outcome of the replay.
    #[serde(flatten)]
    pub finished: ReplayFinished,
}

/// A tool call of a replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCall {
    /// Step of the recipe.
    pub step: StepId,
    /// Name of the tool.
    pub tool: ToolName,
    /// Arguments of the call.
    pub params: Value,
    /// Hash of the response. Absent if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_hash: Option<JsonHash>,
    /// Reason if the call failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Drift>,
}

/// A step without a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedStep {
    /// Step of the recipe.
    pub step: StepId,
    /// Reason why it was not called.
    pub reason: Drift,
}
