//! What a page is shown of a canvas.

use canvas_core::recipe::CanvasData;
use canvas_core::turn::WorkMode;
use canvas_core::watch::LockView;
use canvas_core::{CanvasId, PersonId, Snapshot};
use serde_json::{Map, Value, json};

use crate::clock;
use crate::error::Answer;
use crate::host::Host;
use crate::{frame, history, past, proposals};

/// The lock as a person sees it.
pub(crate) fn lock(host: &Host, snapshot: &Snapshot) -> Value {
    let view = LockView::of(snapshot, host.engine.policy());
    json!({
        "locked": view.is_locked(),
        "holder": view.holder().map(|_| "assistant"),
        "tooltip": view.tooltip(),
        "until": view.until(),
        "blocksTyping": view.blocks_typing(),
        "canTakeControl": view.can_take_control(),
    })
}

/// What the recipe has made, with its state; null where there is nothing.
pub(crate) fn recipe(made: &CanvasData) -> Value {
    if made.components.is_empty() {
        return Value::Null;
    }
    let mut components = Map::new();
    for (id, data) in &made.components {
        let mut shown = json!({"status": data.status, "asOf": data.as_of});
        if let Some(reason) = &data.reason {
            shown["reason"] = json!(reason.code);
            shown["message"] = reason.message.as_str().into();
        }
        components.insert(id.to_string(), shown);
    }
    json!({"components": components})
}

/// All of a canvas, as a person sees it. `surface` is what 001's `canvas.get` answers.
pub(crate) async fn all(
    host: &Host,
    canvas: &CanvasId,
    person: Option<&PersonId>,
    surface: Option<Value>,
) -> Answer {
    let snapshot = host.engine.snapshot(canvas, clock::now()).await?;
    let mut all = surface.unwrap_or_else(
        || json!({"descriptor": null, "spec": null, "state": null, "assets": [], "views": []}),
    );
    let registry: Vec<_> = host.engine.registry().get_all().collect();
    let (surface, _) = host.engine.surface(canvas, clock::now()).await?;
    let entry = surface
        .as_ref()
        .and_then(|surface| Some((surface.descriptor.entry_asset.as_ref()?, &surface.assets)));
    all["frame"] = entry.map_or(Value::Null, |(entry, assets)| frame::place(canvas, entry.as_str(), assets));
    all["document"] = json!({"markdown": snapshot.text(), "revisionId": snapshot.revision_id()});
    all["lock"] = lock(host, &snapshot);
    all["board"] = json!(host.workspace(canvas).await?);
    all["registry"] = json!(registry);
    let (made, _) = host.engine.data(canvas, clock::now()).await?;
    all["recipe"] = recipe(&made);
    all["history"] = history::shown(host, canvas).await?;
    all["versions"] = past::shown(host, canvas).await?;
    all["proposals"] = proposals::shown(host, canvas).await?;
    let mode = snapshot.head.work_mode();
    all["workMode"] = json!(mode);
    all["people"] = json!(host.people.on(canvas));
    all["chat"] = host.assistant.chat(canvas, person.filter(|_| mode == WorkMode::Collaborative));
    all["revision"] = host.note_revision(canvas, snapshot.head.revision()).into();
    all["epoch"] = json!(snapshot.head.lock().epoch());
    all["promoted"] = (snapshot.head.committed() == Some(snapshot.head.draft())).into();
    host.texts.keep(canvas, snapshot.document.id(), snapshot.text());
    Ok(all)
}
