//! What replies of the board tools have beside `ok` and `revision_id`: their types, from which their schemas follow.

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

/// Reply of a tool that changes the board. A change that was not needed has no `undo_id`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ChangeFields<'a> {
    /// What was done, in one sentence.
    pub(super) explanation: &'a str,
    /// The new component, of `create_component`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) component_id: Option<&'a ComponentId>,
    /// Components that were made, changed or taken away, each once.
    pub(super) affected_component_ids: Vec<&'a ComponentId>,
    /// The new view, of `save_view`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) view_id: Option<&'a ViewId>,
    /// Where the component stands, of a call that places one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<PlacementFields<'a>>,
    /// Where each component stands, of a call that places several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) placements: Vec<PlacementFields<'a>>,
    /// What a person should look at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<&'a str>,
    /// The entry of the history that takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undo_id: Option<&'a UndoId>,
    /// Components whose data the host fetches now.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) needs_data: &'a [ComponentId],
}

/// Where a component came to stand.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Placement"))]
pub(super) struct PlacementFields<'a> {
    /// The component, where the reply is about several. One that does not exist yet is `$0`, `$1` and so on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) component_id: Option<&'a str>,
    /// The upper left cell.
    pub(super) position: &'a Position,
    /// How the place was found.
    pub(super) reason: PlacementReason,
    /// The components that were moved down for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) adjustments: Option<Vec<AdjustmentFields<'a>>>,
}

/// A component that was moved to make room.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Adjustment"))]
pub(super) struct AdjustmentFields<'a> {
    /// The component; one that does not exist yet is `$0`, `$1` and so on.
    pub(super) component_id: &'a str,
    /// The upper left cell before.
    pub(super) from: &'a Position,
    /// The upper left cell after.
    pub(super) to: &'a Position,
    /// One phrase for people.
    pub(super) reason: &'a str,
}

/// Reply of `refresh_component`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RefreshFields<'a> {
    /// Whether data are being fetched, in one sentence.
    pub(super) explanation: &'static str,
    /// The component.
    pub(super) component_id: &'a ComponentId,
    /// The same, where it has data that the host fetches now.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) needs_data: &'a [ComponentId],
}

/// Reply of `request_action`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RequestFields<'a> {
    /// That the user is asked, in one sentence.
    pub(super) explanation: &'static str,
    /// The component.
    pub(super) component_id: &'a ComponentId,
    /// The action of its type.
    pub(super) action_id: &'a str,
    /// What the user calls it.
    pub(super) label: &'a str,
}

/// Reply of `undo` and `redo`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct StepFields<'a> {
    /// What was done, in one sentence.
    pub(super) explanation: String,
    /// Changes that were taken back or done again; fewer than asked for where there were no more.
    pub(super) steps: usize,
    /// One line for each of them.
    pub(super) changes: Vec<String>,
    /// Components that were made, changed or taken away, each once.
    pub(super) affected_component_ids: Vec<&'a ComponentId>,
    /// Components whose data the host fetches now.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) needs_data: &'a [ComponentId],
}

/// Reply of `plan_canvas`. Components that do not exist yet are `$0`, `$1` and so on.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct PlanFields<'a> {
    /// What `commit_plan` takes.
    pub(super) plan_id: &'a str,
    /// What to do next, in one sentence.
    pub(super) explanation: &'static str,
    /// What each command would do.
    pub(super) results: Vec<PlannedFields<'a>>,
    /// The grid after all of them, a character for each cell: `.` is free, `*` covered twice, `#` a component that has no
    /// mark of its own.
    pub(super) map: String,
    /// The component of each mark of the map.
    pub(super) legend: Vec<LegendFields>,
    /// Rows below those of the map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rows_left_out: Option<usize>,
}

/// What a command of a plan would do.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PlannedCommand"))]
pub(super) struct PlannedFields<'a> {
    /// Which call of the plan it comes from, from 0; null where that is not known.
    pub(super) command: Option<usize>,
    /// In one sentence.
    pub(super) explanation: &'a str,
    /// Components that it would make, change or take away.
    pub(super) affected_component_ids: Vec<&'a str>,
    /// Where the component would stand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) placement: Option<PlacementFields<'a>>,
    /// What a person should look at.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) warnings: &'a [String],
}

/// A mark of a map.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Mark"))]
pub(super) struct LegendFields {
    /// The character.
    pub(super) mark: char,
    /// The component.
    pub(super) component_id: String,
    /// Its type.
    pub(super) type_id: TypeId,
}

/// Reply of `show_canvas`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ShowFields {
    /// How many components there are, and the grid.
    pub(super) explanation: String,
    /// A line for each: id, type, label, place, size and config, at most 8 KB.
    pub(super) components: Vec<String>,
    /// Where to go on: the `after` of the next call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) next_after: Option<ComponentId>,
    /// A line for each saved view: id and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) views: Vec<String>,
}

/// The fields of an error besides those that every error has.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct BoardDetail {
    /// The component that the command would have changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) component_id: Option<ComponentId>,
    /// Every fault of a config.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) errors: Vec<ConfigFault>,
    /// What covers the place: by row, then column.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) colliding_ids: Vec<ComponentId>,
    /// Up to three, the nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) free_positions: Vec<Position>,
    /// What may have been meant: ids, names of types or fields.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) candidates: Vec<String>,
    /// The same call, put right, where that is possible: its name and arguments. It was tried on a copy of the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Value"))]
    pub(super) corrected_call: Option<Value>,
    /// What the user did since the turn began, a line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) changes: Vec<String>,
    #[serde(flatten)]
    pub(super) held: HeldDetail,
}

/// A fault of a config.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ConfigFault {
    /// Where in the arguments, as a JSON Pointer; null where the call says nothing of it.
    pub(super) place: Option<String>,
    /// What is wrong.
    pub(super) message: String,
    /// The keyword of JSON Schema that it breaks.
    pub(super) code: String,
}

#[cfg(feature = "schema")]
impl Tool {
    /// The JSON Schema of its reply.
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
