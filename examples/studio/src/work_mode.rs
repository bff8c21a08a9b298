//! The way in which people and assistants work on a canvas.

use canvas_core::turn::{SetWorkMode, WorkMode};
use canvas_core::{CanvasId, OpKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::error::{Answer, Failure};
use crate::host::Host;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModeParams {
    canvas_id: CanvasId,
    mode: WorkMode,
}

/// Switches between one turn for all conversations and a turn for each. A switch ends every turn.
pub(crate) async fn set(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let ModeParams { canvas_id, mode } = Failure::read(params)?;
    let (set, _) = host.act(&canvas_id, operation, SetWorkMode { mode }).await?;
    if set.changed {
        host.assistant.interrupt(&canvas_id);
    }
    Ok(json!({"changed": set.changed, "epoch": set.epoch}))
}
