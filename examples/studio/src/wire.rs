//! Requests of a page, and their answers.

use std::sync::Arc;

use axum::extract::ws::Utf8Bytes;
use canvas_core::surface::ClientId;
use canvas_core::{CanvasId, OpKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Answer, Failure};
use crate::host::Host;
use crate::{board, clock, document, recipe, surface, trigger};

/// Characters of the id of a request.
const ID: usize = 64;

/// A request as it is sent.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    #[serde(rename = "type")]
    kind: String,
    pub(crate) id: String,
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) params: Value,
}

impl Request {
    /// Reads a frame; the error goes back with the id, where there is one.
    pub(crate) fn read(text: &str) -> Result<Self, (Value, Failure)> {
        let bad = |id: Value, why: &str| Err((id, Failure::new("BAD_REQUEST", why)));
        let Ok(json) = serde_json::from_str::<Value>(text) else {
            return bad(Value::Null, "the frame is no JSON: send a request");
        };
        let id = json["id"].clone();
        match serde_json::from_value::<Self>(json) {
            Ok(request) if request.kind != "req" => bad(id, "the frame is no request: its type is req"),
            Ok(request) if request.id.is_empty() || request.id.chars().count() > ID => {
                bad(Value::Null, "the id of a request has 1 to 64 characters: choose another one")
            }
            Ok(request) => Ok(request),
            Err(error) => bad(if id.is_string() { id } else { Value::Null }, &format!("{error}: correct the request")),
        }
    }
}

/// An answer as it is sent.
pub(crate) fn answer_text(id: &Value, answer: Answer) -> Utf8Bytes {
    let json = match answer {
        Ok(result) => json!({"type": "res", "id": id, "ok": true, "result": result}),
        Err(Failure(error)) => json!({"type": "res", "id": id, "ok": false, "error": error}),
    };
    json.to_string().into()
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CanvasParams {
    canvas_id: CanvasId,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SendParams {
    canvas_id: CanvasId,
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettingsParams {
    canvas_id: CanvasId,
    use_patch_edits: bool,
}

/// The canvas that a request names.
pub(crate) fn canvas(params: &Value) -> Result<CanvasId, Failure> {
    let CanvasParams { canvas_id } =
        serde_json::from_value(params.clone()).map_err(|e| Failure::parameter(&e))?;
    Ok(canvas_id)
}

/// What a page learns first.
pub(crate) fn hello(host: &Host) -> Value {
    json!({
        "canvases": [host.first],
        "canvas": host.first,
        "frameOrigin": host.origins.frame(),
        "ttl": host.engine.policy().lease.ttl.as_millis() as u64,
        "assistant": host.assistant.voice().name(),
        "now": clock::now(),
    })
}

/// Does what a request asks for. The same request again, by the same client, is answered as it was.
pub(crate) async fn answer(host: &Arc<Host>, client: &ClientId, request: Request) -> Answer {
    let Request { id, method, params, .. } = request;
    let operation: OpKey = host.operation_of(&format!("studio:{client}"), &id)?;
    match method.as_str() {
        "document.edit" => document::edit(host, &operation, params).await,
        "document.take_control" => {
            let canvas = canvas(&params)?;
            let epoch = host.take_control(&canvas).await?;
            host.assistant.interrupt(&canvas);
            Ok(json!({"epoch": epoch}))
        }
        "chat.send" => {
            let SendParams { canvas_id, text } = serde_json::from_value(params).map_err(|e| Failure::parameter(&e))?;
            host.engine.snapshot(&canvas_id, clock::now()).await?;
            let turn = host.assistant.send(host, &canvas_id, text).await.map_err(Failure)?;
            Ok(json!({"turn": turn}))
        }
        "chat.settings" => {
            let SettingsParams { canvas_id, use_patch_edits } =
                serde_json::from_value(params).map_err(|e| Failure::parameter(&e))?;
            host.engine.snapshot(&canvas_id, clock::now()).await?;
            host.assistant.set_patch_edits(host, &canvas_id, use_patch_edits);
            Ok(json!({}))
        }
        "board.action" => board::action(host, &operation, params).await,
        "board.command" => board::command(host, &operation, params).await,
        "board.event" => board::event(host, params).await,
        "history.undo" => board::history(host, &operation, params, true).await,
        "history.redo" => board::history(host, &operation, params, false).await,
        "trigger.simulate" => trigger::simulate(host, params).await,
        "trigger.accept" => trigger::accept(host, params).await,
        "recipe.refresh" => recipe::refresh(host, &operation, params).await,
        "recipe.rebuild" => recipe::rebuild(host, &operation, params).await,
        method if method.starts_with("canvas.") => surface::request(host, client, &operation, method, &params).await,
        _ => {
            let shown: String = method.chars().take(ID).collect();
            Err(Failure::new("UNKNOWN_METHOD", &format!("there is no method {shown:?}: look at the list of methods")))
        }
    }
}
