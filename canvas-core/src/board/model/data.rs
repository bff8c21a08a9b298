//! What components show: bindings, results, errors (specs 002 §1.4, §5).

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::DataSourceId;

/// Where a component's data come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataBinding {
    /// The source.
    pub source: DataSourceId,
    /// What it is asked.
    pub query: DataQuery,
    /// Milliseconds between two refreshes; `None` where only a person asks for one.
    pub refresh_interval: Option<u64>,
}

/// What a source is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DataQuery {
    /// The kind of query, such as `pull_requests`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its parameters.
    pub params: Map<String, Value>,
}

/// How far a component's data are.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum DataLoadingState {
    /// Nothing was asked for.
    #[default]
    Idle,
    /// They are under way.
    Loading {
        /// Since when.
        #[schemars(with = "u64")]
        started_at: Timestamp,
    },
    /// They are there.
    Ready {
        /// Them.
        data: Value,
        /// Since when.
        #[schemars(with = "u64")]
        fetched_at: Timestamp,
    },
    /// They could not be had.
    Error {
        /// Why.
        error: DataError,
        /// When it was tried.
        #[schemars(with = "u64")]
        attempted_at: Timestamp,
    },
    /// They are there, and too old.
    Stale {
        /// Them.
        data: Value,
        /// Since when.
        #[schemars(with = "u64")]
        fetched_at: Timestamp,
    },
}

/// Why data could not be had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataError {
    /// The stable code.
    pub code: DataErrorCode,
    /// One sentence.
    pub message: String,
    /// The source that was asked.
    pub source: DataSourceId,
    /// Whether the same query may succeed later.
    pub retryable: bool,
    /// Milliseconds to wait before that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
}

// Not derived: the derive would take the field `source` for the cause.
impl std::error::Error for DataError {}

impl std::fmt::Display for DataError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// What went wrong with data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DataErrorCode {
    /// There is no such thing.
    NotFound,
    /// The source wants credentials.
    Unauthorized,
    /// The credentials do not open this.
    Forbidden,
    /// Too many queries.
    RateLimited,
    /// The source was not reached.
    Network,
    /// The source did not answer in time.
    Timeout,
    /// The query makes no sense to the source.
    InvalidQuery,
    /// The source is down, or unknown.
    SourceUnavailable,
    /// Anything else.
    Unknown,
}
