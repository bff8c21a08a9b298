//! Reasons why data differ from the result of a replay now.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::wording::clip;
use crate::recipe::error::RecipeFault;

canvas_patch::coded! {
    /// A cause that keeps a replay from producing data.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum DriftCode {
        /// The host does not have the tool any more.
        ToolGone = "TOOL_GONE",
        /// The tool's schemas or version differ from the recording.
        ContractChanged = "CONTRACT_CHANGED",
        /// The host does not allow the tool any more, or it is no longer declared read-only.
        PermissionGone = "PERMISSION_GONE",
        /// The tool answered with an error, too late, or too much.
        CallFailed = "CALL_FAILED",
        /// The response does not fit the mapping, or the data exceed their limit.
        MappingFailed = "MAPPING_FAILED",
        /// A step whose result this one needs drifted.
        Upstream = "UPSTREAM",
        /// The recipe was made for another version of recipes or of the operations.
        VersionMismatch = "VERSION_MISMATCH",
        /// The step is frozen, so a replay does not call it again.
        Frozen = "FROZEN",
        /// The recipe that the canvas has now does not make these data.
        NotInRecipe = "NOT_IN_RECIPE",
    }
}

/// The reason that a replay cannot produce some data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct Drift {
    /// For branching.
    pub code: DriftCode,
    /// One sentence on how to continue.
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

/// The state of a component's data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DataStatus {
    /// The last replay produced them.
    Ready,
    /// They are older, because the last replay could not produce them.
    Stale,
    /// There are no data, because the last replay could not produce them.
    Error,
    /// Replays do not produce them, so they keep their recorded values.
    Frozen,
}
