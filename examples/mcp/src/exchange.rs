//! Answers requests of HTTP, with rmcp's service behind it.
//!
//! * `Accept` follows HTTP. A client that accepts only JSON gets the answer from the stream of events as JSON.
//! * The body of a refusal is a JSON-RPC error with the id of the request, whatever its status.
//! * The messages of a batch run one after the other, and are answered together.
//! * A foreign host or origin is refused before any fault of its message.

use std::collections::HashSet;
use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderValue, Method, StatusCode};
use axum::response::Response;
use futures_util::StreamExt as _;
use rmcp::model::{ClientJsonRpcMessage, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::StreamableHttpService;
use serde::Serialize;
use serde_json::{Value, json};

use crate::accept::{Accepted, EVENTS, JSON};
use crate::message::{self, Fault, Incoming};
use crate::server::Server;
use crate::sessions::Sessions;

/// Bytes of the largest request: a document of 16 MiB, escaped.
pub(crate) const MAX_BODY: usize = 40 << 20;

/// Bytes that are read of a refusal by the service.
const MAX_REFUSAL: usize = 64 << 10;

const SESSION: &str = "mcp-session-id";

/// The service and its sessions.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) service: StreamableHttpService<Server, Sessions>,
    pub(crate) sessions: Arc<Sessions>,
}

/// Answers one request.
pub(crate) async fn answer(State(exchange): State<Exchange>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let accepted = Accepted::of(&parts.headers);
    let is_accepted = match parts.method {
        Method::POST => accepted.json || accepted.events,
        Method::GET => accepted.events,
        Method::DELETE => {
            let mut response = exchange.run(parts, body).await;
            // The end of a session is not under way: clients take 202 for a fault.
            if response.status() == StatusCode::ACCEPTED {
                *response.status_mut() = StatusCode::NO_CONTENT;
            }
            return response;
        }
        _ => return exchange.run(parts, body).await,
    };
    parts.headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    if !is_accepted {
        let message = "Accept leaves out what an answer is: POST has application/json or text/event-stream, GET has \
                       text/event-stream";
        return exchange.refuse(parts, StatusCode::NOT_ACCEPTABLE, Fault::invalid(message, None)).await;
    }
    if parts.method == Method::GET {
        return exchange.run(parts, body).await;
    }
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        let message = format!("the body is not whole, or has over {} MiB: send less at once", MAX_BODY >> 20);
        return exchange.refuse(parts, StatusCode::PAYLOAD_TOO_LARGE, Fault::invalid(message, None)).await;
    };
    parts.headers.remove(CONTENT_LENGTH);
    let body = body.slice_ref(message::trim(&body));
    let answered = match message::read(&body) {
        Ok(Incoming::One(message)) => Ok(exchange.one(&parts, accepted, &message, body).await),
        Ok(Incoming::Batch(messages)) => exchange.batch(&parts, accepted, &messages).await,
        Err(fault) => Err(fault),
    };
    match answered {
        Ok(response) => response,
        Err(fault) => exchange.refuse(parts, StatusCode::BAD_REQUEST, fault).await,
    }
}

impl Exchange {
    async fn run(&self, parts: Parts, body: impl Into<Body>) -> Response {
        self.service.handle(Request::from_parts(parts, body.into())).await.map(Body::new)
    }

    /// Answers with a fault, unless the service forbids the client to ask at all.
    async fn refuse(&self, parts: Parts, status: StatusCode, fault: Fault) -> Response {
        let judged = self.run(parts, Body::empty()).await;
        if judged.status() == StatusCode::FORBIDDEN {
            return judged;
        }
        json(status, &ServerJsonRpcMessage::from(fault))
    }

    async fn one(
        &self,
        parts: &Parts,
        accepted: Accepted,
        message: &ClientJsonRpcMessage,
        body: Bytes,
    ) -> Response {
        let id = match message {
            JsonRpcMessage::Request(request) => Some(&request.id),
            _ => None,
        };
        let response = self.run(parts.clone(), body).await;
        if !response.status().is_success() {
            return explained(response, id, parts.headers.contains_key(SESSION)).await;
        }
        match id {
            Some(id) if !accepted.events && media(&response) != JSON => {
                let (mut head, body) = response.into_parts();
                let message = self.last(parts, body, id).await;
                head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
                Response::from_parts(head, Body::from(message.to_string()))
            }
            _ => response,
        }
    }

    async fn batch(&self, parts: &Parts, accepted: Accepted, messages: &[Value]) -> Result<Response, Fault> {
        let session = parts.headers.get(SESSION).and_then(|id| id.to_str().ok());
        message::check_batch(session.and_then(|id| self.sessions.version(id)).as_ref(), messages.len())?;
        let (mut answers, mut ids) = (Vec::new(), HashSet::new());
        let only_json = Accepted { json: true, events: false };
        for value in messages {
            let taken = message::of_batch(value).and_then(|message| match &*message {
                JsonRpcMessage::Request(request) if !ids.insert(request.id.clone()) => {
                    Err(Fault::same_id(request.id.clone()))
                }
                _ => Ok(message),
            });
            let message = match taken {
                Ok(message) => message,
                Err(fault) => {
                    answers.push(value_of(&ServerJsonRpcMessage::from(fault)));
                    continue;
                }
            };
            let response = self.one(parts, only_json, &message, value.to_string().into()).await;
            if response.status() == StatusCode::FORBIDDEN {
                return Ok(response);
            }
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
            answers.extend(serde_json::from_slice::<Value>(&body).ok());
        }
        let answers = Value::from(answers);
        Ok(match &answers {
            Value::Array(none) if none.is_empty() => {
                let mut response = Response::new(Body::empty());
                *response.status_mut() = StatusCode::ACCEPTED;
                response
            }
            _ if accepted.json => json(StatusCode::OK, &answers),
            _ => {
                let mut response = Response::new(Body::from(format!("data: {answers}\n\n")));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(EVENTS));
                response
            }
        })
    }

    /// Returns the answer at the end of a stream of events. Notifications before it are left out. If the server asks the client
    /// something, the request is cancelled, because the question would not arrive.
    async fn last(&self, parts: &Parts, body: Body, id: &RequestId) -> Value {
        let (mut chunks, mut text) = (body.into_data_stream(), Vec::new());
        while let Some(Ok(chunk)) = chunks.next().await {
            text.extend_from_slice(&chunk);
            while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = text.drain(..=end).collect();
                let data = line.strip_prefix(b"data:").unwrap_or_default();
                match serde_json::from_slice::<Value>(data) {
                    Ok(message) if message.get("method").is_none() => return message,
                    Ok(message) if message.get("id").is_some() => {
                        let params = json!({"requestId": id});
                        let cancel =
                            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
                        drop(self.run(parts.clone(), cancel.to_string()).await);
                        let message = "the call was cancelled, because it asks its client something: accept \
                                       text/event-stream, and send it by itself";
                        return value_of(&ServerJsonRpcMessage::from(Fault::invalid(
                            message,
                            Some(id.clone()),
                        )));
                    }
                    _ => {}
                }
            }
        }
        let ended = ErrorData::internal_error("the session ended, or the request was cancelled", None);
        value_of(&ServerJsonRpcMessage::error(ended, Some(id.clone())))
    }
}

/// Turns a refusal by the service into a JSON-RPC error, and keeps its status.
async fn explained(response: Response, id: Option<&RequestId>, has_session: bool) -> Response {
    let status = response.status();
    if media(&response) == JSON || status == StatusCode::FORBIDDEN {
        return response;
    }
    let text = to_bytes(response.into_body(), MAX_REFUSAL).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let fault = match id {
        Some(id) if !has_session && status == StatusCode::BAD_REQUEST => Fault::not_begun(id.clone()),
        id if status.is_client_error() => Fault::invalid(text, id.cloned()),
        id => Fault { error: ErrorData::internal_error(text, None), id: id.cloned() },
    };
    json(status, &ServerJsonRpcMessage::from(fault))
}

fn media(response: &Response) -> &str {
    response.headers().get(CONTENT_TYPE).and_then(|media| media.to_str().ok()).unwrap_or_default()
}

fn json(status: StatusCode, message: &impl Serialize) -> Response {
    let mut response = Response::new(Body::from(value_of(message).to_string()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(JSON));
    response
}

fn value_of(message: &impl Serialize) -> Value {
    serde_json::to_value(message).expect("messages have no maps with other keys than strings")
}
