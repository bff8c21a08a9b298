//! Requests to surfaces, and their frames.

use std::sync::Arc;

use canvas_core::surface::{ActionFailure, SurfaceEvent};
use canvas_core::{CanvasId, CodedError as _, OpKey};
use canvas_tools::action::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
use canvas_tools::surface::{SurfaceCaller, SurfaceError, SurfaceRequest};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::client::Client;
use crate::error::{Answer, Failure};
use crate::host::Host;
use crate::{clock, follow, shown, trigger};

/// Who does what the actions of one canvas say.
pub(crate) struct Panel {
    pub(crate) host: Arc<Host>,
    pub(crate) canvas: CanvasId,
}

impl ToolHost for Panel {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        self.host.tool_host.call(invocation).await
    }
}

impl SessionHost for Panel {
    async fn send(&self, message: &SessionMessage) -> Result<Value, ActionFailure> {
        let answer = self.host.assistant.answer(&self.host, &self.canvas, message.text.clone());
        tokio::time::timeout(message.timeout, answer).await.unwrap_or(Err(ActionFailure::TimedOut))
    }
}

/// Answers one of the nine methods of surfaces.
pub(crate) async fn request(
    host: &Arc<Host>,
    client: &Client,
    operation: &OpKey,
    method: &str,
    params: Value,
) -> Answer {
    ask(host, client, operation, method, &params).await.map_err(Failure::from)
}

async fn ask(
    host: &Arc<Host>,
    client: &Client,
    operation: &OpKey,
    method: &str,
    params: &Value,
) -> Result<Value, SurfaceError> {
    let request = SurfaceRequest::parse(method, params)?;
    let canvas = request.canvas().cloned().unwrap_or_else(|| host.first.clone());
    let caller = SurfaceCaller { actor: client.actor(), operation: operation.clone() };
    let panel = Panel { host: Arc::clone(host), canvas };
    let notify = |event: &SurfaceEvent| follow::notify(host, event);
    host.door.request(&host.engine, &panel, &caller, request, clock::now, notify).await.result
}

/// As [`ask`], of a canvas that need not have a surface.
async fn ask_if_any(
    host: &Arc<Host>,
    client: &Client,
    operation: &OpKey,
    method: &str,
    params: &Value,
) -> Result<(CanvasId, Option<Value>), Failure> {
    let canvas = match SurfaceRequest::parse(method, params).map_err(SurfaceError::from)?.canvas() {
        Some(canvas) => canvas.clone(),
        None => host.first.clone(),
    };
    match ask(host, client, operation, method, params).await {
        Ok(answer) => Ok((canvas, Some(answer))),
        Err(error) if error.code() == "SURFACE_NOT_FOUND" => {
            host.engine.revision_of(&canvas).await?;
            Ok((canvas, None))
        }
        Err(error) => Err(error.into()),
    }
}

/// All that a page shows of a canvas.
pub(crate) async fn get(host: &Arc<Host>, client: &Client, operation: &OpKey, params: Value) -> Answer {
    let (canvas, surface) = ask_if_any(host, client, operation, "canvas.get", &params).await?;
    shown::all(host, &canvas, client.person(), surface).await
}

/// A page shows a canvas from now on. What is due at the beginning of a session happens.
pub(crate) async fn open(
    host: &Arc<Host>,
    client: &Client,
    operation: &OpKey,
    params: Value,
) -> Result<(Value, Receiver<Utf8Bytes>), Failure> {
    let (canvas, views) = ask_if_any(host, client, operation, "canvas.open", &params).await?;
    // Only of canvases that there are: each that is followed costs a task.
    let events = host.follow(&canvas).await;
    host.note_revision(&canvas, host.engine.revision_of(&canvas).await?.revision);
    trigger::session_start(host, &canvas, client).await?;
    Ok((views.unwrap_or_else(|| json!({"views": []})), events))
}

/// A page shows a canvas no more.
pub(crate) async fn close(host: &Arc<Host>, client: &Client, operation: &OpKey, params: Value) -> Answer {
    let (_, views) = ask_if_any(host, client, operation, "canvas.close", &params).await?;
    Ok(views.unwrap_or_else(|| json!({"views": []})))
}
