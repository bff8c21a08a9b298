//! In place of a model over the network: answers of the Anthropic Messages API by a script, to real requests.
//!
//! A message `old line => new line` makes it take the lease, patch that line, and say what came of it. Everything around it is
//! as with a real model; the example `live` has a client for those.

use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_providers::{EncodedRequest, Response, ResponseBody, SendError, Transport};
use canvas_store_sqlite::system_clock;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
pub(crate) struct Scripted;

/// An answer that comes whole.
pub(crate) struct Whole(Option<Vec<u8>>);

impl Transport for Scripted {
    type Body = Whole;

    async fn send(&self, request: &EncodedRequest) -> Result<Response<Whole>, SendError> {
        let body = Whole(Some(answer(&request.body["messages"]).to_string().into_bytes()));
        Ok(Response { status: 200, retry_after: None, framing: None, body })
    }

    fn now(&self) -> Timestamp {
        system_clock()
    }

    async fn sleep_until(&self, until: Timestamp) {
        tokio::time::sleep(until.saturating_duration_since(self.now()) + Duration::from_millis(1)).await;
    }
}

impl ResponseBody for Whole {
    type Chunk = Vec<u8>;

    async fn next(&mut self) -> Result<Option<Vec<u8>>, SendError> {
        Ok(self.0.take())
    }
}

/// The next answer: by what the last call came to, and by what the person has asked for.
fn answer(messages: &Value) -> Value {
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks = || messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
    let asked = blocks().filter_map(|block| block["text"].as_str()?.split_once(" => ")).next_back();
    let Some((old, new)) = asked else { return say("Ask me for `old line => new line`.") };
    let reply = blocks().next_back().and_then(|block| block["content"].as_str());
    let reply: Option<Value> = reply.and_then(|reply| serde_json::from_str(reply).ok());
    let id = format!("toolu_{}", messages.len());
    match reply {
        None => call(&id, "canvas_check_out", json!({})),
        Some(reply) if reply["applied_hunks"].is_u64() => say(&format!("It says “{new}” now.")),
        Some(reply) if reply["ok"] == true => {
            let patch = format!("@@\n-{old}\n+{new}\n");
            call(&id, "canvas_apply_patch", json!({"lease_id": reply["lease_id"], "patch": patch}))
        }
        Some(reply) => say(&format!("I could not: {}.", reply["code"])),
    }
}

fn call(id: &str, name: &str, input: Value) -> Value {
    message("tool_use", json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

fn say(text: &str) -> Value {
    message("end_turn", json!({"type": "text", "text": text}))
}

fn message(stop_reason: &str, block: Value) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "a-model", "content": [block],
        "stop_reason": stop_reason, "usage": {"input_tokens": 1, "output_tokens": 1},
    })
}
