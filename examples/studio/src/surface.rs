//! The methods of surfaces.

use std::sync::Arc;

use canvas_core::surface::{ClientId, SurfaceActor};
use canvas_core::{CanvasId, OpKey};
use canvas_tools::surface::{SurfaceCaller, SurfaceRequest};
use serde_json::Value;

use crate::error::{Answer, Failure};
use crate::host::Host;
use crate::{clock, follow, shown};

/// Answers one of the nine methods. An action is run to its end, which may take long.
pub(crate) async fn request(
    host: &Arc<Host>,
    client: &ClientId,
    operation: &OpKey,
    method: &str,
    params: &Value,
) -> Answer {
    let parsed = SurfaceRequest::parse(method, params).map_err(|error| Failure::from(canvas_tools::surface::SurfaceError::from(error)))?;
    let canvas = parsed.canvas().cloned();
    let caller = SurfaceCaller { actor: SurfaceActor::ClientId(client.clone()), operation: operation.clone() };
    let tools = Arc::clone(&host.tool_host);
    let reply = host
        .door
        .request(&host.engine, &*tools, &caller, parsed, clock::now, |event| follow::notify(host, event))
        .await;
    match (method, canvas, reply.result) {
        ("canvas.get", Some(canvas), Ok(surface)) => shown::all(host, &canvas, Some(surface)).await,
        ("canvas.get", Some(canvas), Err(error)) if error.code() == "SURFACE_NOT_FOUND" => all(host, &canvas).await,
        (_, _, Ok(result)) => Ok(result),
        (_, _, Err(error)) => Err(error.into()),
    }
}

/// A canvas that has no surface.
async fn all(host: &Host, canvas: &CanvasId) -> Answer {
    shown::all(host, canvas, None).await
}
