//! Answers to commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::board::command::CanvasCommand;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::grid::Position;
use crate::board::model::id::{ComponentId, UndoId};
use crate::board::model::placement::PlacementResult;
use crate::schema::ValidationError;

/// The answer to one command.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandResult {
    /// Done, or there was nothing to do.
    pub success: bool,
    /// The entry of the history that takes it back; empty where it changed nothing.
    #[serde(with = "undo_id")]
    #[schemars(with = "String")]
    pub undo_id: Option<UndoId>,
    /// What it did, or why not, in a sentence for people.
    pub explanation: String,
    /// Which components it made, changed or took away; of one that was made, its new id first.
    pub affected_component_ids: Vec<ComponentId>,
    /// `None` where it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CommandError>,
    /// Where the component came to stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placement: Option<PlacementResult>,
    /// What a person should look at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// The answer to a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BatchCommandResult {
    /// Whether all of it was done; otherwise nothing was.
    pub success: bool,
    /// The one entry of the history that takes it back; empty where it changed nothing.
    #[serde(with = "undo_id")]
    #[schemars(with = "String")]
    pub undo_id: Option<UndoId>,
    /// What it did, or why not, in a sentence for people.
    pub explanation: String,
    /// What became of each command, up to the first that was refused.
    pub results: Vec<CommandResult>,
    /// That of the command that was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CommandError>,
}

/// Why a command was refused. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "camelCase")]
#[error("{message}")]
pub struct CommandError {
    /// For branching.
    pub code: CommandErrorCode,
    /// What is wrong and what to do next, in one sentence.
    pub message: String,
    /// The component that the command would have changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component_id: Option<ComponentId>,
    /// What is wrong, as a JSON Pointer into the command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Every fault of a config.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ValidationError>,
    /// What covers the place: by row, then column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliding_ids: Vec<ComponentId>,
    /// Up to three, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free_positions: Vec<Position>,
    /// What may have been meant: ids, names of types or fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// The same command, put right, where that is possible. It was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<Box<CanvasCommand>>,
}

canvas_patch::coded_error!(CommandError as CommandErrorCode { Self { code, .. } => *code; });

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
