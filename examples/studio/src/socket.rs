//! One page's connection.
//!
//! * Requests run beside one another, since an action may take long; edits of one page come one after another, because it waits
//!   for each.
//! * Events are shared by all pages; one that misses some is asked to begin anew. One that takes nothing any more is left.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::FromRequestParts as _;
use axum::extract::Request as HttpRequest;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use canvas_core::CanvasId;
use canvas_core::surface::{ClientId, SurfaceActor};
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc, watch};

use crate::error::Failure;
use crate::fan::event_text;
use crate::host::Host;
use crate::wire::{Request, answer, answer_text, canvas, hello};
use crate::{follow, http, trigger};

/// Where pages connect.
pub(crate) const PATH: &str = "/ws";

/// Bytes of a frame.
const FRAME: usize = 1 << 20;

/// Bytes that a connection reads and writes at once: there may be a thousand of them.
const BUFFER: usize = 4 << 10;

/// Requests of a page that are under way.
const UNDER_WAY: usize = 64;

/// How long a page may take nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// How often a page is asked whether it is there.
const PING: Duration = Duration::from_secs(20);

/// Makes a connection of a request that was found to come from the page.
pub(crate) async fn upgrade(host: Arc<Host>, stop: watch::Receiver<bool>, request: HttpRequest) -> Response {
    let headers = host.origins.page_headers();
    let (mut parts, _) = request.into_parts();
    let Ok(upgrade) = WebSocketUpgrade::from_request_parts(&mut parts, &()).await else {
        return http::refused(StatusCode::BAD_REQUEST, "this is a WebSocket: connect to it as one", headers);
    };
    upgrade
        .max_message_size(FRAME)
        .max_frame_size(FRAME)
        .read_buffer_size(BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(64 * FRAME)
        .on_upgrade(move |socket| run(host, stop, socket))
        .into_response()
}

/// What a page has said of itself.
#[derive(Default)]
struct Page {
    client: Option<ClientId>,
    open: Option<(CanvasId, Receiver<Utf8Bytes>)>,
}

async fn run(host: Arc<Host>, mut stop: watch::Receiver<bool>, mut socket: WebSocket) {
    let mut page = Page::default();
    // Answers of requests that run on their own.
    let (answered, mut answers) = mpsc::channel::<Utf8Bytes>(UNDER_WAY);
    let under_way = Arc::new(Semaphore::new(UNDER_WAY));
    let mut ping = tokio::time::interval(PING);
    ping.reset();
    loop {
        let message = tokio::select! {
            biased;
            () = stopped(&mut stop) => break,
            Some(text) = answers.recv() => Message::Text(text),
            event = next(&mut page.open) => Message::Text(event),
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => match take(&host, &mut page, text.as_str(), &under_way, &answered).await {
                    Some(text) => Message::Text(text),
                    None => continue,
                },
                Some(Ok(Message::Binary(_))) => {
                    Message::Text(answer_text(&Value::Null, Err(Failure::new("BAD_REQUEST", "frames are text: send JSON"))))
                }
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Close(_))) | None => break,
                Some(Err(_)) => {
                    let reason = "a frame has at most 1 MiB of text";
                    let close = CloseFrame { code: 1009, reason: reason.into() };
                    drop(tokio::time::timeout(PATIENCE, socket.send(Message::Close(Some(close)))).await);
                    break;
                }
            },
            _ = ping.tick() => Message::Ping(Vec::new().into()),
        };
        match tokio::time::timeout(PATIENCE, socket.send(message)).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => break,
        }
    }
    if let Some(client) = page.client {
        let left = host.door.views().disconnect(&SurfaceActor::ClientId(client));
        for canvas in left {
            host.publish(&canvas, "canvas.view.updated", json!({}));
        }
    }
}

/// Comes when the process ends.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    drop(stop.wait_for(|stop| *stop).await);
}

/// The next event of what is open.
async fn next(open: &mut Option<(CanvasId, Receiver<Utf8Bytes>)>) -> Utf8Bytes {
    let Some((canvas, events)) = open else { return std::future::pending().await };
    match events.recv().await {
        Ok(event) => event,
        Err(RecvError::Lagged(_)) => event_text("canvas.resync", &json!({"canvasId": canvas})),
        Err(RecvError::Closed) => std::future::pending().await,
    }
}

/// Takes a frame: answers at once, or has the answer come later.
async fn take(
    host: &Arc<Host>,
    page: &mut Page,
    text: &str,
    under_way: &Arc<Semaphore>,
    answered: &mpsc::Sender<Utf8Bytes>,
) -> Option<Utf8Bytes> {
    let request = match Request::read(text) {
        Ok(request) => request,
        Err((id, failure)) => return Some(answer_text(&id, Err(failure))),
    };
    let id = Value::from(request.id.as_str());
    if request.method == "hello" {
        let named = request.params["clientId"].as_str().map(ClientId::new);
        return Some(match named {
            Some(Ok(client)) => {
                page.client = Some(client);
                answer_text(&id, Ok(hello(host)))
            }
            _ => answer_text(&id, Err(Failure::new("INVALID_ARGUMENTS", "clientId is a short name: send one"))),
        });
    }
    let Some(client) = page.client.clone() else {
        return Some(answer_text(&id, Err(Failure::new("HELLO_REQUIRED", "say hello with a clientId first"))));
    };
    match request.method.as_str() {
        "canvas.open" => {
            if let Err(failure) = open(host, page, &client, &request.params).await {
                return Some(answer_text(&id, Err(failure)));
            }
        }
        "canvas.close" => page.open = None,
        _ => {}
    }
    let Ok(permit) = Arc::clone(under_way).try_acquire_owned() else {
        let many = format!("{UNDER_WAY} requests are under way: wait for an answer");
        return Some(answer_text(&id, Err(Failure::new("TOO_MANY_REQUESTS", &many))));
    };
    let (host, answered) = (Arc::clone(host), answered.clone());
    tokio::spawn(async move {
        let text = answer_text(&id, answer(&host, &client, request).await);
        // The page may be gone.
        drop(answered.send(text).await);
        drop(permit);
    });
    None
}

/// Events of the canvas come from now on.
async fn open(host: &Arc<Host>, page: &mut Page, client: &ClientId, params: &Value) -> Result<(), Failure> {
    let canvas = canvas(params)?;
    host.engine.snapshot(&canvas, crate::clock::now()).await?;
    let (events, is_first) = host.fan.open(&canvas);
    if is_first {
        tokio::spawn(follow::canvas(Arc::downgrade(host), canvas.clone()));
    }
    page.open = Some((canvas.clone(), events));
    let (host, client) = (Arc::clone(host), client.to_string());
    tokio::spawn(async move {
        if let Err(Failure(error)) = trigger::session_start(&host, &canvas, &client).await {
            crate::run::log(&format_args!("a trigger did nothing: {}", error["message"]));
        }
    });
    Ok(())
}
