//! Answers to commands.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::command::CanvasCommand;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::grid::Position;
use crate::board::model::id::{ComponentId, UndoId};
use crate::board::model::placement::PlacementResult;
use crate::model::error::CodedError;
use crate::schema::ValidationError;

/// Result of one command.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// Whether the command succeeded, including a command without effect.
    pub success: bool,
    /// History entry that undoes the command. Empty if the command had no effect.
    #[serde(with = "undo_id")]
    #[schemars(with = "String")]
    pub undo_id: Option<UndoId>,
    /// One sentence for people that describes the effect or the error.
    pub explanation: String,
    /// Components created, changed or removed, beginning with the id of a new one.
    pub affected_component_ids: Vec<ComponentId>,
    /// Error, or `None` if the command succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CommandError>,
    /// Placement of the component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementResult>,
    /// Remarks for a person to check.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Result of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchCommandResult {
    /// Whether all commands succeeded. Otherwise, the batch has no effect.
    pub success: bool,
    /// Single history entry that undoes the batch. Empty if the batch had no effect.
    #[serde(with = "undo_id")]
    #[schemars(with = "String")]
    pub undo_id: Option<UndoId>,
    /// One sentence for people that describes the effect or the error.
    pub explanation: String,
    /// Results of the commands, up to the first refused one.
    pub results: Vec<CommandResult>,
    /// Error of the refused command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CommandError>,
}

/// Error of a refused command, which leaves the board unchanged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct CommandError {
    /// Stable code.
    pub code: CommandErrorCode,
    /// One sentence with the cause and the next step.
    pub message: String,
    /// Component that the command was to change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_id: Option<ComponentId>,
    /// JSON Pointer into the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// All faults of the config.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ValidationError>,
    /// Components that cover the position, ordered by row, then column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliding_ids: Vec<ComponentId>,
    /// Up to three free positions, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free_positions: Vec<Position>,
    /// Likely ids, type names or field names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Corrected command, if one exists. It was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Box<CanvasCommand>>,
}

impl CodedError for CommandError {
    fn code(&self) -> &'static str {
        self.code.code()
    }

    fn place(&self) -> Option<Cow<'_, str>> {
        self.place.as_deref().map(Into::into)
    }
}

mod undo_id {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use super::UndoId;

    #[expect(clippy::ref_option, reason = "the signature that serde asks for")]
    pub(super) fn serialize<S: Serializer>(id: &Option<UndoId>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(id.as_ref().map_or("", UndoId::as_str))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<UndoId>, D::Error> {
        Ok(UndoId::new(&String::deserialize(deserializer)?).ok())
    }
}
