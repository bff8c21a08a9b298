//! The rules that the Messages endpoint enforces on a request, written from its error texts.

use std::collections::BTreeSet;

use serde_json::Value;

/// Everything that the endpoint would refuse the request for.
pub(crate) fn faults(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut previous = "";
    let messages = body["messages"].as_array().expect("messages are a list");
    if messages.is_empty() {
        faults.push("no messages".to_owned());
    }
    for (index, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        let blocks = message["content"].as_array().expect("content is a list");
        let mut fault = |what: &str| faults.push(format!("messages[{index}]: {what}"));
        if blocks.is_empty() {
            fault("empty");
        }
        if role == previous || (index == 0 && role != "user") {
            fault("out of turn");
        }
        previous = role;
        let kinds: Vec<&str> = blocks.iter().map(|block| block["type"].as_str().unwrap_or("")).collect();
        for block in blocks {
            let kind = block["type"].as_str().unwrap_or_default();
            match (role, kind) {
                (_, "") => fault("a block without type"),
                (_, "text") if block["text"].as_str().is_none_or(|text| text.trim().is_empty()) => {
                    fault("a blank text");
                }
                ("user", "tool_use" | "thinking" | "redacted_thinking" | "server_tool_use")
                | ("assistant", "tool_result") => fault("a block of the other role"),
                ("assistant", "thinking") if block["signature"].as_str().is_none_or(str::is_empty) => {
                    fault("thinking without signature");
                }
                ("assistant", "tool_use") => {
                    let id = block["id"].as_str().unwrap_or_default();
                    if !is_word(id, usize::MAX) {
                        fault("a bad id");
                    }
                    if !is_word(block["name"].as_str().unwrap_or_default(), 64) {
                        fault("a bad name");
                    }
                    if !block["input"].is_object() {
                        fault("input that is no object");
                    }
                    if !seen.insert(id.to_owned()) {
                        fault("an id used twice");
                    }
                }
                _ => {}
            }
        }
        let answered: Vec<String> = blocks
            .iter()
            .filter(|block| block["type"] == "tool_result")
            .map(|block| block["tool_use_id"].as_str().unwrap_or_default().to_owned())
            .collect();
        if role == "user" {
            if answered != open {
                fault(&format!("calls {open:?} are answered as {answered:?}"));
            }
            if kinds.iter().skip_while(|kind| **kind == "tool_result").any(|kind| *kind == "tool_result") {
                fault("a result after something else");
            }
            open.clear();
        } else {
            let calls = blocks.iter().filter(|block| block["type"] == "tool_use");
            open = calls.filter_map(|block| block["id"].as_str().map(str::to_owned)).collect();
            if matches!(kinds.last(), Some(&"thinking" | &"redacted_thinking")) {
                fault("ends in thinking");
            }
        }
    }
    if !open.is_empty() {
        faults.push(format!("{open:?} are not answered"));
    }
    if let Some(text) = messages.last().filter(|message| message["role"] == "assistant").and_then(last_text)
        && text.trim_end() != text
    {
        faults.push("ends in white space".to_owned());
    }
    faults
}

fn last_text(message: &Value) -> Option<&str> {
    let last = message["content"].as_array()?.last()?;
    last["text"].as_str().filter(|_| last["type"] == "text")
}

pub(crate) fn is_word(text: &str, max: usize) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !text.is_empty() && text.len() <= max && text.chars().all(plain)
}
