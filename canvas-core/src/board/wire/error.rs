//! Errors in the form that hosts pass on, with their subject and time.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::result::CommandError;
use crate::board::command::CanvasCommand;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::data::{DataError, DataErrorCode, DataQuery};
use crate::board::model::id::{ComponentId, DataSourceId};
use crate::model::error::CodedError;
use crate::schema::ValidationError;

/// The fields that every error has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct AgenticCanvasError {
    /// For branching.
    pub code: String,
    /// One sentence on how to continue.
    pub message: String,
    /// When it happened, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub timestamp: Timestamp,
    /// The request that it answers, if the host names requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// A command was refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct CommandExecutionError {
    /// For branching.
    pub code: CommandErrorCode,
    /// One sentence on how to continue.
    pub message: String,
    /// When it happened, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub timestamp: Timestamp,
    /// The request that it answers, if the host names requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The refused command, unchanged.
    pub command: CanvasCommand,
    /// The component that the command tried to change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_id: Option<ComponentId>,
}

/// A source gave no data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DataFetchError {
    /// For branching.
    pub code: DataErrorCode,
    /// For people and models.
    pub message: String,
    /// When it happened, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub timestamp: Timestamp,
    /// The request that it answers, if the host names requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// Names the source that failed.
    pub source: DataSourceId,
    /// The failed query, unchanged.
    pub query: DataQuery,
    /// Whether the same query may succeed later.
    pub retryable: bool,
}

// Not derived, because the derive would take the field `source` for the cause.
impl std::error::Error for DataFetchError {}

impl std::fmt::Display for DataFetchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

/// A config or a binding that does not fit its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct ValidationFailedError {
    /// The stable code, always the same.
    pub code: ValidationFailedCode,
    /// The first fault, and the number of the others.
    pub message: String,
    /// When it happened, in milliseconds since 1970.
    #[schemars(with = "u64")]
    pub timestamp: Timestamp,
    /// The request that it answers, if the host names requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The faults, in the order of their places.
    pub errors: Vec<ValidationError>,
}

canvas_patch::coded! {
    /// The code of a [`ValidationFailedError`].
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum ValidationFailedCode {
        /// `VALIDATION_FAILED`.
        ValidationFailed = "VALIDATION_FAILED",
    }
}

impl CodedError for CommandExecutionError {
    fn code(&self) -> &'static str {
        self.code.code()
    }
}

impl CodedError for DataFetchError {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn is_retryable(&self) -> bool {
        self.retryable
    }
}

impl CodedError for ValidationFailedError {
    fn code(&self) -> &'static str {
        self.code.code()
    }
}

impl CommandExecutionError {
    /// Creates the error for a refused command. If the request has an id, the host adds it.
    pub fn new(error: &CommandError, command: CanvasCommand, timestamp: Timestamp) -> Self {
        Self {
            code: error.code,
            message: error.message.clone(),
            timestamp,
            request_id: None,
            command,
            component_id: error.component_id.clone(),
        }
    }
}

impl DataFetchError {
    /// Creates the error for a failed query. If the request has an id, the host adds it.
    pub fn new(error: DataError, query: DataQuery, timestamp: Timestamp) -> Self {
        let DataError { code, message, source, retryable, retry_after: _ } = error;
        Self { code, message, timestamp, request_id: None, source, query, retryable }
    }
}

impl ValidationFailedError {
    /// Creates the error for an invalid config or binding. The message has the first fault and the number of the
    /// others. If the request has an id, the host adds it.
    pub fn new(errors: Vec<ValidationError>, timestamp: Timestamp) -> Self {
        let message = match errors.as_slice() {
            [] => "validation failed".to_owned(),
            [one] => one.to_string(),
            [first, rest @ ..] => format!("{first}, and {} more", rest.len()),
        };
        Self { code: ValidationFailedCode::ValidationFailed, message, timestamp, request_id: None, errors }
    }
}

macro_rules! kinds_of_error {
    ($($error:ident),+) => {$(
        impl From<$error> for AgenticCanvasError {
            fn from(error: $error) -> Self {
                let $error { code, message, timestamp, request_id, .. } = error;
                Self { code: code.to_string(), message, timestamp, request_id }
            }
        }
    )+};
}
kinds_of_error!(CommandExecutionError, DataFetchError, ValidationFailedError);

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::board::command::ClearCanvas;

    const AT: Timestamp = Timestamp::from_millis(1_000);

    #[test]
    fn json_as_document_002_has_it() {
        let command = CanvasCommand::Clear(ClearCanvas { preserve_pinned: true });
        let error: CommandError = serde_json::from_value(json!({
            "code": "COMPONENT_NOT_FOUND", "message": "There is no cmp_a.", "componentId": "cmp_a"
        }))
        .unwrap();
        let mut refused = CommandExecutionError::new(&error, command, AT);
        refused.request_id = Some("r1".to_owned());
        assert_eq!(
            json!(refused),
            json!({
                "code": "COMPONENT_NOT_FOUND", "message": "There is no cmp_a.", "timestamp": 1000, "requestId": "r1",
                "command": {"type": "canvas.clear", "payload": {"preservePinned": true}}, "componentId": "cmp_a"
            })
        );
        let error: DataError = serde_json::from_value(json!({
            "code": "RATE_LIMITED", "message": "Wait.", "source": "mock-github", "retryable": true, "retryAfter": 5
        }))
        .unwrap();
        let query: DataQuery = serde_json::from_value(json!({"type": "stats", "params": {}})).unwrap();
        let failed = DataFetchError::new(error, query, AT);
        assert_eq!(
            json!(failed),
            json!({
                "code": "RATE_LIMITED", "message": "Wait.", "timestamp": 1000, "source": "mock-github",
                "query": {"type": "stats", "params": {}}, "retryable": true
            })
        );
        let base = |error: AgenticCanvasError| json!(error);
        assert_eq!(
            base(refused.into()),
            json!({"code": "COMPONENT_NOT_FOUND", "message": "There is no cmp_a.", "timestamp": 1000, "requestId": "r1"})
        );
        assert_eq!(
            base(failed.into()),
            json!({"code": "RATE_LIMITED", "message": "Wait.", "timestamp": 1000})
        );
    }

    #[test]
    fn faults_are_counted_in_the_message() {
        let fault = |path: &str| ValidationError {
            path: path.to_owned(),
            message: "\"repo\" is missing".to_owned(),
            code: "required".to_owned(),
        };
        for (errors, message) in [
            (vec![], "validation failed"),
            (vec![fault("")], "\"repo\" is missing"),
            (vec![fault("/a"), fault(""), fault("")], "/a: \"repo\" is missing, and 2 more"),
        ] {
            let failed = ValidationFailedError::new(errors.clone(), AT);
            assert_eq!(
                json!(failed),
                json!({"code": "VALIDATION_FAILED", "message": message, "timestamp": 1000, "errors": errors})
            );
        }
    }
}
