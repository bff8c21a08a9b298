//! The codes of refused commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

canvas_patch::coded! {
    /// The fault of a refused command, in the order in which faults are checked.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum CommandErrorCode {
        /// No component on the canvas has the id.
        ComponentNotFound = "COMPONENT_NOT_FOUND",
        /// No saved view has the id.
        ViewNotFound = "VIEW_NOT_FOUND",
        /// No trigger of the workspace has the id.
        TriggerNotFound = "TRIGGER_NOT_FOUND",
        /// No registered type has the name.
        TypeNotFound = "TYPE_NOT_FOUND",
        /// The config, or the binding, does not fit its type.
        ConfigValidationFailed = "CONFIG_VALIDATION_FAILED",
        /// No component of this type may have this size on this grid.
        InvalidSize = "INVALID_SIZE",
        /// The place is outside of the grid.
        InvalidPosition = "INVALID_POSITION",
        /// Another component covers the place, or the grid is full.
        CollisionDetected = "COLLISION_DETECTED",
        /// An enabled trigger is time-based, and no time has its name.
        UnknownSimulatedTime = "UNKNOWN_SIMULATED_TIME",
        /// A setting has a value that no board can have.
        InvalidBoard = "INVALID_BOARD",
        /// No change is left that could be undone.
        NothingToUndo = "NOTHING_TO_UNDO",
        /// No change was undone last.
        NothingToRedo = "NOTHING_TO_REDO",
        /// A later change touches the one that is to be reverted.
        HistoryConflict = "HISTORY_CONFLICT",
        /// No change that could be reverted has the id.
        HistoryNotFound = "HISTORY_NOT_FOUND",
        /// The board, a trigger or the batch would be larger than it may be.
        BoardTooLarge = "BOARD_TOO_LARGE",
    }
}
