//! A judge of requests whose messages hold text and calls apart, which knows nothing of the encoders.

use std::collections::BTreeSet;

use serde_json::Value;

use super::judge::is_word;

/// What an endpoint of Chat Completions would refuse the request for.
pub(crate) fn faults(body: &Value) -> Vec<String> {
    let mut faults = walk(body, "tool_call_id");
    for (place, call) in calls(body) {
        if call["type"] == "custom" {
            if !call["custom"]["input"].is_string() {
                faults.push(format!("{place}: a custom call without its input"));
            }
            continue;
        }
        let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
        if !serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object()) {
            faults.push(format!("{place}: arguments {arguments:?}"));
        }
        if call["type"] != "function" || call["id"].as_str().is_none_or(str::is_empty) {
            faults.push(format!("{place}: no id or no type"));
        }
    }
    faults
}

/// What Ollama would not understand.
pub(crate) fn ollama_faults(body: &Value) -> Vec<String> {
    let mut faults = walk(body, "");
    for (place, call) in calls(body) {
        if !call["function"]["arguments"].is_object() {
            faults.push(format!("{place}: arguments that are no object"));
        }
    }
    for message in body["messages"].as_array().expect("messages are a list") {
        if !message["content"].is_string() {
            faults.push("content that is no text".to_owned());
        }
    }
    faults
}

fn calls(body: &Value) -> impl Iterator<Item = (String, &Value)> {
    let messages = body["messages"].as_array().expect("messages are a list").iter().enumerate();
    messages.flat_map(|(index, message)| {
        let calls = message["tool_calls"].as_array().map_or(&[][..], Vec::as_slice);
        calls.iter().map(move |call| (format!("messages[{index}]"), call))
    })
}

/// Order and pairing, by the field that names a result's call; by number where there is none.
fn walk(body: &Value, answers: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut open, mut seen) = (Vec::new(), BTreeSet::new());
    for (index, message) in body["messages"].as_array().expect("messages are a list").iter().enumerate() {
        let mut fault = |what: String| faults.push(format!("messages[{index}]: {what}"));
        let role = message["role"].as_str().unwrap_or_default();
        if role == "tool" {
            let id = if answers.is_empty() {
                open.first().cloned()
            } else {
                message[answers].as_str().map(str::to_owned)
            };
            match open.iter().position(|call| Some(call) == id.as_ref()) {
                Some(at) => drop(open.remove(at)),
                None => fault(format!("a result of no call: {id:?}")),
            }
            continue;
        }
        if !open.is_empty() {
            fault(format!("{open:?} are not answered"));
            open.clear();
        }
        let says = |field: &str| match &message[field] {
            Value::String(text) => !text.is_empty(),
            Value::Array(items) => !items.is_empty(),
            _ => false,
        };
        let has_images = says("images");
        if !["content", "refusal", "tool_calls"].iter().any(|field| says(field)) && !has_images {
            fault("empty".to_owned());
        }
        match role {
            "system" | "user" if message.get("tool_calls").is_none() => {}
            "assistant" => {
                if message["tool_calls"].as_array().is_some_and(Vec::is_empty) {
                    fault("an empty list of calls".to_owned());
                }
            }
            _ => fault(format!("role {role}")),
        }
        for (number, call) in message["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let id = match call["id"].as_str() {
                Some(id) if !answers.is_empty() => id.to_owned(),
                _ => format!("{index}.{number}"),
            };
            let name = call["function"]["name"].as_str().or_else(|| call["custom"]["name"].as_str());
            if !is_word(name.unwrap_or_default(), 64) {
                fault(format!("a bad name: {call}"));
            }
            if !seen.insert(id.clone()) {
                fault(format!("the id {id} twice"));
            }
            open.push(id);
        }
    }
    if !open.is_empty() {
        faults.push(format!("{open:?} are not answered"));
    }
    faults
}
