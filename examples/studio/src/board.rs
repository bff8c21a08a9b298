//! What people do on the board.

use std::num::NonZeroU32;

use canvas_core::board::{CanvasCommand, CanvasEvent, UserAction};
use canvas_core::{Author, CanvasId, OpKey, Redo, RunBoardCommand, Undo, UndoScope};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Answer, Failure};
use crate::host::Host;
use crate::recipe;

/// Bytes of an event.
const EVENT: usize = 16 << 10;

/// Free places that a refusal shows.
const PLACES: usize = 12;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CommandParams {
    canvas_id: CanvasId,
    command: CanvasCommand,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ActionParams {
    canvas_id: CanvasId,
    action: UserAction,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventParams {
    canvas_id: CanvasId,
    event: CanvasEvent,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StepParams {
    canvas_id: CanvasId,
    #[serde(default)]
    steps: Option<NonZeroU32>,
}

pub(crate) async fn command(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let CommandParams { canvas_id, command } =
        serde_json::from_value(params).map_err(|e| Failure::parameter(&e))?;
    run(host, operation, &canvas_id, command).await
}

async fn run(host: &Host, operation: &OpKey, canvas: &CanvasId, command: CanvasCommand) -> Answer {
    let command = RunBoardCommand { by: Author::User, command: Box::new(command), base: None, grid: None };
    let (run, _) = host.act(canvas, operation, command).await?;
    host.data.after(canvas, &run.events);
    let mut result = json!(run.result);
    if let Some(places) = result["error"].get("freePositions").filter(|places| places.is_array()) {
        result["freePlaces"] = places.as_array().into_iter().flatten().take(PLACES).cloned().collect();
    }
    Ok(result)
}

pub(crate) async fn action(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let ActionParams { canvas_id, action } =
        serde_json::from_value(params).map_err(|e| Failure::parameter(&e))?;
    if let Some(command) = action.command() {
        return run(host, operation, &canvas_id, command).await;
    }
    match action {
        UserAction::Undo => step(host, operation, &canvas_id, NonZeroU32::MIN, true).await,
        UserAction::Redo => step(host, operation, &canvas_id, NonZeroU32::MIN, false).await,
        UserAction::Refresh { component_id } => {
            if recipe::feeds(host, &canvas_id, &component_id).await? {
                let params = json!({"canvasId": canvas_id, "components": [component_id]});
                recipe::refresh(host, operation, params).await?;
                return Ok(done("Refreshed by the recipe.", &component_id.to_string()));
            }
            let asked = host.data.refresh(&canvas_id, &component_id);
            let words = if asked { "Fetching new data." } else { "There is no data to fetch." };
            Ok(done(words, &component_id.to_string()))
        }
        _ => Err(Failure::new("INVALID_ARGUMENTS", "the studio does not know this action: use board.command")),
    }
}

fn done(explanation: &str, component: &str) -> Value {
    json!({"success": true, "undoId": "", "explanation": explanation, "affectedComponentIds": [component]})
}

/// Undo and redo of the whole canvas.
pub(crate) async fn history(host: &Host, operation: &OpKey, params: Value, is_undo: bool) -> Answer {
    let StepParams { canvas_id, steps } =
        serde_json::from_value(params).map_err(|e| Failure::parameter(&e))?;
    step(host, operation, &canvas_id, steps.unwrap_or(NonZeroU32::MIN), is_undo).await
}

async fn step(host: &Host, operation: &OpKey, canvas: &CanvasId, steps: NonZeroU32, is_undo: bool) -> Answer {
    let by = Author::User;
    let moved = if is_undo {
        host.act(canvas, operation, Undo { by, what: UndoScope::Steps(steps) }).await
    } else {
        host.act(canvas, operation, Redo { by, steps }).await
    };
    let (moved, _) = moved.map_err(|Failure(mut error)| {
        if error["code"] == "HISTORY_EMPTY" {
            error["code"] = if is_undo { "NOTHING_TO_UNDO" } else { "NOTHING_TO_REDO" }.into();
        }
        Failure(error)
    })?;
    let revision = host.note_revision(canvas, moved.revision);
    Ok(json!({"entries": moved.entries, "revision": revision}))
}

/// A person has clicked, selected or asked for an action of a component: the assistant hears of it with the next message.
pub(crate) async fn event(host: &Host, params: Value) -> Answer {
    if params.to_string().len() > EVENT {
        return Err(Failure::new("TOO_LARGE", &format!("an event has at most {EVENT} bytes: send less of the component's data")));
    }
    let EventParams { canvas_id, event } =
        serde_json::from_value(params).map_err(|e| Failure::parameter(&e))?;
    let (CanvasEvent::Clicked { component_id, .. }
    | CanvasEvent::Action { component_id, .. }
    | CanvasEvent::Selected { component_id, .. }) = &event
    else {
        return Err(Failure::new("INVALID_ARGUMENTS", "a page reports clicks, selections and actions: leave the others to the board"));
    };
    let (board, _) = host.engine.board(&canvas_id, clock::now()).await?;
    if board.is_none_or(|board| board.bounds(component_id).is_none()) {
        return Err(Failure::new("COMPONENT_NOT_FOUND", &format!("there is no component {component_id}: ask for the canvas again")));
    }
    host.assistant.notice_event(&canvas_id, event);
    Ok(json!({}))
}
