//! What the two listeners answer.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::watch;

use crate::host::Host;
use crate::{files, frame, socket};

#[derive(Debug, Clone)]
struct Page {
    host: Arc<Host>,
    stop: watch::Receiver<bool>,
}

/// The page, its files and its socket.
pub(crate) fn page(host: &Arc<Host>, stop: watch::Receiver<bool>) -> Router {
    Router::new().fallback(answer_page).with_state(Page { host: Arc::clone(host), stop })
}

/// What surfaces show.
pub(crate) fn frame(host: &Arc<Host>) -> Router {
    Router::new().fallback(answer_frame).with_state(Arc::clone(host))
}

async fn answer_page(State(Page { host, stop }): State<Page>, request: Request) -> Response {
    let origins = host.origins.clone();
    let headers = origins.page_headers();
    if !origins.is_for_page(request.headers()) {
        return refused(StatusCode::MISDIRECTED_REQUEST, "the studio is at 127.0.0.1: ask there", headers);
    }
    if request.uri().path() == socket::PATH {
        if !origins.is_from_page(request.headers()) {
            return refused(
                StatusCode::FORBIDDEN,
                "only the studio's own page may connect: open that",
                headers,
            );
        }
        return socket::upgrade(host, stop, request).await;
    }
    if let Some(refusal) = method(&request, &headers) {
        return refusal;
    }
    match files::page(request.uri().path()) {
        Some((media_type, bytes)) => found(media_type, bytes, headers),
        None => refused(StatusCode::NOT_FOUND, "there is no such file: open /", headers),
    }
}

async fn answer_frame(State(host): State<Arc<Host>>, request: Request) -> Response {
    let headers = host.origins.frame_headers();
    if !host.origins.is_for_frame(request.headers()) {
        return refused(StatusCode::MISDIRECTED_REQUEST, "the studio is at 127.0.0.1: ask there", headers);
    }
    if let Some(refusal) = method(&request, &headers) {
        return refusal;
    }
    match frame::file(&host, request.uri().path()).await {
        Ok((media_type, bytes)) => found(&media_type, bytes, headers),
        Err((status, message)) => refused(status, &message, headers),
    }
}

/// Nothing but reading.
fn method(request: &Request, headers: &HeaderMap) -> Option<Response> {
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return None;
    }
    let mut headers = headers.clone();
    headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    Some(refused(StatusCode::METHOD_NOT_ALLOWED, "files are only read: use GET", headers))
}

fn found(media_type: &str, bytes: Vec<u8>, mut headers: HeaderMap) -> Response {
    let text = HeaderValue::from_static("application/octet-stream");
    headers.insert(CONTENT_TYPE, HeaderValue::from_str(media_type).unwrap_or(text));
    (headers, bytes).into_response()
}

pub(crate) fn refused(status: StatusCode, message: &str, mut headers: HeaderMap) -> Response {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    (status, headers, format!("{message}\n")).into_response()
}
