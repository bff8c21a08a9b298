//! Error codes of surfaces, and faults with their places.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;

canvas_patch::coded! {
    /// Code of a faulty request to a surface.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum SurfaceCode {
        /// The canvas has no surface that the caller may see.
        SurfaceNotFound = "SURFACE_NOT_FOUND",
        /// The spec is faulty and cannot be saved.
        SpecInvalid = "SPEC_INVALID",
        /// A template cannot be read.
        TemplateInvalid = "TEMPLATE_INVALID",
        /// A value that the action requires is missing.
        TemplateMissing = "TEMPLATE_MISSING",
        /// A placeholder is at a place that takes no value.
        TemplateSinkForbidden = "TEMPLATE_SINK_FORBIDDEN",
        /// The value is not allowed at the place of its placeholder.
        ValueRefused = "VALUE_REFUSED",
        /// The surface changed after the revision named by the request.
        RevisionConflict = "REVISION_CONFLICT",
        /// No action or binding has this name.
        ActionNotFound = "ACTION_NOT_FOUND",
        /// The spec or the host does not allow the tool.
        ToolNotAllowed = "TOOL_NOT_ALLOWED",
        /// The host has no tool with this name.
        ToolNotFound = "TOOL_NOT_FOUND",
        /// The resolved arguments do not fit the schema of the tool.
        ArgumentsRefused = "ARGUMENTS_REFUSED",
        /// A person must confirm first.
        ConfirmationRequired = "CONFIRMATION_REQUIRED",
        /// The confirmed prompt differs from the action that would run now.
        ConfirmStale = "CONFIRM_STALE",
        /// A model may not widen the permissions of a surface.
        PolicyWidening = "POLICY_WIDENING",
        /// The action may not send to this session.
        SessionNotAllowed = "SESSION_NOT_ALLOWED",
        /// A patch does not fit the state.
        PatchFailed = "PATCH_FAILED",
        /// The patch has an operation other than add, replace and remove.
        UnsupportedOp = "UNSUPPORTED_OP",
        /// The state would be larger or deeper than it may be.
        StateTooLarge = "STATE_TOO_LARGE",
        /// A path into the state cannot be read, or leads to a place that cannot exist.
        StatePath = "STATE_PATH",
        /// The value that the result was to replace changed during the action.
        SaveConflict = "SAVE_CONFLICT",
        /// The tool answered with an error.
        ToolFailed = "TOOL_FAILED",
        /// The tool missed its deadline.
        ToolTimeout = "TOOL_TIMEOUT",
        /// The same request is under way.
        ActionInProgress = "ACTION_IN_PROGRESS",
        /// Nobody knows how the action ended, and it is not run again.
        ActionLost = "ACTION_LOST",
        /// As many actions are under way as there may be.
        TooManyRunning = "TOO_MANY_RUNNING",
        /// The path of an asset cannot be read, or leads out of the assets.
        InvalidPath = "INVALID_PATH",
        /// The surface has no such asset.
        AssetNotFound = "ASSET_NOT_FOUND",
    }
}

/// Fault at one place of a request, a spec or a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct SurfaceFault {
    /// JSON Pointer (RFC 6901) into the value that was sent.
    pub place: String,
    /// Stable code.
    pub code: SurfaceCode,
    /// One sentence with the remedy.
    pub message: String,
}

impl SurfaceFault {
    pub(crate) fn new(place: impl Into<String>, code: SurfaceCode, message: impl Into<String>) -> Self {
        Self { place: place.into(), code, message: message.into() }
    }

    /// Places the fault within a whole that has the part at this place.
    pub(crate) fn under(self, place: &str) -> Self {
        Self { place: format!("{place}{}", self.place), ..self }
    }
}

impl CodedError for SurfaceFault {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        Some((&*self.place).into())
    }

    fn is_retryable(&self) -> bool {
        matches!(self.code, SurfaceCode::ActionInProgress | SurfaceCode::TooManyRunning)
    }
}
