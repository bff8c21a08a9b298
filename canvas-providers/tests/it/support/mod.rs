//! What the tests share: where data lies, and a judge of requests that knows nothing of the encoder.

pub(crate) mod chat;
pub(crate) mod host;
pub(crate) mod judge;
pub(crate) mod judge_responses;
pub(crate) mod judge_wires;
pub(crate) mod made;
pub(crate) mod sent;
pub(crate) mod wire;

use std::path::{Path, PathBuf};

use canvas_providers::{AnswerContext, Body, Decoded, Event, Framing, Issuer, Provider};
use proptest::test_runner::Config;
use serde_json::Value;

/// Who answers in the fixtures.
pub(crate) fn issuer() -> Issuer {
    Provider::Anthropic.issuer("m")
}

/// What their answers are read with.
pub(crate) fn context() -> AnswerContext {
    AnswerContext::new(issuer())
}

/// The cases of a fixture file of this crate.
pub(crate) fn cases(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
    match read_json(&path) {
        Value::Array(cases) => cases,
        _ => panic!("{file} holds a list of cases"),
    }
}

/// The folder of recorded answers of one provider, where it is there. The Interactions API has none.
pub(crate) fn recorded(provider: &str) -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "a test is its own host")]
    let root = std::env::var("CANVAS_DATA")
        .map_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    Some(root.join("providers").join(provider)).filter(|folder| folder.is_dir())
}

/// How the streams of a provider are recorded: binary frames as JSON lines.
pub(crate) fn framing(provider: Provider) -> Framing {
    match provider.framing() {
        Framing::EventStream => Framing::JsonLines,
        framing => framing,
    }
}

pub(crate) fn read_json(path: &Path) -> Value {
    #[expect(clippy::disallowed_methods, reason = "a test is its own host")]
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

pub(crate) fn read_bytes(path: &Path) -> Vec<u8> {
    #[expect(clippy::disallowed_methods, reason = "a test is its own host")]
    std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What this provider would refuse, as far as a judge knows that does not know the encoder.
pub(crate) fn faults(provider: Provider, body: &Value) -> Vec<String> {
    match provider {
        Provider::Anthropic => judge::faults(body),
        Provider::OpenAiResponses => judge_responses::faults(body),
        Provider::OpenAiChat => chat::faults(body),
        Provider::Ollama => chat::ollama_faults(body),
        Provider::Gemini => judge_wires::gemini(body, false),
        Provider::GeminiInteractions => judge_wires::interactions(body),
        Provider::BedrockConverse => judge_wires::bedrock(body),
        _ => unreachable!("no other provider is tried"),
    }
}

/// The parts of a whole answer, each of which is to go back as it came.
pub(crate) fn parts_of(provider: Provider, body: &Value) -> Value {
    match provider {
        Provider::Anthropic => body["content"].clone(),
        Provider::OpenAiResponses => body["output"].clone(),
        Provider::OpenAiChat => message_of(&body["choices"][0]["message"]),
        Provider::Ollama => message_of(&body["message"]),
        Provider::Gemini => body["candidates"][0]["content"]["parts"].clone(),
        Provider::GeminiInteractions => body["steps"].clone(),
        Provider::BedrockConverse => body["output"]["message"]["content"].clone(),
        _ => unreachable!("no other provider is tried"),
    }
}

/// A message without an output that no request takes, and without nulls that say nothing.
fn message_of(message: &Value) -> Value {
    let mut message = message.as_object().expect("an object").clone();
    message.retain(|field, value| field != "annotations" && (field == "content" || !value.is_null()));
    Value::Array(vec![Value::Object(message)])
}

/// What the recorded expectations call the parts of an answer. They know no text that is empty but for its signature.
pub(crate) fn order(decoded: &Decoded) -> Vec<&'static str> {
    decoded.events.iter().filter(|event| event.body != Body::Text(String::new())).map(order_name).collect()
}

fn order_name(event: &Event) -> &'static str {
    let envelope = event.envelope.as_ref().expect("each event keeps its part");
    let part = &envelope.parts[0];
    let kind = part["type"].as_str().unwrap_or_default();
    match event.body {
        Body::Text(_) => "text",
        Body::Thinking(_) if kind == "redacted_thinking" => "redacted_thinking",
        Body::Thinking(_) => "thinking",
        Body::ToolCall(_) => "tool_call",
        Body::ToolResult(_) => "tool_result",
        Body::Opaque(_) if kind.ends_with("tool_use") => "server_tool_call",
        Body::Opaque(_) if kind == "message" => "refusal",
        Body::Opaque(_) if envelope.wire == "openai-responses" => "server_item",
        Body::Opaque(_) if part.get("refusal").is_some() => "refusal",
        Body::Opaque(_) if envelope.wire == "gemini" => "server_item",
        Body::Opaque(_) => "server_tool_result",
    }
}

#[expect(clippy::print_stdout, reason = "counts of recorded cases are for whoever runs the tests")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// No seeds are kept: a case that was found becomes a story or a fixture.
pub(crate) fn law() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}
