//! Data sources, and the form of their results.

use std::future::Future;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::board::model::data::{DataError, DataQuery};
use crate::board::model::id::DataSourceId;

/// A source of data, which the host supplies.
///
/// A source that pushes changes by itself does not need this trait. Its host passes the changes to
/// [`DataStates::push`](super::DataStates::push).
pub trait DataSource: Send + Sync {
    /// Returns the id by which bindings name the source.
    fn id(&self) -> &DataSourceId;

    /// Returns the name of the source for people.
    fn name(&self) -> &str;

    /// Returns a description for models that choose a source.
    fn description(&self) -> &str;

    /// Returns every kind of query that [`execute`](Self::execute) understands.
    fn queries(&self) -> &[QueryDefinition];

    /// Runs a query. `now` is the host's clock, by which a source without its own clock dates its result.
    ///
    /// # Errors
    ///
    /// Returns [`DataError`], which says whether the same query may succeed later.
    fn execute(
        &self,
        query: &DataQuery,
        now: Timestamp,
    ) -> impl Future<Output = Result<DataResult, DataError>> + Send;
}

/// A kind of query that a source understands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryDefinition {
    /// `type` in JSON, such as `pull_requests`.
    #[serde(rename = "type")]
    pub kind: String,
    /// For models that choose a query.
    pub description: String,
    /// What its parameters must be: JSON Schema, draft 7.
    pub params_schema: Value,
    /// What its data are: JSON Schema, draft 7.
    pub result_schema: Value,
}

/// The answer of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataResult {
    /// By the `result_schema` of the query.
    pub data: Value,
    /// When, from where, and for how long.
    pub meta: DataMeta,
}

/// Where data come from and how long they are fresh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataMeta {
    /// By the clock of the source.
    #[schemars(with = "u64")]
    pub fetched_at: Timestamp,
    /// The source that answered.
    pub source: DataSourceId,
    /// The query that was answered: data for another one are dropped.
    pub query: DataQuery,
    /// Of a list that was cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<PaginationMeta>,
    /// The source itself could not refresh them.
    pub stale: bool,
    /// Milliseconds from their arrival at the host.
    pub ttl: u64,
}

/// Which part of a list an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaginationMeta {
    /// Items of the whole list.
    pub total: u64,
    /// Items before the first one here.
    pub offset: u64,
    /// Items that were asked for.
    pub limit: u64,
    /// Whether items follow the last one here.
    pub has_more: bool,
}
