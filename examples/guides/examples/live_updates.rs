//! Changes and the lock of a document as server-sent events.

use std::{convert::Infallible, error::Error, future, io, io::Write as _, sync::Arc, time::Duration};

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::{Router, routing::get};
use canvas_core::history::{EntryNumber, HistoryEntry};
use canvas_core::store::Blocking;
use canvas_core::watch::{LockView, Waited, Watch};
use canvas_core::{CanvasId, CodedError as _, Engine, EngineError, Follow, OpKey, Policy};
use canvas_store_sqlite::{SqliteStore, system_clock as now};
use futures_util::stream::{self, Stream, StreamExt as _};
use tokio::{net::TcpListener, time::sleep};

type Canvases = Arc<Engine<Blocking<SqliteStore>>>;

pub(crate) fn routes(engine: Canvases) -> Router {
    Router::new().route("/documents/{id}/live", get(live)).with_state(engine)
}

/// A canvas that is not there is an error before the stream begins: a browser does not connect again after it.
async fn live(
    State(engine): State<Canvases>,
    Path(canvas): Path<CanvasId>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, (StatusCode, String)> {
    let fail = |error: EngineError| match error {
        EngineError::NotFound { .. } => (StatusCode::NOT_FOUND, error.message()),
        _ if error.is_retryable() => (StatusCode::SERVICE_UNAVAILABLE, error.message()),
        _ => (StatusCode::INTERNAL_SERVER_ERROR, error.message()),
    };
    engine.revision_of(&canvas).await.map_err(fail)?;
    // A browser that connects again names the last event that it got.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let follow = Follow::new(Arc::clone(&engine), &canvas, last.map(EntryNumber::new), now);
    let watch = engine.watch(&canvas);
    let locks = locks(engine, watch).map(Some).chain(stream::iter([None]));
    // One connection for both, which ends with the first that ends.
    let events = stream::select(changes(follow), Box::pin(locks));
    let events = events.scan((), |(), event| future::ready(event.map(Ok)));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// Each change has its number as the id of the event. Nothing queues here: a change is read when it is sent. `None` ends the
/// connection, so the client connects again.
fn changes(follow: Follow<Blocking<SqliteStore>>) -> impl Stream<Item = Option<Event>> {
    let changes = follow.map(|change| {
        let change = HistoryEntry::from(&change.ok()?);
        let event = Event::default().event("change").id(change.number.to_string());
        Some(event.json_data(change).expect("it is plain JSON"))
    });
    // A `Follow` ends if the store was restored from a backup. The client then reads everything anew.
    changes.chain(stream::iter([Some(Event::default().event("reset").data("{}")), None]))
}

/// The lock now, and whenever it has changed.
fn locks(engine: Canvases, watch: Watch) -> impl Stream<Item = Event> {
    stream::unfold((engine, watch, None, Duration::MAX), async |(engine, mut watch, mut shown, mut left)| {
        loop {
            let (lock, clock) = match watch.next_until(sleep(left)).await {
                Waited::Next(event) => event.ok().map(|event| (event.lock, event.clock))?,
                Waited::End => return None,
                // A lease that ends by itself is no commit, so the host sets a timer.
                Waited::Deadline => {
                    let snapshot = engine.snapshot(watch.canvas(), now()).await.ok()?;
                    (LockView::of(&snapshot, engine.policy()), snapshot.clock)
                }
            };
            let until =
                lock.until().map(|until| until.saturating_duration_since(clock) + Duration::from_millis(1));
            left = until.unwrap_or(Duration::MAX);
            if shown.as_ref() != Some(&lock) {
                let event = Event::default().event("lock").json_data(&lock).expect("it is plain JSON");
                shown = Some(lock);
                return Some((event, (engine, watch, shown, left)));
            }
        }
    })
}

pub(crate) fn open(file: impl AsRef<std::path::Path>) -> Result<Canvases, Box<dyn Error>> {
    let store = SqliteStore::open(file, now)?;
    let store = Blocking::new(store).with_spawn(|job| drop(tokio::task::spawn_blocking(job)));
    Ok(Arc::new(Engine::new(store, Policy::default()).with_sleep(sleep)))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let engine = open(std::env::temp_dir().join("canvas-live.db"))?;
    engine.create(&CanvasId::new("plan")?, "# Plan\n", &OpKey::host("create-1".parse()?), now()).await?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    writeln!(io::stdout(), "curl -N http://{}/documents/plan/live", listener.local_addr()?)?;
    Ok(axum::serve(listener, routes(engine)).await?)
}
