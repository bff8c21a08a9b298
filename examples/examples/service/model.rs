//! In place of a model over the network: answers of the Anthropic Messages API by a script, to real requests.
//!
//! Each line `old line => new line` of a message makes it patch that line. It takes the lease first, and again where it was
//! lost, and says what came of it. Everything around it is as with a real model; the example `live` has a client for those.

use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_providers::{EncodedRequest, Response, ResponseBody, SendError, Transport};
use canvas_store_sqlite::system_clock;
use serde_json::{Value, json};

#[derive(Debug, Clone, Copy)]
pub(crate) struct Scripted {
    /// How long it thinks about each request.
    pub(crate) delay: Duration,
}

/// An answer that comes whole.
pub(crate) struct Whole(Option<Vec<u8>>);

impl Transport for Scripted {
    type Body = Whole;

    async fn send(&self, request: &EncodedRequest) -> Result<Response<Whole>, SendError> {
        tokio::time::sleep(self.delay).await;
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

/// The next answer: by the replies to its calls, and by what the person has asked for.
fn answer(messages: &Value) -> Value {
    let messages = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let blocks = || messages.iter().flat_map(|message| message["content"].as_array().into_iter().flatten());
    let message = blocks().filter_map(|block| block["text"].as_str()).rfind(|text| text.contains(" => "));
    let asked = message.into_iter().flat_map(str::lines).filter_map(|line| line.split_once(" => "));
    let replies = blocks().filter_map(|block| serde_json::from_str(block["content"].as_str()?).ok());
    let replies: Vec<Value> = replies.collect();
    let done = replies.iter().filter(|reply| reply["applied_hunks"].is_u64()).count();
    let next = asked.clone().nth(done);
    let id = format!("toolu_{}", messages.len());
    match (replies.last(), next) {
        _ if asked.clone().next().is_none() => say("Ask me for `old line => new line`."),
        (_, None) => {
            say(&asked.map(|(_, new)| format!("It says “{new}” now.")).collect::<Vec<_>>().join(" "))
        }
        (None, Some(_)) => call(&id, "canvas_check_out", json!({})),
        (Some(reply), Some((old, new))) if reply["ok"] == true => {
            let lease = replies.iter().rev().map(|reply| &reply["lease_id"]).find(|lease| lease.is_string());
            let patch = format!("@@\n-{old}\n+{new}\n");
            call(&id, "canvas_apply_patch", json!({"lease_id": lease, "patch": patch}))
        }
        (Some(reply), Some(_)) if reply["error"]["code"] == "STALE_EPOCH" => {
            call(&id, "canvas_check_out", json!({}))
        }
        (Some(reply), Some(_)) => say(&format!("I could not: {}.", reply["error"]["code"])),
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
