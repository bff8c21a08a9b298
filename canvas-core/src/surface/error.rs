//! Error codes of surfaces, and faults with their places.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

canvas_patch::coded! {
    /// What is wrong with a request to a surface.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    pub enum SurfaceCode {
        /// The canvas has no surface, or none that the asker may see.
        SurfaceNotFound = "SURFACE_NOT_FOUND",
        /// The spec cannot be saved.
        SpecInvalid = "SPEC_INVALID",
        /// A template cannot be read.
        TemplateInvalid = "TEMPLATE_INVALID",
        /// A value that the action requires is missing.
        TemplateMissing = "TEMPLATE_MISSING",
        /// A placeholder stands where no value may.
        TemplateSinkForbidden = "TEMPLATE_SINK_FORBIDDEN",
        /// A value may not go where its placeholder is.
        ValueRefused = "VALUE_REFUSED",
        /// The surface has changed since the revision that the request names.
        RevisionConflict = "REVISION_CONFLICT",
        /// No action or binding has this name.
        ActionNotFound = "ACTION_NOT_FOUND",
        /// The spec or the host does not allow the tool.
        ToolNotAllowed = "TOOL_NOT_ALLOWED",
        /// The host has no such tool.
        ToolNotFound = "TOOL_NOT_FOUND",
        /// The resolved arguments do not fit the schema of the tool.
        ArgumentsRefused = "ARGUMENTS_REFUSED",
        /// A person must confirm first.
        ConfirmationRequired = "CONFIRMATION_REQUIRED",
        /// What was confirmed is not what would run now.
        ConfirmStale = "CONFIRM_STALE",
        /// A model may not widen what a surface is allowed.
        PolicyWidening = "POLICY_WIDENING",
        /// The action may not send to this session.
        SessionNotAllowed = "SESSION_NOT_ALLOWED",
        /// A patch does not fit the state.
        PatchFailed = "PATCH_FAILED",
        /// The patch has an operation other than add, replace and remove.
        UnsupportedOp = "UNSUPPORTED_OP",
        /// The state would be larger or deeper than it may be.
        StateTooLarge = "STATE_TOO_LARGE",
        /// A path into the state cannot be read, or leads where nothing can be.
        StatePath = "STATE_PATH",
        /// What a result was to replace has changed since the action began.
        SaveConflict = "SAVE_CONFLICT",
        /// The tool answered with an error.
        ToolFailed = "TOOL_FAILED",
        /// The tool took too long.
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

/// What is wrong at one place of a request, a spec or a patch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[error("{message}")]
pub struct SurfaceFault {
    /// Where, as a JSON Pointer (RFC 6901) into what was sent.
    pub place: String,
    /// What is wrong.
    pub code: SurfaceCode,
    /// One sentence that says what to do.
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

canvas_patch::coded_error!(SurfaceFault as SurfaceCode {
    Self { code: SurfaceCode::ActionInProgress, .. } => SurfaceCode::ActionInProgress, true;
    Self { code: SurfaceCode::TooManyRunning, .. } => SurfaceCode::TooManyRunning, true;
    Self { code, .. } => *code;
});
