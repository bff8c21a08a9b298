//! A request of any wire, read in a form that all share.

use canvas_providers::Provider;
use serde_json::Value;

/// A part of a request. Messages are numbered, so that merged ones show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    User(String),
    Assistant(String),
    Call(String),
    Result(String),
}

/// What a provider makes of a history: the parts with the numbers of their messages.
pub(crate) fn parts(provider: Provider, body: &Value) -> Vec<(usize, Part)> {
    let (key, read): (_, fn(&Value) -> Vec<Part>) = match provider.name() {
        "anthropic" => ("messages", anthropic),
        "openai-chat" | "ollama" => ("messages", chat),
        "openai-responses" => ("input", item),
        "gemini" => ("contents", content),
        "gemini-interactions" => ("input", step),
        "bedrock-converse" => ("messages", converse),
        other => panic!("nobody reads requests to {other}"),
    };
    let messages = list(body, key).iter().enumerate();
    messages.flat_map(|(number, message)| read(message).into_iter().map(move |part| (number, part))).collect()
}

/// Whether messages of the user in a row have to be one.
pub(crate) fn merges(provider: Provider) -> bool {
    matches!(provider.name(), "anthropic" | "gemini" | "bedrock-converse")
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a string: {value}")).to_owned()
}

/// A text of the user has nothing beside it: no citation, no cache mark, no signature.
fn said(is_user: bool, block: &Value, fields: usize) -> Part {
    assert!(!is_user || block.as_object().is_some_and(|block| block.len() == fields), "{block}");
    let text = text(&block["text"]);
    if is_user { Part::User(text) } else { Part::Assistant(text) }
}

fn anthropic(message: &Value) -> Vec<Part> {
    let is_user = message["role"] == "user";
    let part = |block: &Value| match block["type"].as_str() {
        Some("text") => said(is_user, block, 2),
        Some("tool_use") => Part::Call(text(&block["id"])),
        Some("tool_result") => Part::Result(text(&block["tool_use_id"])),
        other => panic!("no such part was sent: {other:?}"),
    };
    list(message, "content").iter().map(part).collect()
}

fn chat(message: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    match text(&message["role"]).as_str() {
        "tool" => return vec![Part::Result(text(&message["tool_call_id"]))],
        "user" => {
            assert_eq!(message.as_object().map(|message| message.len()), Some(2), "{message}");
            parts.push(Part::User(text(&message["content"])));
        }
        "assistant" => {
            let words = message["content"].as_str().filter(|words| !words.is_empty());
            parts.extend(words.map(|words| Part::Assistant(words.to_owned())));
        }
        other => panic!("nobody is called {other}"),
    }
    parts.extend(list(message, "tool_calls").iter().map(|call| Part::Call(text(&call["id"]))));
    parts
}

fn item(item: &Value) -> Vec<Part> {
    match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let is_user = item["role"] == "user";
            match &item["content"] {
                Value::String(words) if is_user => vec![Part::User(words.clone())],
                Value::String(words) => vec![Part::Assistant(words.clone())],
                _ => list(item, "content").iter().map(|block| said(is_user, block, 2)).collect(),
            }
        }
        "function_call" => vec![Part::Call(text(&item["call_id"]))],
        "function_call_output" => vec![Part::Result(text(&item["call_id"]))],
        other => panic!("no such item was sent: {other}"),
    }
}

fn content(content: &Value) -> Vec<Part> {
    let is_user = content["role"] == "user";
    let part = |part: &Value| match (part.get("functionCall"), part.get("functionResponse")) {
        (Some(call), _) => Part::Call(text(&call["id"])),
        (_, Some(result)) => Part::Result(text(&result["id"])),
        _ => said(is_user, part, 1),
    };
    list(content, "parts").iter().map(part).collect()
}

fn step(step: &Value) -> Vec<Part> {
    let words = |is_user| list(step, "content").iter().map(|block| said(is_user, block, 2)).collect();
    match text(&step["type"]).as_str() {
        "user_input" => words(true),
        "model_output" => words(false),
        "function_call" => vec![Part::Call(text(&step["id"]))],
        "function_result" => vec![Part::Result(text(&step["call_id"]))],
        other => panic!("no such step was sent: {other}"),
    }
}

fn converse(message: &Value) -> Vec<Part> {
    let is_user = message["role"] == "user";
    let part = |block: &Value| match (block.get("toolUse"), block.get("toolResult")) {
        (Some(call), _) => Part::Call(text(&call["toolUseId"])),
        (_, Some(result)) => Part::Result(text(&result["toolUseId"])),
        _ => said(is_user, block, 1),
    };
    list(message, "content").iter().map(part).collect()
}
