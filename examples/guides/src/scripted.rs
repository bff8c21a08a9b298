//! In place of a provider: a server on this machine that speaks the Anthropic Messages API as a script says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, net, thread};

use axum::http::{StatusCode, header::CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};

/// Starts the server on a free port and returns its address. It ends with the process.
///
/// Its model answers a user's `old line => new line`: it takes the lease, patches that line, and says what came of it. Answers
/// are streams where the body asks for them. The first request is answered 529, as a provider does that is overloaded.
///
/// # Errors
///
/// If no port is free.
pub fn serve() -> io::Result<String> {
    let listener = net::TcpListener::bind((net::Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let url = format!("http://{}", listener.local_addr()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listener = {
        let _inside = runtime.enter();
        tokio::net::TcpListener::from_std(listener)?
    };
    let routes = Router::new().route("/v1/messages", post(messages)).with_state(Arc::default());
    thread::spawn(move || runtime.block_on(async { axum::serve(listener, routes).await }));
    Ok(url)
}

async fn messages(State(was_asked): State<Arc<AtomicBool>>, Json(body): Json<Value>) -> Response {
    if !was_asked.swap(true, Ordering::Relaxed) {
        let error = json!({"type": "overloaded_error", "message": "Overloaded"});
        let status = StatusCode::from_u16(529).expect("it is one");
        return (status, Json(json!({"type": "error", "error": error}))).into_response();
    }
    let message = answer(&body["messages"]);
    if body["stream"] == true {
        return ([(CONTENT_TYPE, "text/event-stream")], streamed(&message)).into_response();
    }
    Json(message).into_response()
}

/// The next answer: by what the last call came to, and by what the user has asked for.
fn answer(messages: &Value) -> Value {
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks = || messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
    let asked = blocks().filter_map(|block| block["text"].as_str()?.split_once(" => ")).next_back();
    let Some((old, new)) = asked else { return say("Ask me for `old line => new line`.") };
    let reply = blocks().next_back().and_then(|block| block["content"].as_str());
    let reply: Option<Value> = reply.and_then(|reply| serde_json::from_str(reply).ok());
    let id = format!("toolu_{}", messages.len());
    match reply {
        None => call(&id, "canvas_check_out", &json!({})),
        Some(reply) if reply["applied_hunks"].is_u64() => say(&format!("It says “{new}” now.")),
        Some(reply) if reply["ok"] == true => {
            let patch = format!("@@\n-{old}\n+{new}\n");
            call(&id, "canvas_apply_patch", &json!({"lease_id": reply["lease_id"], "patch": patch}))
        }
        Some(reply) => say(&format!("I could not: {}.", reply["code"])),
    }
}

fn call(id: &str, name: &str, input: &Value) -> Value {
    message("tool_use", &json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

fn say(text: &str) -> Value {
    message("end_turn", &json!({"type": "text", "text": text}))
}

fn message(stop_reason: &str, block: &Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "a-model", "content": [block],
        "stop_reason": stop_reason, "usage": {"input_tokens": 100, "output_tokens": 20},
    })
}

/// The same message as server-sent events.
fn streamed(message: &Value) -> String {
    let block = &message["content"][0];
    let (empty, delta) = if block["type"] == "text" {
        (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
    } else {
        let mut empty = block.clone();
        empty["input"] = json!({});
        (empty, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
    };
    let events = [
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 100}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({
            "type": "message_delta", "delta": {"stop_reason": message["stop_reason"]},
            "usage": {"output_tokens": 20},
        }),
        json!({"type": "message_stop"}),
    ];
    let event =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default());
    events.iter().map(event).collect()
}
