//! Data of components, with their bindings, states and errors.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::DataSourceId;

/// The query that gives a component its data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataBinding {
    /// Names a [`DataSource`](crate::board::DataSource) of the host.
    pub source: DataSourceId,
    /// Sent to the source as it is.
    pub query: DataQuery,
    /// Milliseconds between two refreshes; `None` where only a person asks for one.
    pub refresh_interval: Option<u64>,
}

/// A question to a source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataQuery {
    /// The kind of query, such as `pull_requests`.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the source documents for this kind of query.
    pub params: Map<String, Value>,
}

/// What a component shows while its data are fetched, and after.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DataLoadingState {
    /// No request was made: there is no binding, or nobody has polled yet.
    #[default]
    Idle,
    /// The first request is under way. A refresh behind data that are shown is not `Loading`.
    Loading {
        /// When the request was made.
        #[schemars(with = "u64")]
        started_at: Timestamp,
    },
    /// Data that are not older than their `ttl`.
    Ready {
        /// Whatever JSON the source gave.
        data: Value,
        /// By the clock of the source.
        #[schemars(with = "u64")]
        fetched_at: Timestamp,
    },
    /// The last request failed, and nothing could be shown instead.
    Error {
        /// From the source, or a time-out of the host.
        error: DataError,
        /// When the answer came, or did not.
        #[schemars(with = "u64")]
        attempted_at: Timestamp,
    },
    /// Data past their `ttl`, or whose refresh failed; they are shown all the same.
    Stale {
        /// Whatever JSON the source gave.
        data: Value,
        /// By the clock of the source.
        #[schemars(with = "u64")]
        fetched_at: Timestamp,
    },
}

/// Why a source gave no data. The source makes it; the host makes it of a time-out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataError {
    /// For branching.
    pub code: DataErrorCode,
    /// For people and models.
    pub message: String,
    /// The source that failed.
    pub source: DataSourceId,
    /// The same query may succeed later: it is tried again after a pause.
    pub retryable: bool,
    /// Milliseconds before it makes sense to ask again, where the source says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

canvas_patch::coded_error!(DataError as DataErrorCode { Self { code, retryable, .. } => *code, *retryable; });

// Not derived, because the derive would take the field `source` for the cause.
impl std::error::Error for DataError {}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

canvas_patch::coded! {
    /// What went wrong with a query.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum DataErrorCode {
        /// The thing that was asked for does not exist.
        NotFound = "NOT_FOUND",
        /// The source wants credentials.
        Unauthorized = "UNAUTHORIZED",
        /// The credentials do not open this.
        Forbidden = "FORBIDDEN",
        /// The source has had too many queries; `retry_after` says until when.
        RateLimited = "RATE_LIMITED",
        /// The source was not reached.
        Network = "NETWORK",
        /// No answer within the time limit of the host.
        Timeout = "TIMEOUT",
        /// The query makes no sense to the source.
        InvalidQuery = "INVALID_QUERY",
        /// The source is down, or unknown.
        SourceUnavailable = "SOURCE_UNAVAILABLE",
        /// None of the others.
        Unknown = "UNKNOWN",
    }
}
