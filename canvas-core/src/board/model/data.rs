//! Data of components, with their bindings, states and errors.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::DataSourceId;
use crate::model::error::CodedError;

/// Binding of a component to the query for its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataBinding {
    /// Name of a [`DataSource`](crate::board::DataSource) of the host.
    pub source: DataSourceId,
    /// Query, which is sent to the source unchanged.
    pub query: DataQuery,
    /// Milliseconds between two refreshes, or `None` if only a person refreshes the data.
    pub refresh_interval: Option<u64>,
}

/// A query to a data source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataQuery {
    /// The kind of query, such as `pull_requests`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Parameters, as documented by the source for this kind of query.
    pub params: Map<String, Value>,
}

/// State of a component's data.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DataLoadingState {
    /// No request was made, because the component has no binding or the host did not poll yet.
    #[default]
    Idle,
    /// The first request is running. If data are already shown, a refresh does not count as `Loading`.
    Loading {
        /// Time of the request.
        #[schemars(with = "u64")]
        started_at: Timestamp,
    },
    /// Data within their `ttl`.
    Ready {
        /// JSON from the source.
        data: Value,
        /// Time of the data, by the clock of the source.
        #[schemars(with = "u64")]
        fetched_at: Timestamp,
    },
    /// The last request failed, and there are no older data to show.
    Error {
        /// Error from the source, or a time-out from the host.
        error: DataError,
        /// Time of the failed request's end.
        #[schemars(with = "u64")]
        attempted_at: Timestamp,
    },
    /// Data past their `ttl`, or with a failed refresh. They are still shown.
    Stale {
        /// JSON from the source.
        data: Value,
        /// Time of the data, by the clock of the source.
        #[schemars(with = "u64")]
        fetched_at: Timestamp,
    },
}

/// Error of a data source. The host creates it for a time-out, and the source otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataError {
    /// Stable code.
    pub code: DataErrorCode,
    /// Message for people and models.
    pub message: String,
    /// Source of the error.
    pub source: DataSourceId,
    /// Whether the same query may succeed later. If so, it is retried after a pause.
    pub retryable: bool,
    /// Milliseconds to wait before a retry, if the source requests a pause.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

impl CodedError for DataError {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn is_retryable(&self) -> bool {
        self.retryable
    }
}

// Not derived, because the derive would take the field `source` for the cause.
impl std::error::Error for DataError {}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

canvas_patch::coded! {
    /// Code of a failed query.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum DataErrorCode {
        /// The queried object does not exist.
        NotFound = "NOT_FOUND",
        /// The source requires credentials.
        Unauthorized = "UNAUTHORIZED",
        /// The credentials do not permit this query.
        Forbidden = "FORBIDDEN",
        /// The source received too many queries. Wait for `retry_after`.
        RateLimited = "RATE_LIMITED",
        /// The source could not be reached.
        Network = "NETWORK",
        /// The source did not answer within the host's time limit.
        Timeout = "TIMEOUT",
        /// The source does not understand the query.
        InvalidQuery = "INVALID_QUERY",
        /// The source is down, or unknown.
        SourceUnavailable = "SOURCE_UNAVAILABLE",
        /// Any other error.
        Unknown = "UNKNOWN",
    }
}
