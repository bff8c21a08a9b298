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
    /// Kind of query, such as `pull_requests`. The JSON name is `type`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Description for models that choose a query.
    pub description: String,
    /// JSON Schema (draft 7) of the parameters.
    pub params_schema: Value,
    /// JSON Schema (draft 7) of the data.
    pub result_schema: Value,
}

/// A response of a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataResult {
    /// Data that match the `result_schema` of the query.
    pub data: Value,
    /// Origin and lifetime of the data.
    pub meta: DataMeta,
}

/// Origin of data, and the time for which they are fresh.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataMeta {
    /// Time of the data, by the clock of the source.
    #[schemars(with = "u64")]
    pub fetched_at: Timestamp,
    /// Source of the data.
    pub source: DataSourceId,
    /// Query of this response. Data for another query are dropped.
    pub query: DataQuery,
    /// Page of a list, if the response has only a part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pagination: Option<PaginationMeta>,
    /// Whether the source could not refresh the data itself.
    pub stale: bool,
    /// Lifetime in milliseconds, from the arrival at the host.
    pub ttl: u64,
}

/// A page of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PaginationMeta {
    /// Number of items in the whole list.
    pub total: u64,
    /// Number of items before this page.
    pub offset: u64,
    /// Requested number of items.
    pub limit: u64,
    /// Whether more items follow this page.
    pub has_more: bool,
}
