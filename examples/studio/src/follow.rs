//! Following canvases: what has changed goes to all pages, whoever changed it.

use std::sync::Weak;
use std::time::Duration;

use canvas_core::board::Workspace;
use canvas_core::lease::Timestamp;
use canvas_core::surface::SurfaceEvent;
use canvas_core::{Actor, CanvasId, CanvasStatus, EngineError, Face, RevisionId, WatchEvent};
use serde_json::{Value, json};

use crate::host::Host;
use crate::splice::{Splice, words};
use crate::{clock, shown};

/// How long a store that does not answer is left alone.
const PAUSE: Duration = Duration::from_millis(500);

/// How often due data and jobs are looked for.
const DATA: Duration = Duration::from_millis(250);

/// The largest state that goes with its event.
const STATE: usize = 64 << 10;

/// What pages were sent last.
#[derive(Default)]
struct Sent {
    text: String,
    revision: Option<RevisionId>,
    lock: Value,
    board: Option<Workspace>,
    state: Value,
    recipe: Value,
}

/// Follows a canvas for as long as the process lives.
pub(crate) async fn canvas(host: Weak<Host>, canvas: CanvasId) {
    let mut sent = Sent::default();
    let mut watch = match host.upgrade() {
        Some(host) => host.engine.watch(&canvas),
        None => return,
    };
    let mut first = true;
    loop {
        let until = sent.lock["until"].as_u64().map(Timestamp::from_millis);
        let expires = async {
            match until {
                Some(until) => tokio::time::sleep(until.saturating_since(clock::now()) + Duration::from_millis(5)).await,
                None => std::future::pending().await,
            }
        };
        let event = tokio::select! {
            event = watch.next() => match event {
                Some(Ok(event)) => Some(event),
                Some(Err(_)) => {
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
                None => return,
            },
            // A lease that ends by itself is no commit.
            () = expires => None,
        };
        let Some(host) = host.upgrade() else { return };
        if event.as_ref().is_some_and(|event| event.status != CanvasStatus::Live) {
            host.publish(&canvas, "canvas.deleted", json!({}));
            continue;
        }
        if bring(&host, &canvas, &mut sent, event.as_ref(), first).await.is_err() {
            // Pages ask for all of it when the store answers again.
            host.publish(&canvas, "canvas.resync", json!({}));
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        first = false;
    }
}

async fn bring(
    host: &Host,
    canvas: &CanvasId,
    sent: &mut Sent,
    event: Option<&WatchEvent>,
    first: bool,
) -> Result<(), EngineError> {
    let snapshot = host.engine.snapshot(canvas, clock::now()).await?;
    let number = host.note_revision(canvas, snapshot.revision_id());
    let all = first || event.is_some_and(|event| event.made || event.restored || event.missed > 0 || event.faces.is_empty());
    let touched = |face| all || event.is_some_and(|event| event.faces.contains(&face));
    let lock = shown::lock(host, &snapshot);
    if lock != sent.lock {
        host.publish(canvas, "canvas.lock.updated", json!({"lock": lock, "revision": number}));
        sent.lock = lock;
    }
    if snapshot.text() != sent.text || sent.revision.is_none() {
        host.texts.keep(canvas, snapshot.revision_id(), snapshot.text());
        if let Some(base) = sent.revision {
            let actor = event.and_then(|event| event.actor);
            let mut payload = json!({
                "revision": number,
                "revisionId": snapshot.revision_id(),
                "baseRevisionId": base,
                "splice": Splice::between(&sent.text, snapshot.text()),
                "epoch": snapshot.head.lock().epoch(),
                "actor": actor,
            });
            if actor == Some(Actor::Assistant) {
                payload["words"] = words(&sent.text, snapshot.text());
            }
            host.publish(canvas, "canvas.document.updated", payload);
        }
        sent.text = snapshot.text().to_owned();
        sent.revision = Some(snapshot.revision_id());
    }
    if touched(Face::Board) || touched(Face::Recipe) || touched(Face::Data) {
        bring_board(host, canvas, sent, first).await?;
    }
    if touched(Face::Surface) || touched(Face::Data) {
        bring_state(host, canvas, sent, number, first).await?;
    }
    if event.is_some_and(|event| !event.faces.is_empty()) {
        let history = shown::history(host, canvas).await?;
        host.publish(canvas, "canvas.history.updated", json!({"history": history, "revision": number}));
    }
    Ok(())
}

async fn bring_board(host: &Host, canvas: &CanvasId, sent: &mut Sent, first: bool) -> Result<(), EngineError> {
    let board = host.workspace(canvas).await?;
    if let (false, Some(after)) = (first, &board) {
        let none = Vec::new();
        let before = sent.board.as_ref();
        let known = before.map_or(&none, |before| &before.canvas.components);
        let (components, removed) = shown::changed(known, &after.canvas.components);
        let mut payload = json!({"components": components, "removed": removed});
        if before.is_none_or(|before| before.views != after.views) {
            payload["views"] = json!(after.views);
        }
        if before.is_none_or(|before| before.settings != after.settings) {
            payload["settings"] = json!(after.settings);
        }
        if before.is_none_or(|before| before.triggers != after.triggers) {
            payload["triggers"] = json!(after.triggers);
        }
        let says = payload.as_object().is_some_and(|fields| fields.len() > 2);
        if says || !components.is_empty() || !removed.is_empty() {
            host.publish(canvas, "canvas.board.updated", payload);
        }
    }
    sent.board = board;
    let recipe = shown::recipe(host, canvas).await?;
    if recipe != sent.recipe {
        if !first {
            host.publish(canvas, "canvas.recipe.updated", json!({"components": recipe["components"]}));
        }
        sent.recipe = recipe;
    }
    Ok(())
}

async fn bring_state(
    host: &Host,
    canvas: &CanvasId,
    sent: &mut Sent,
    revision: u64,
    first: bool,
) -> Result<(), EngineError> {
    host.door.track(&host.engine, canvas, clock::now()).await?;
    let (surface, _) = host.engine.surface(canvas, clock::now()).await?;
    let state = surface.map_or(Value::Null, |surface| serde_json::from_str(&surface.state.to_json()).unwrap_or_default());
    if !first && state != sent.state {
        let mut payload = json!({
            "revision": revision, "at": clock::now(), "changedPaths": changed_paths(&sent.state, &state),
        });
        if state.to_string().len() <= STATE {
            payload["state"] = state.clone();
        }
        host.publish(canvas, "canvas.updated", payload);
    } else if !first {
        // Title, spec or assets: the page asks for them.
        host.publish(canvas, "canvas.updated", json!({"revision": revision, "at": clock::now(), "spec": true}));
    }
    sent.state = state;
    Ok(())
}

/// The members of the state that differ, as JSON Pointers.
fn changed_paths(before: &Value, after: &Value) -> Vec<String> {
    let none = serde_json::Map::new();
    let of = |value: &Value| value.as_object().cloned().unwrap_or_else(|| none.clone());
    let (before, after) = (of(before), of(after));
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort();
    names.dedup();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed.map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}

/// What happens to an action, for all pages. That the state has changed is seen by who follows the canvas.
pub(crate) fn notify(host: &Host, event: &SurfaceEvent) {
    let mut payload = json!(event);
    let Some(name) = payload["event"].as_str().map(str::to_owned) else { return };
    if name == "canvas.updated" {
        return;
    }
    if let Some(fields) = payload.as_object_mut() {
        fields.remove("event");
    }
    host.publish(&event.canvas_id, &name, payload);
}

/// Runs the jobs of surfaces when they are due.
pub(crate) async fn jobs(host: Weak<Host>) {
    loop {
        tokio::time::sleep(DATA).await;
        let Some(host) = host.upgrade() else { return };
        for (job, mut run) in host.door.due(&host.engine, clock::now()).await {
            let host = std::sync::Arc::clone(&host);
            tokio::spawn(async move {
                let tools = &*host.tool_host;
                let over = run.drive(&host.engine, tools, clock::now, |event| notify(&host, &event)).await;
                match over {
                    Ok(over) => host.door.job_over(&job, &over, clock::now()),
                    Err(error) => crate::run::log(&format_args!("a job did not end: {error}")),
                }
            });
        }
    }
}

/// Fetches the data of components when they are due.
pub(crate) async fn data(host: Weak<Host>) {
    loop {
        tokio::time::sleep(DATA).await;
        let Some(host) = host.upgrade() else { return };
        for (canvas, components) in host.data.poll(clock::now()) {
            host.publish(&canvas, "canvas.data.updated", json!({"components": components}));
        }
    }
}
