//! Reply fields of the board tools, in addition to `ok` and `revision_id`. The reply schemas are derived from these
//! types.

use canvas_core::board::{ComponentId, PlacementReason, Position, TypeId, UndoId, ViewId};
use serde::Serialize;
use serde_json::Value;

use crate::reply::HeldDetail;
#[cfg(feature = "schema")]
use {
    super::tool::Tool,
    crate::reply::schema::{ReplySchema, codes},
    canvas_core::board::CommandErrorCode,
};

/// Reply of a tool that changes the board. If the call had nothing to change, `undo_id` is absent.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ChangeFields<'a> {
    /// One sentence that describes the change.
    pub(super) explanation: &'a str,
    /// New component, if the call was `create_component`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) component_id: Option<&'a ComponentId>,
    /// Components created, changed or removed, without duplicates.
    pub(super) affected_component_ids: Vec<&'a ComponentId>,
    /// New view, if the call was `save_view`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) view_id: Option<&'a ViewId>,
    /// Placement of the component, if the call places one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<PlacementFields<'a>>,
    /// Placement of each component, if the call places several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) placements: Vec<PlacementFields<'a>>,
    /// Remarks for a person to check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<&'a str>,
    /// History entry that undoes the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undo_id: Option<&'a UndoId>,
    /// Components whose data the host is fetching.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) needs_data: &'a [ComponentId],
}

/// Placement of a component.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Placement"))]
pub(super) struct PlacementFields<'a> {
    /// Component, if the reply covers several. Planned components are named `$0`, `$1` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) component_id: Option<&'a str>,
    /// Upper left cell.
    pub(super) position: &'a Position,
    /// Origin of the position.
    pub(super) reason: PlacementReason,
    /// Components moved down to make room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adjustments: Option<Vec<AdjustmentFields<'a>>>,
}

/// Component moved to make room.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Adjustment"))]
pub(super) struct AdjustmentFields<'a> {
    /// Component. Planned components are named `$0`, `$1` and so on.
    pub(super) component_id: &'a str,
    /// Upper left cell before the move.
    pub(super) from: &'a Position,
    /// Upper left cell after the move.
    pub(super) to: &'a Position,
    /// Short phrase for people.
    pub(super) reason: &'a str,
}

/// Reply of `refresh_component`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RefreshFields<'a> {
    /// One sentence that says whether data are being fetched.
    pub(super) explanation: &'static str,
    /// Component named by the call.
    pub(super) component_id: &'a ComponentId,
    /// The component, if the host is fetching its data.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) needs_data: &'a [ComponentId],
}

/// Reply of `request_action`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RequestFields<'a> {
    /// One sentence that says the user is being asked.
    pub(super) explanation: &'static str,
    /// Component named by the call.
    pub(super) component_id: &'a ComponentId,
    /// Action, as declared by the component's type.
    pub(super) action_id: &'a str,
    /// Label that the user sees.
    pub(super) label: &'a str,
}

/// Reply of `undo` and `redo`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct StepFields<'a> {
    /// One sentence that describes the change.
    pub(super) explanation: String,
    /// Number of changes undone or redone. Lower than requested if the history has no more.
    pub(super) steps: usize,
    /// One line for each change.
    pub(super) changes: Vec<String>,
    /// Components created, changed or removed, without duplicates.
    pub(super) affected_component_ids: Vec<&'a ComponentId>,
    /// Components whose data the host is fetching.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) needs_data: &'a [ComponentId],
}

/// Reply of `plan_canvas`. Planned components are named `$0`, `$1` and so on.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PlanFields<'a> {
    /// Id to pass to `commit_plan`.
    pub(super) plan_id: &'a str,
    /// One sentence that says what to do next.
    pub(super) explanation: &'static str,
    /// Effect of each command.
    pub(super) results: Vec<PlannedFields<'a>>,
    /// Grid after all commands, with one character per cell. A `.` is a free cell, `*` a cell covered twice, and `#` a
    /// component without a mark of its own.
    pub(super) map: String,
    /// Component for each mark on the map.
    pub(super) legend: Vec<LegendFields>,
    /// Number of rows below the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rows_left_out: Option<usize>,
}

/// Effect of one command in a plan.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannedCommand"))]
pub(super) struct PlannedFields<'a> {
    /// Index in the plan of the call behind this command, from 0. Null if unknown.
    pub(super) command: Option<usize>,
    /// One sentence that describes the effect.
    pub(super) explanation: &'a str,
    /// Components that the command would create, change or remove.
    pub(super) affected_component_ids: Vec<&'a str>,
    /// Placement that the component would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<PlacementFields<'a>>,
    /// Remarks for a person to check.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) warnings: &'a [String],
}

/// Mark on a map.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Mark"))]
pub(super) struct LegendFields {
    /// Character used on the map.
    pub(super) mark: char,
    /// Component named by the call.
    pub(super) component_id: String,
    /// Type of the component.
    pub(super) type_id: TypeId,
}

/// Reply of `show_canvas`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ShowFields {
    /// One sentence with the number of components and the grid size.
    pub(super) explanation: String,
    /// One line per component with id, type, label, position, size and config, at most 8 KB in total.
    pub(super) components: Vec<String>,
    /// Value to pass as `after` to read on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_after: Option<ComponentId>,
    /// One line per saved view, with id and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) views: Vec<String>,
}

/// Error fields of the board tools, in addition to the common ones.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BoardDetail {
    /// Component that the command would have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) component_id: Option<ComponentId>,
    /// All faults of the config.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) errors: Vec<ConfigFault>,
    /// Components that cover the position, ordered by row, then column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) colliding_ids: Vec<ComponentId>,
    /// Up to three free positions, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) free_positions: Vec<Position>,
    /// Likely ids, type names or field names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) candidates: Vec<String>,
    /// Corrected call with its name and arguments, if one exists. It was tried on a copy of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub(super) corrected_call: Option<Value>,
    /// Acts of the user since the turn began, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<String>,
    #[serde(flatten)]
    pub(super) held: HeldDetail,
}

/// Fault in a config.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ConfigFault {
    /// JSON Pointer into the arguments. Null if the call doesn't contain the faulty value.
    pub(super) place: Option<String>,
    /// Describes the fault.
    pub(super) message: String,
    /// Violated JSON Schema keyword.
    pub(super) code: String,
}

#[cfg(feature = "schema")]
impl Tool {
    /// Returns the JSON Schema of the tool's reply.
    pub(super) fn reply_schema(self) -> Value {
        use CommandErrorCode::{
            BoardTooLarge, CollisionDetected, ComponentNotFound, ConfigValidationFailed, InvalidPosition,
            InvalidSize, NothingToRedo, NothingToUndo, TypeNotFound, ViewNotFound,
        };
        const PLACE: [CommandErrorCode; 3] = [CollisionDetected, InvalidPosition, InvalidSize];
        // What only an undo can meet: the history is of the whole canvas.
        const HISTORY: &[&str] = &[
            "DOCUMENT_TOO_LARGE",
            "FACE_NOT_SUPPORTED",
            "HISTORY_CONFLICT",
            "HISTORY_DAMAGED",
            "HISTORY_TOO_DEEP",
            "LOCK_NOT_OWNED",
            "PATCH_REJECTED",
            "POLICY_WIDENING",
            "STATE_TOO_LARGE",
            "TOO_MANY_CALLS",
            "USER_ACTED",
        ];
        let reply = ReplySchema::new();
        let reply = match self {
            Self::Refresh => reply.success::<RefreshFields<'_>>(),
            Self::Undo | Self::Redo => reply.success::<StepFields<'_>>(),
            Self::Plan => reply.success::<PlanFields<'_>>(),
            Self::RequestAction => reply.success::<RequestFields<'_>>(),
            Self::Show => reply.success::<ShowFields>(),
            _ => reply.success::<ChangeFields<'_>>(),
        };
        let of_command: Vec<CommandErrorCode> = match self {
            Self::Create => [&PLACE[..], &[BoardTooLarge, ConfigValidationFailed, TypeNotFound]].concat(),
            Self::Modify => vec![BoardTooLarge, ComponentNotFound, ConfigValidationFailed, TypeNotFound],
            Self::Arrange => [&PLACE[..], &[BoardTooLarge, ComponentNotFound]].concat(),
            Self::Remove | Self::Label | Self::Refresh | Self::RequestAction | Self::Show => {
                vec![ComponentNotFound]
            }
            Self::Undo => vec![NothingToUndo],
            Self::Redo => vec![NothingToRedo],
            Self::SaveView => vec![BoardTooLarge],
            Self::Clear => Vec::new(),
            Self::LoadView | Self::DeleteView => vec![ViewNotFound],
            // Several commands of any kind.
            Self::Plan | Self::Commit => {
                let others =
                    [BoardTooLarge, ComponentNotFound, ConfigValidationFailed, TypeNotFound, ViewNotFound];
                [&PLACE[..], &others].concat()
            }
        };
        let of_command: Vec<&str> = of_command.into_iter().map(CommandErrorCode::code).collect();
        let own: &[&[&str]] = match self {
            Self::Undo | Self::Redo => &[codes::WRITE, HISTORY],
            Self::Plan | Self::Show => &[],
            Self::Refresh => &[&["LOCK_NOT_AVAILABLE"]],
            Self::RequestAction => &[&["ACTION_NOT_FOUND", "LOCK_NOT_AVAILABLE"]],
            Self::Commit => &[codes::WRITE, &["PLAN_NOT_FOUND", "REVISION_CONFLICT"]],
            _ => &[codes::WRITE],
        };
        let board: &[&str] = &["BOARD_NOT_FOUND"];
        let codes = [&of_command[..], board, codes::CALL, codes::ENGINE];
        let codes: Vec<&[&str]> = own.iter().copied().chain(codes).collect();
        reply.failure::<BoardDetail>(&codes, &[])
    }
}
