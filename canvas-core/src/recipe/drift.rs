//! Reasons why data differ from the result of a replay now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::wording::clip;
use crate::recipe::error::RecipeFault;

canvas_patch::coded! {
    /// What keeps a replay from making data.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum DriftCode {
        /// The host does not have the tool any more.
        ToolGone = "TOOL_GONE",
        /// The tool's schemas or version are not those of the recording.
        ContractChanged = "CONTRACT_CHANGED",
        /// The host does not allow the tool any more, or it is no longer declared read-only.
        PermissionGone = "PERMISSION_GONE",
        /// The tool answered with an error, too late, or too much.
        CallFailed = "CALL_FAILED",
        /// The response is not such as the mapping takes, or the data are larger than they may be.
        MappingFailed = "MAPPING_FAILED",
        /// A step whose result this one needs has drifted.
        Upstream = "UPSTREAM",
        /// The recipe was made for another version of recipes or of the operations.
        VersionMismatch = "VERSION_MISMATCH",
        /// The step is frozen: it is not called again.
        Frozen = "FROZEN",
        /// The recipe that the canvas has now does not make these data.
        NotInRecipe = "NOT_IN_RECIPE",
    }
}

/// What keeps data from being made anew.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Drift {
    /// For branching.
    pub code: DriftCode,
    /// One sentence that says what to do.
    pub message: String,
}

impl CodedError for Drift {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn is_retryable(&self) -> bool {
        self.code == DriftCode::CallFailed
    }
}

impl Drift {
    /// Maximum number of characters in a message. Longer messages are cut.
    pub const MESSAGE: usize = 400;

    /// Creates a drift with its message on one line.
    pub fn new(code: DriftCode, message: impl AsRef<str>) -> Self {
        Self { code, message: clip(message.as_ref(), Self::MESSAGE) }
    }

    pub(crate) fn frozen(reason: &str) -> Self {
        Self::new(DriftCode::Frozen, reason)
    }
}

/// A part of a recipe does not fit the responses.
impl From<RecipeFault> for Drift {
    fn from(RecipeFault { place, message, .. }: RecipeFault) -> Self {
        let at = if place.is_empty() { String::new() } else { format!("{place}: ") };
        Self::new(DriftCode::MappingFailed, format!("{at}{message}"))
    }
}

/// How data of a component stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DataStatus {
    /// The last replay has made them.
    Ready,
    /// They are those of before, since the last replay could not make them.
    Stale,
    /// There are none, since the last replay could not make them.
    Error,
    /// No replay makes them: they stay as they were recorded.
    Frozen,
}
