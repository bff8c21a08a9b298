//! What a page is shown of a canvas.

use canvas_core::board::ComponentInstance;
use canvas_core::{CanvasId, EngineError, Entry, LockView, Snapshot, Stacks};
use serde_json::{Map, Value, json};

use crate::clock;
use crate::error::Answer;
use crate::frame::ASSETS;
use crate::host::Host;

/// Entries of each side of the history.
const ENTRIES: usize = 20;

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

/// What can be undone and redone, the newest first.
pub(crate) async fn history(host: &Host, canvas: &CanvasId) -> Result<Value, EngineError> {
    let Stacks { undo, redo } = host.engine.stacks(canvas, None, ENTRIES, clock::now()).await?;
    let list = |entries: &[Entry]| -> Value {
        let line = |entry: &Entry| json!({"summary": entry.summary, "actor": entry.author, "at": entry.at});
        entries.iter().map(line).collect()
    };
    Ok(json!({"undo": list(&undo), "redo": list(&redo)}))
}

/// What the recipe makes, with its state; null where there is none.
pub(crate) async fn recipe(host: &Host, canvas: &CanvasId) -> Result<Value, EngineError> {
    let (made, _) = host.engine.data(canvas, clock::now()).await?;
    if made.components.is_empty() {
        return Ok(Value::Null);
    }
    let mut components = Map::new();
    for (id, data) in &made.components {
        let mut shown = json!({"status": data.status, "asOf": data.as_of});
        if let Some(reason) = &data.reason {
            shown["reason"] = reason.message.as_str().into();
            shown["code"] = json!(reason.code);
        }
        components.insert(id.to_string(), shown);
    }
    Ok(json!({"components": components}))
}

/// The board without what changes it more often; null where there is none.
pub(crate) async fn board(host: &Host, canvas: &CanvasId) -> Result<Value, EngineError> {
    Ok(json!(host.workspace(canvas).await?))
}

/// All of a canvas. `surface` is what 001's `canvas.get` answers.
pub(crate) async fn all(host: &Host, canvas: &CanvasId, surface: Option<Value>) -> Answer {
    let snapshot = host.engine.snapshot(canvas, clock::now()).await?;
    let mut all = surface.unwrap_or_else(
        || json!({"descriptor": null, "spec": null, "state": null, "assets": [], "views": []}),
    );
    let entry = all["descriptor"]["entryAsset"].as_str().map(|path| format!("{ASSETS}{canvas}/{path}"));
    let registry: Vec<_> = host.engine.registry().get_all().collect();
    all["frame"] = entry.map_or(Value::Null, |path| json!({"path": path}));
    all["document"] = json!({"markdown": snapshot.text(), "revisionId": snapshot.revision_id()});
    all["lock"] = lock(host, &snapshot);
    all["board"] = board(host, canvas).await?;
    all["registry"] = json!(registry);
    all["recipe"] = recipe(host, canvas).await?;
    all["history"] = history(host, canvas).await?;
    all["chat"] = host.assistant.chat(canvas);
    all["revision"] = host.note_revision(canvas, snapshot.revision_id()).into();
    all["epoch"] = json!(snapshot.head.lock().epoch());
    all["promoted"] = (snapshot.head.committed() == Some(snapshot.head.draft())).into();
    host.texts.keep(canvas, snapshot.revision_id(), snapshot.text());
    Ok(all)
}

/// Components of one board that another one has not, or has otherwise; and the ids that are gone.
pub(crate) fn changed(before: &[ComponentInstance], after: &[ComponentInstance]) -> (Vec<Value>, Vec<Value>) {
    let known: std::collections::HashMap<_, _> = before.iter().map(|one| (&one.id, one)).collect();
    let kept: std::collections::HashSet<_> = after.iter().map(|one| &one.id).collect();
    let components = after.iter().filter(|one| known.get(&one.id) != Some(one)).map(|one| json!(one)).collect();
    let removed = before.iter().filter(|one| !kept.contains(&one.id)).map(|one| json!(one.id)).collect();
    (components, removed)
}
