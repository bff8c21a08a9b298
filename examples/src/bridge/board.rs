//! Operations on boards, run as the host: without a lease.

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{
    Board, BoardAction, BoardError, BoardResult, BoardStep, CanvasCommand, CommandError, CommandErrorCode,
    CommandResult, ComponentId, ContextError, ContextInput, CreateBoard, DataLoadingState, DataQuery,
    DataSourceId, DayPlan, GridConfig, HistoryAction, HistoryJson, PieceEstimate, PlacementHints,
    RunBoardCommand, Size, TypeInfo, UndoEntryJson, UndoId, Workspace, WorkspaceId, canvas_context,
    temporal_context,
};
use canvas_core::history::{ClearHistory, HistoryRefusal, Stacks, UndoRefusal};
use canvas_core::lease::Timestamp;
use canvas_core::refusal::BoardRefusal;
use canvas_core::{Author, CanvasId, CodedError as _, EngineError, Face, Refused as _, Role, ZoneError};
use serde_json::{Value, json};

use super::data::Data;
use super::documents::{Direction, Documents, canvas};
#[cfg(feature = "recipe")]
use super::recipe::replays::refresh as refresh_by_recipe;
use super::request::{BridgeError, Request};

/// Changes of a board that `board.action` can undo and redo. The journal keeps more, which `history.undo` reaches.
const HISTORY: usize = 50;

pub(super) async fn create(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let canvas = canvas(request)?;
    let workspace = workspace(&canvas, request.field("grid")?, now);
    // Checked first: a canvas that cannot have this board is not created either.
    Board::new(workspace.clone())?;
    if let Err(EngineError::NotFound { .. }) = documents.engine().snapshot(&canvas, now).await {
        let operation = documents.making()?;
        documents.engine().create(&canvas, "", &operation, now).await?;
    }
    let created = documents.ask(&canvas, CreateBoard { workspace: Box::new(workspace) }, now).await?;
    created.map_err(|refusal| BridgeError::from(refusal.view()))?;
    Ok(json!(shown(documents, &canvas, &*board(documents, &canvas, now).await?).await))
}

/// The empty workspace of a canvas, with the canvas's name.
fn workspace(canvas: &CanvasId, grid: GridConfig, now: Timestamp) -> Workspace {
    let name = canvas.as_str();
    let id = WorkspaceId::new(&format!("ws_{name}")).or_else(|_| WorkspaceId::new(name));
    let id = id.expect("a canvas has the name already");
    Workspace::empty(id, name.to_owned(), "main".to_owned(), grid, now)
}

pub(super) async fn command(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let (by, command) = (request.field("source")?, request.field("command")?);
    Ok(json!(run(documents, &canvas(request)?, by, command, now).await?))
}

async fn run(
    documents: &mut Documents,
    canvas: &CanvasId,
    by: Role,
    command: CanvasCommand,
    now: Timestamp,
) -> Result<BoardResult, BridgeError> {
    let by = match by {
        Role::User => Author::User,
        Role::Assistant => Author::Host,
    };
    let command = RunBoardCommand { by, command: Box::new(command), base: None, grid: None };
    let run =
        documents.ask(canvas, command, now).await?.map_err(|refusal| BridgeError::from(refusal.view()))?;
    documents.faces.data.follow(canvas, &run.events);
    Ok(*run.result)
}

pub(super) async fn action(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let canvas = canvas(request)?;
    let action: BoardAction = request.field("action")?;
    Ok(json!(match action {
        BoardAction::Command(command) => {
            return Ok(json!(run(documents, &canvas, Role::User, *command, now).await?));
        }
        BoardAction::Refresh { component_id } => refresh(documents, &canvas, &component_id, now).await?,
        BoardAction::History(action) => {
            // A canvas without a board has no actions.
            board(documents, &canvas, now).await?;
            match action {
                HistoryAction::Undo => replay_history(documents, &canvas, Direction::Undo, now).await?,
                HistoryAction::Redo => replay_history(documents, &canvas, Direction::Redo, now).await?,
                HistoryAction::Clear => clear_history(documents, &canvas, now).await?,
                _ => return Err(unknown_action()),
            }
        }
        _ => return Err(unknown_action()),
    }))
}

fn unknown_action() -> BridgeError {
    BridgeError::new("NOT_SUPPORTED", "the bridge does not know this action yet: leave it out".into())
}

/// Forgets the history of all faces; they stay as they are.
async fn clear_history(
    documents: &mut Documents,
    canvas: &CanvasId,
    now: Timestamp,
) -> Result<CommandResult, BridgeError> {
    let cleared = documents.ask(canvas, ClearHistory, now).await?;
    let cleared = cleared.map_err(|refusal| BridgeError::from(refusal.view()))?.cleared;
    let explanation = if cleared { "Cleared the history." } else { "The history was empty." };
    Ok(done(None, explanation.to_owned(), Vec::new()))
}

/// Fetches the data of a component anew. This changes no board, so it cannot be undone.
async fn refresh(
    documents: &mut Documents,
    canvas: &CanvasId,
    id: &ComponentId,
    now: Timestamp,
) -> Result<CommandResult, BridgeError> {
    let board = board(documents, canvas, now).await?;
    let Some(component) = board.component(id) else {
        let message = format!("there is no component {id}: take an id from the board");
        let mut result = failed(CommandErrorCode::ComponentNotFound, message);
        if let Some(error) = &mut result.error {
            error.component_id = Some(id.clone());
        }
        return Ok(result);
    };
    let explanation = if let Some(reply) = refresh_by_recipe(documents, canvas, id, now).await? {
        let is_fresh = reply["refreshed"].as_array().is_some_and(|refreshed| !refreshed.is_empty());
        let what = if is_fresh { "Refreshed" } else { "Could not refresh" };
        format!("{what} {id} by the recipe.")
    } else if documents.faces.data.refresh(canvas, &component, now) {
        format!("Fetched new data for {id}.")
    } else {
        format!("{id} has no data to fetch.")
    };
    Ok(done(None, explanation, vec![id.clone()]))
}

/// Undoes or redoes the last change of the canvas, whatever its face.
async fn replay_history(
    documents: &mut Documents,
    canvas: &CanvasId,
    direction: Direction,
    now: Timestamp,
) -> Result<CommandResult, BridgeError> {
    let (nothing, message) = match direction {
        Direction::Undo => {
            (CommandErrorCode::NothingToUndo, "there is nothing to undo: change something first")
        }
        Direction::Redo => {
            (CommandErrorCode::NothingToRedo, "there is nothing to redo: undo something first")
        }
    };
    if matches!(direction, Direction::Undo) && is_forgotten(documents, canvas, now).await? {
        return Ok(failed(nothing, message.to_owned()));
    }
    match documents.step(canvas, direction, NonZeroU32::MIN, now).await? {
        Ok(_) => {}
        Err(UndoRefusal::History(HistoryRefusal::HistoryEmpty { .. })) => {
            return Ok(failed(nothing, message.to_owned()));
        }
        Err(refusal) => return Err(refusal.view().into()),
    }
    let last = documents.engine().history(canvas, None, 1, now).await?.pop();
    let Some(entry) = last else { return Ok(done(None, "Done.".to_owned(), Vec::new())) };
    let (id, affected) = match entry.board() {
        Some(BoardStep { id, patch, .. }) => (Some(id.clone()), patch.component_ids()),
        None => (None, Vec::new()),
    };
    let did = match direction {
        Direction::Undo => "Undone",
        Direction::Redo => "Done again",
    };
    Ok(done(id, format!("{did}: {}", entry.summary), affected))
}

/// Whether the next change to undo is one of the board that its history of [`HISTORY`] changes has dropped.
async fn is_forgotten(documents: &Documents, canvas: &CanvasId, now: Timestamp) -> Result<bool, BridgeError> {
    let undone = documents.engine().stacks(canvas, Some(Face::Board), HISTORY, now).await?.redo;
    if undone.len() < HISTORY {
        return Ok(false);
    }
    let next = documents.engine().stacks(canvas, None, 1, now).await?.undo;
    Ok(next.first().is_some_and(|entry| entry.board().is_some()))
}

/// As JSON, written at once: a board may be large, and its history as large again.
pub(super) async fn get(documents: &Documents, request: &Request<'_>) -> Result<String, BridgeError> {
    let (canvas, now) = (canvas(request)?, documents.clock());
    let board = board(documents, &canvas, now).await?;
    let Stacks { undo, redo } = documents.engine().stacks(&canvas, Some(Face::Board), HISTORY, now).await?;
    let history = HistoryJson {
        undo_stack: undo.iter().take(HISTORY - redo.len()).rev().filter_map(UndoEntryJson::of).collect(),
        redo_stack: redo.iter().rev().filter_map(UndoEntryJson::of).collect(),
        max_size: HISTORY,
    };
    let states = states(documents, &canvas).await;
    let workspace = serde_json::to_string(&board.workspace_json(|id| Cow::Owned(states(id))));
    let history = serde_json::to_string(&history);
    let (workspace, history) = workspace.and_then(|one| Ok((one, history?))).expect("both are JSON");
    Ok(format!(r#"{{"workspace":{workspace},"history":{history}}}"#))
}

pub(super) async fn context(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (now, canvas) = (documents.now(request)?, canvas(request)?);
    let zone = request.field::<Option<&str>>("timezone")?.unwrap_or("UTC");
    let temporal = temporal_context(now, zone, &DayPlan::default())?;
    let board = board(documents, &canvas, now).await?;
    let stacks = documents.engine().stacks(&canvas, Some(Face::Board), HISTORY, now).await?;
    let steps = stacks.undo.iter().filter_map(|entry| entry.board());
    let recent: Vec<_> = steps.flat_map(|step| step.patch.component_ids()).collect();
    let mut input =
        ContextInput { active_view: board.active_view(), recent: &recent, ..ContextInput::new(&temporal) };
    if let Some(max_tokens) = request.field("max_tokens")? {
        input.max_tokens = max_tokens;
    }
    let registry = documents.engine().registry();
    let types = |type_id: &_| {
        registry.get(type_id).map(|known| TypeInfo {
            name: &known.name,
            category: known.category,
            actions: known.actions.iter().map(|action| action.action_id.as_str()).collect(),
        })
    };
    let workspace = shown(documents, &canvas, &board).await;
    Ok(json!(canvas_context(&workspace, &input, types, &PieceEstimate)?))
}

pub(super) async fn place(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let size: Size = request.field("size")?;
    let hints = request.field::<Option<PlacementHints>>("hints")?.unwrap_or_default();
    let board = board(documents, &canvas(request)?, documents.clock()).await?;
    if let Some(id) = hints.near_component_id.as_ref().filter(|id| board.bounds(id).is_none()) {
        let message = format!("there is no component {id}: take an id from the board");
        return Err(BridgeError::new("COMPONENT_NOT_FOUND", message));
    }
    let policy = documents.engine().policy().board.grid;
    let placed = board.find_placement(size, &hints, policy);
    Ok(json!(
        placed.map_err(|none| BridgeError::of(&json!({"code": none.code(), "message": none.to_string()})))?
    ))
}

pub(super) fn registry(documents: &Documents) -> Value {
    json!({"definitions": documents.engine().registry().get_all().collect::<Vec<_>>()})
}

pub(super) fn data(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = request.field::<Option<Timestamp>>("now")?.unwrap_or_else(|| documents.clock());
    let (source, query): (DataSourceId, DataQuery) = (request.field("source")?, request.field("query")?);
    Ok(json!(documents.faces.data.ask(&source, &query, now).map_err(|error| BridgeError::of(&error))?))
}

async fn board(documents: &Documents, canvas: &CanvasId, now: Timestamp) -> Result<Arc<Board>, BridgeError> {
    let (board, _) = documents.engine().board(canvas, now).await?;
    board.ok_or_else(|| BoardRefusal::NoBoard.view().into())
}

/// The board with the data of its components.
async fn shown(documents: &Documents, canvas: &CanvasId, board: &Board) -> Workspace {
    board.workspace(states(documents, canvas).await)
}

/// How far the data of components are.
async fn states<'d>(
    documents: &'d Documents,
    canvas: &'d CanvasId,
) -> impl Fn(&ComponentId) -> DataLoadingState + 'd {
    let made = recipe_data(documents, canvas).await;
    move |id| match made.state(canvas, id) {
        DataLoadingState::Idle => documents.faces.data.state(canvas, id),
        made => made,
    }
}

/// What the canvas's recipe has made. It lies on the canvas, so it is there after a new start too.
#[cfg(feature = "recipe")]
async fn recipe_data(documents: &Documents, canvas: &CanvasId) -> Data {
    let mut made = Data::default();
    if let Ok((data, _)) = documents.engine().data(canvas, documents.clock()).await {
        made.show(canvas, &data, documents.clock());
    }
    made
}

#[cfg(not(feature = "recipe"))]
async fn recipe_data(_: &Documents, _: &CanvasId) -> Data {
    Data::default()
}

#[cfg(not(feature = "recipe"))]
async fn refresh_by_recipe(
    _: &mut Documents,
    _: &CanvasId,
    _: &ComponentId,
    _: Timestamp,
) -> Result<Option<Value>, BridgeError> {
    Ok(None)
}

impl From<ZoneError> for BridgeError {
    fn from(error: ZoneError) -> Self {
        Self::coded(&error, error.message())
    }
}

fn done(undo_id: Option<UndoId>, explanation: String, affected: Vec<ComponentId>) -> CommandResult {
    CommandResult {
        success: true,
        undo_id,
        explanation,
        affected_component_ids: affected,
        ..CommandResult::default()
    }
}

fn failed(code: CommandErrorCode, message: String) -> CommandResult {
    CommandResult::refused(CommandError::new(code, message))
}

impl From<BoardError> for BridgeError {
    fn from(error: BoardError) -> Self {
        Self::new(error.code(), error.to_string())
    }
}

impl From<ContextError> for BridgeError {
    fn from(error: ContextError) -> Self {
        let json = Self::new(error.code(), error.to_string());
        let ContextError::BudgetTooSmall { needed, max, fits } = error else { return json };
        json.with("needed", json!(needed)).with("max", json!(max)).with("fits", json!(fits))
    }
}
