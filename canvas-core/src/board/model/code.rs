//! The codes of refused commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was wrong with a command, in the order in which faults are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CommandErrorCode {
    /// No component on the canvas has the id.
    ComponentNotFound,
    /// No saved view has the id.
    ViewNotFound,
    /// No trigger of the workspace has the id.
    TriggerNotFound,
    /// No registered type has the name.
    TypeNotFound,
    /// The config, or the binding, is not what the type asks for.
    ConfigValidationFailed,
    /// No component of this type may have this size on this grid.
    InvalidSize,
    /// The place is outside of the grid.
    InvalidPosition,
    /// Another component covers the place, or the grid is full.
    CollisionDetected,
    /// No change is left that could be undone.
    NothingToUndo,
    /// No change was undone last.
    NothingToRedo,
    /// A later change touches the one that is to be reverted.
    HistoryConflict,
    /// No change that could be reverted has the id.
    HistoryNotFound,
    /// The board, or the batch, would be larger than it may be.
    BoardTooLarge,
}
