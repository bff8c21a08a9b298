//! What gives data to components, and how it says what it has (specs 002 §5.2, §5.3).

use std::future::Future;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::board::model::data::{DataError, DataQuery};
use crate::board::model::id::DataSourceId;

/// A source of data. Hosts have their own; [`MockGithub`](super::MockGithub) is one without a network.
///
/// A source that tells of changes by itself needs nothing here: its host hands what comes to
/// [`DataStates::push`](super::DataStates::push).
pub trait DataSource: Send + Sync {
    /// Its name in bindings.
    fn id(&self) -> &DataSourceId;

    /// Its name for people.
    fn name(&self) -> &str;

    /// What it has.
    fn description(&self) -> &str;

    /// What it may be asked.
    fn queries(&self) -> &[QueryDefinition];

    /// Asks it. `now` is the host's clock; a source without a clock of its own dates its answer by it.
    ///
    /// # Errors
    ///
    /// [`DataError`], which says whether the same query may succeed later.
    fn execute(
        &self,
        query: &DataQuery,
        now: Timestamp,
    ) -> impl Future<Output = Result<DataResult, DataError>> + Send;
}

/// A kind of query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryDefinition {
    /// Its name, such as `pull_requests`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it gives.
    pub description: String,
    /// What its parameters must be: JSON Schema, draft 7.
    pub params_schema: Value,
    /// What its data are: JSON Schema, draft 7.
    pub result_schema: Value,
}

/// What a source answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataResult {
    /// The data.
    pub data: Value,
    /// What they are.
    pub meta: DataMeta,
}

/// What data are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataMeta {
    /// When the source had them.
    #[schemars(with = "u64")]
    pub fetched_at: Timestamp,
    /// The source.
    pub source: DataSourceId,
    /// What it was asked.
    pub query: DataQuery,
    /// Which part of all they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<PaginationMeta>,
    /// Whether the source itself takes them for old.
    pub stale: bool,
    /// Milliseconds after which they are old.
    pub ttl: u64,
}

/// Which part of all something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaginationMeta {
    /// How many there are.
    pub total: u64,
    /// How many come before these.
    pub offset: u64,
    /// How many were asked for.
    pub limit: u64,
    /// Whether there are more behind these.
    pub has_more: bool,
}
