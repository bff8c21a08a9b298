//! Following canvases: what has changed goes to all pages, whoever changed it.
//!
//! One task a canvas watches it and compares it with what pages were sent last. Commits that come together are sent as one
//! state, but for those of the document: each of them is sent by itself, with whose it is.

use std::sync::Weak;
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::surface::SurfaceEvent;
use canvas_core::turn::WorkMode;
use canvas_core::watch::{CanvasStatus, WatchEvent};
use canvas_core::{BlobId, CanvasId, EngineError, Face, Revision, RevisionId, Snapshot};
use canvas_store_sqlite::Listener;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::board_news::BoardNews;
use crate::host::Host;
use crate::{changed_paths, clock, document_news, history, past, proposals, run, shown};

/// How long a store that does not answer is left alone.
const PAUSE: Duration = Duration::from_millis(500);

/// How often the database is asked for commits of other processes.
const OTHERS: Duration = Duration::from_millis(200);

/// Bytes of the largest state that goes with its event.
const STATE: usize = 64 << 10;

/// What pages were sent last.
#[derive(Default)]
struct Sent {
    text: String,
    document: Option<(RevisionId, BlobId)>,
    /// Entries of the journal that were looked at.
    entries: u64,
    lock: Value,
    board: BoardNews,
    state: Value,
    history: Value,
    proposals: Value,
    work_mode: WorkMode,
}

/// Follows a canvas for as long as the process lives. Drops `begun` when it knows the canvas, or knows that it cannot.
pub(crate) async fn canvas(host: Weak<Host>, canvas: CanvasId, begun: watch::Sender<()>) {
    let mut watch = match host.upgrade() {
        Some(host) => host.engine.watch(&canvas),
        None => return,
    };
    let mut sent = Sent::default();
    let mut begun = Some(begun);
    // Nothing of what is there now is news; and after a fault of the store all may be.
    let (mut is_first, mut is_behind) = (true, false);
    loop {
        let next = tokio::select! {
            event = watch.next() => event,
            // A lease that ends by itself is no commit.
            () = end_of(&sent.lock) => None,
            () = tokio::time::sleep(PAUSE), if is_behind => None,
        };
        let event = match next {
            Some(Ok(event)) => Some(event),
            Some(Err(_)) => {
                drop(begun.take());
                is_behind = true;
                tokio::time::sleep(PAUSE).await;
                continue;
            }
            None => None,
        };
        let Some(host) = host.upgrade() else { return };
        if event.as_ref().is_some_and(|event| event.status != CanvasStatus::Live) {
            drop(begun.take());
            host.publish(&canvas, "canvas.deleted", json!({}));
            (sent, is_first) = (Sent::default(), true);
            continue;
        }
        match bring(&host, &canvas, &mut sent, event.as_ref().filter(|_| !is_behind), is_first).await {
            Ok(()) => {
                if event.is_some_and(|event| event.made || event.restored) && !is_first {
                    host.publish(&canvas, "canvas.resync", json!({}));
                }
                (is_first, is_behind) = (false, false);
            }
            Err(_) => is_behind = true,
        }
        drop(begun.take());
    }
}

/// Comes when the lease ends by itself.
async fn end_of(lock: &Value) {
    match lock["until"].as_u64().map(Timestamp::from_millis) {
        Some(until) => {
            tokio::time::sleep(until.saturating_duration_since(clock::now()) + Duration::from_millis(5))
                .await;
        }
        None => std::future::pending().await,
    }
}

/// Sends what has changed. Without an event all is looked at.
async fn bring(
    host: &Host,
    canvas: &CanvasId,
    sent: &mut Sent,
    event: Option<&WatchEvent>,
    is_first: bool,
) -> Result<(), EngineError> {
    let snapshot = host.engine.snapshot(canvas, clock::now()).await?;
    host.note_revision(canvas, snapshot.head.revision());
    let touched = |face| is_first || event.is_none_or(|event| event.faces.contains(&face));
    let lock = shown::lock(host, &snapshot);
    if lock != sent.lock {
        if !is_first {
            host.publish(canvas, "canvas.lock.updated", json!({"lock": lock}));
        }
        sent.lock = lock;
    }
    let work_mode = snapshot.head.work_mode();
    if work_mode != sent.work_mode {
        if !is_first {
            host.publish(canvas, "canvas.mode.updated", json!({"workMode": work_mode}));
        }
        sent.work_mode = work_mode;
    }
    bring_document(host, canvas, sent, &snapshot).await?;
    sent.entries = snapshot.head.journal().entries;
    let has_proposals = snapshot.head.face_revision(Face::Proposals) > Revision::ZERO;
    if has_proposals && (touched(Face::Proposals) || touched(Face::Document)) {
        let proposals = proposals::shown(host, canvas).await?;
        if !is_first && proposals != sent.proposals {
            host.publish(canvas, "canvas.proposals.updated", json!({"proposals": proposals}));
        }
        sent.proposals = proposals;
    }
    if touched(Face::Board) || touched(Face::Recipe) || touched(Face::Data) {
        sent.board.bring(host, canvas, is_first).await?;
    }
    if touched(Face::Surface) || touched(Face::Data) {
        bring_surface(host, canvas, sent, &snapshot, is_first, event.is_some() && touched(Face::Surface))
            .await?;
    }
    if !is_first && event.is_none_or(|event| event.versions) {
        let versions = past::shown(host, canvas).await?;
        host.publish(canvas, "canvas.versions.updated", json!({"versions": versions}));
    }
    if is_first || event.is_none_or(|event| !event.faces.is_empty()) {
        let history = history::shown(host, canvas).await?;
        if !is_first && history != sent.history {
            host.publish(canvas, "canvas.history.updated", json!({"history": history}));
        }
        sent.history = history;
    }
    Ok(())
}

async fn bring_document(
    host: &Host,
    canvas: &CanvasId,
    sent: &mut Sent,
    snapshot: &Snapshot,
) -> Result<(), EngineError> {
    let document = snapshot.document.id();
    if sent.document.is_some_and(|(_, known)| known == document) {
        return Ok(());
    }
    host.texts.keep(canvas, document, snapshot.text());
    let mut revision = snapshot.revision_id();
    if let Some((base, _)) = sent.document {
        let before = document_news::Before { text: &sent.text, revision: base, entries: sent.entries };
        revision = document_news::bring(host, canvas, before, snapshot).await?;
    }
    sent.text = snapshot.text().to_owned();
    sent.document = Some((revision, document));
    Ok(())
}

async fn bring_surface(
    host: &Host,
    canvas: &CanvasId,
    sent: &mut Sent,
    snapshot: &Snapshot,
    is_first: bool,
    is_told: bool,
) -> Result<(), EngineError> {
    // Undo and the assistant change specs too.
    host.door.track(&host.engine, canvas, clock::now()).await?;
    let (surface, _) = host.engine.surface(canvas, clock::now()).await?;
    let state = surface.map_or(Value::Null, |surface| json!(surface.state.value()));
    let mut payload = json!({"at": snapshot.clock});
    if state == sent.state {
        payload["spec"] = true.into();
    } else {
        payload["changedPaths"] = json!(changed_paths::between(&sent.state, &state));
        if state.to_string().len() <= STATE {
            payload["state"] = state.clone();
        }
    }
    // `spec`: it is the title, the spec or an asset, and pages ask for them.
    if !is_first && (is_told || state != sent.state) {
        host.publish(canvas, "canvas.updated", payload);
    }
    sent.state = state;
    Ok(())
}

/// What happens to an action or to views, for all pages. That a surface has changed is seen by who follows the canvas.
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

/// Asks the database for commits of other processes, for as long as there is a host.
pub(crate) async fn others(host: Weak<Host>, mut listener: Listener) {
    let mut is_told = false;
    loop {
        tokio::time::sleep(OTHERS).await;
        let Some(host) = host.upgrade() else { return };
        let followed = host.fan.followed();
        let polled = tokio::task::spawn_blocking(move || {
            let polled = listener.poll(&followed);
            (listener, polled)
        });
        let Ok((back, polled)) = polled.await else { return };
        listener = back;
        match polled {
            Ok(changed) => {
                changed.iter().for_each(|canvas| host.engine.forget(canvas));
                is_told = false;
            }
            // Once, not five times a second.
            Err(error) if !is_told => {
                run::log(&format_args!("commits of other processes: {error}"));
                is_told = true;
            }
            Err(_) => {}
        }
    }
}
