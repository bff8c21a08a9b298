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

/// A replay that has ended: with the responses, which the host keeps by their hashes, it can be played again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// Names it.
    pub run_id: RunId,
    /// The recipe, by its id.
    #[schemars(with = "String")]
    pub recipe: BlobId,
    /// The `now` of all its time expressions.
    #[schemars(with = "u64")]
    pub now: Timestamp,
    /// The IANA name of the zone of its time expressions.
    pub timezone: String,
    /// The version of the time zones.
    pub tzdb_version: String,
    /// The components that were asked for; left out where all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub components: Option<BTreeSet<ComponentId>>,
    /// Components that the board no longer had, which were not fed; left out if there were none.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub gone: BTreeSet<ComponentId>,
    /// Whether nothing was kept.
    pub dry_run: bool,
    /// The calls, in the order of the recipe.
    pub calls: Vec<RecordedCall>,
    /// The steps that were asked for and could not be called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedStep>,
    /// What it has changed, as a JSON Patch of `{data: {component: value}, state}`.
    pub patch: Vec<JsonPatchOperation>,
    /// What it has come to.
    #[serde(flatten)]
    pub finished: ReplayFinished,
}

/// A call of a replay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecordedCall {
    /// The step.
    pub step: StepId,
    /// The tool.
    pub tool: ToolName,
    /// What it was called with.
    pub params: Value,
    /// The hash of what it answered; left out where it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_hash: Option<JsonHash>,
    /// Why it has failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Drift>,
}

/// A step that was not called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedStep {
    /// The step.
    pub step: StepId,
    /// Why.
    pub reason: Drift,
}
