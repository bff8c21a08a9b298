//! What people do on the board.

use std::num::NonZeroU32;

use canvas_core::board::{
    BoardAction, Bounds, CanvasCommand, CanvasEvent, ComponentId, HistoryAction, Position, RunBoardCommand,
    Size,
};
use canvas_core::{Author, CanvasId, OpKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Answer, Failure};
use crate::history;
use crate::host::Host;
use crate::recipe;

/// Bytes of an event.
const EVENT: usize = 16 << 10;

/// Free places that a refusal shows.
const PLACES: usize = 12;

/// Rows above and below the wanted place that are looked through.
const ROWS: u32 = 32;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CommandParams {
    canvas_id: CanvasId,
    command: CanvasCommand,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ActionParams {
    canvas_id: CanvasId,
    action: BoardAction,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EventParams {
    canvas_id: CanvasId,
    event: CanvasEvent,
}

pub(crate) async fn command(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let CommandParams { canvas_id, command } = Failure::read(params)?;
    run(host, operation, &canvas_id, command).await
}

async fn run(host: &Host, operation: &OpKey, canvas: &CanvasId, command: CanvasCommand) -> Answer {
    let wanted = wanted(&command);
    let command = RunBoardCommand { by: Author::User, command: Box::new(command), base: None, grid: None };
    let (run, _) = host.act(canvas, operation, command).await?;
    host.assistant.notice(canvas, run.events);
    let mut result = json!(run.result);
    if let (Some(wanted), true) = (wanted, result["success"] == false) {
        result["freePlaces"] = free_places(host, canvas, wanted, &result["error"]["freePositions"]).await?;
    }
    Ok(result)
}

/// A component that asks for a place.
struct Wanted {
    component: ComponentId,
    position: Option<Position>,
    size: Option<Size>,
}

fn wanted(command: &CanvasCommand) -> Option<Wanted> {
    match command {
        CanvasCommand::Move(one) => {
            Some(Wanted { component: one.component_id.clone(), position: Some(one.position), size: None })
        }
        CanvasCommand::Resize(one) => {
            Some(Wanted { component: one.component_id.clone(), position: None, size: Some(one.size) })
        }
        _ => None,
    }
}

/// Where the component may stand, the nearest places first: those of the refusal, or those that are found.
async fn free_places(host: &Host, canvas: &CanvasId, wanted: Wanted, named: &Value) -> Answer {
    if let Some(places) = named.as_array().filter(|places| !places.is_empty()) {
        return Ok(json!(places));
    }
    let (board, _) = host.engine.board(canvas, clock::now()).await?;
    let Some(board) = board else { return Ok(json!([])) };
    let Some(bounds) = board.bounds(&wanted.component) else { return Ok(json!([])) };
    let size = wanted.size.unwrap_or(bounds.size);
    let near = wanted.position.unwrap_or(bounds.position);
    let grid = board.grid();
    let (rows, columns) =
        ((grid.rows + 1).saturating_sub(size.rows), (grid.columns + 1).saturating_sub(size.cols));
    let first = near.row.min(rows).saturating_sub(ROWS);
    let mut places = Vec::new();
    for row in first..rows.min(first + 2 * ROWS) {
        for col in 0..columns {
            let bounds = Bounds { position: Position { col, row }, size };
            if board.collisions(bounds).iter().all(|id| *id == wanted.component) {
                let far = u64::from(col.abs_diff(near.col)) + u64::from(row.abs_diff(near.row));
                places.push((far, row, col));
            }
        }
    }
    places.sort_unstable();
    Ok(places.into_iter().take(PLACES).map(|(_, row, col)| json!({"col": col, "row": row})).collect())
}

pub(crate) async fn action(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let ActionParams { canvas_id, action } = Failure::read(params)?;
    match action {
        BoardAction::Command(command) => run(host, operation, &canvas_id, *command).await,
        BoardAction::History(HistoryAction::Undo) => {
            history::undo(host, operation, &canvas_id, NonZeroU32::MIN).await
        }
        BoardAction::History(HistoryAction::Redo) => history::redo(host, operation, &canvas_id).await,
        BoardAction::History(HistoryAction::Clear) => history::clear(host, operation, &canvas_id).await,
        BoardAction::Refresh { component_id } => {
            if recipe::feeds(host, &canvas_id, &component_id).await? {
                let params = json!({"canvasId": canvas_id, "components": [component_id]});
                recipe::refresh(host, operation, params).await?;
                return Ok(done("Refreshed by the recipe.", component_id.as_str()));
            }
            let asked = host.data.refresh(&canvas_id, &component_id);
            let words = if asked { "Fetching new data." } else { "There is no data to fetch." };
            Ok(done(words, component_id.as_str()))
        }
        _ => Err(Failure::new("INVALID_ARGUMENTS", "The studio does not know this action: choose another.")),
    }
}

fn done(explanation: &str, component: &str) -> Value {
    json!({"success": true, "undoId": "", "explanation": explanation, "affectedComponentIds": [component]})
}

/// A person has clicked, selected or asked for an action of a component: the assistant hears of it with the next message.
pub(crate) async fn event(host: &Host, params: Value) -> Answer {
    if params.to_string().len() > EVENT {
        return Err(Failure::new(
            "TOO_LARGE",
            &format!("an event has at most {EVENT} bytes: send less of the component's data"),
        ));
    }
    let EventParams { canvas_id, event } = Failure::read(params)?;
    let (CanvasEvent::Clicked { component_id, .. }
    | CanvasEvent::Action { component_id, .. }
    | CanvasEvent::Selected { component_id, .. }) = &event
    else {
        return Err(Failure::new(
            "INVALID_ARGUMENTS",
            "a page reports clicks, selections and actions: leave the others to the board",
        ));
    };
    let (board, _) = host.engine.board(&canvas_id, clock::now()).await?;
    if board.is_none_or(|board| board.bounds(component_id).is_none()) {
        return Err(Failure::new(
            "COMPONENT_NOT_FOUND",
            &format!("there is no component {component_id}: ask for the canvas again"),
        ));
    }
    host.assistant.notice(&canvas_id, [event]);
    Ok(json!({}))
}
