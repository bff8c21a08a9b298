//! The rules that the endpoints of Google and Bedrock enforce on a request, written from their documents and error texts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::judge::is_word;

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

pub(crate) fn gemini(body: &Value, checks_signatures: bool) -> Vec<String> {
    let mut faults = Vec::new();
    let contents = list(body, "contents");
    let is_said = |content: &Value| {
        content["role"] == "user"
            && list(content, "parts").iter().any(|part| part.get("functionResponse").is_none())
    };
    let current = contents.iter().rposition(is_said).unwrap_or_default();
    if contents.first().is_none_or(|first| first["role"] != "user") {
        faults.push("begins with the model".to_owned());
    }
    let mut open: Vec<(Value, Value)> = Vec::new();
    for (index, content) in contents.iter().enumerate() {
        let mut fault = |what: &str| faults.push(format!("contents[{index}]: {what}"));
        let parts = list(content, "parts");
        if parts.is_empty() {
            fault("empty");
        }
        if index > 0 && contents[index - 1]["role"] == content["role"] {
            fault("out of turn");
        }
        let of = |kind: &str| -> Vec<(Value, Value)> {
            let found = parts.iter().filter_map(|part| part.get(kind));
            found.map(|part| (part["name"].clone(), part["id"].clone())).collect()
        };
        let (calls, results) = (of("functionCall"), of("functionResponse"));
        if !results.is_empty() || !open.is_empty() {
            if results != open {
                fault(&format!("calls {open:?} are answered as {results:?}"));
            }
            let is_result = |part: &Value| part.get("functionResponse").is_some();
            if parts.iter().skip_while(|part| is_result(part)).any(is_result) {
                fault("a result after something else");
            }
        }
        for part in parts {
            let kinds =
                ["text", "functionCall", "functionResponse", "inlineData", "toolCall", "toolResponse"];
            if kinds.iter().filter(|kind| part.get(kind).is_some()).count() > 1 {
                fault("a part of two kinds");
            }
            if part.get("text").is_some_and(|text| text == "") && part.get("thoughtSignature").is_none() {
                fault("an empty text");
            }
            if part.get("functionResponse").is_some_and(|result| !result["response"].is_object()) {
                fault("a result that is no object");
            }
            if part
                .get("functionCall")
                .is_some_and(|call| call.get("args").is_some_and(|args| !args.is_object()))
            {
                fault("arguments that are no object");
            }
        }
        let first = parts.iter().find(|part| part.get("functionCall").is_some());
        if checks_signatures
            && index > current
            && first.is_some_and(|first| first.get("thoughtSignature").is_none())
        {
            fault("an unsigned call");
        }
        if content["role"] != "model" && !calls.is_empty() {
            fault("a call of the user");
        }
        for (name, _) in &calls {
            let name = name.as_str().unwrap_or_default().replace(['.', ':'], "_");
            if !is_word(&name, 64) || name.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
                fault("a bad name");
            }
        }
        open = calls;
    }
    if !open.is_empty() {
        faults.push(format!("{open:?} are not answered"));
    }
    faults
}

pub(crate) fn interactions(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut seen, mut open) = (BTreeSet::new(), Vec::new());
    for (index, step) in list(body, "input").iter().enumerate() {
        let mut fault = |what: &str| faults.push(format!("input[{index}]: {what}"));
        match step["type"].as_str().unwrap_or_default() {
            "function_call" => {
                if !step["arguments"].is_object() {
                    fault("arguments that are no object");
                }
                let id = step["id"].as_str().unwrap_or_default().to_owned();
                if id.is_empty() || !seen.insert(id.clone()) {
                    fault("an id that is none, or used twice");
                }
                open.push(id);
            }
            "function_result" => {
                let id = step["call_id"].as_str().unwrap_or_default();
                if open.is_empty() || open.remove(0) != id {
                    fault("a result out of turn");
                }
                if !step["result"].is_object() && !step["result"].is_array() && !step["result"].is_string() {
                    fault("a result of no form");
                }
            }
            "user_input" if !open.is_empty() => fault("calls that are not answered"),
            "" => fault("a step without type"),
            _ => {}
        }
    }
    if !open.is_empty() || body["store"] != false {
        faults.push(format!("{open:?} are not answered, or the history is stored"));
    }
    faults
}

pub(crate) fn bedrock(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut seen, mut open, mut previous) = (BTreeSet::new(), Vec::new(), "");
    let is_id = |id: &str| is_word(&id.replace(['.', ':'], "_"), 64);
    for (index, message) in list(body, "messages").iter().enumerate() {
        let mut fault = |what: &str| faults.push(format!("messages[{index}]: {what}"));
        let role = message["role"].as_str().expect("a role");
        if role == previous || index == 0 && role != "user" {
            fault("out of turn");
        }
        previous = role;
        let blocks = list(message, "content");
        if blocks.is_empty() {
            fault("empty");
        }
        let ids = |kind: &str| -> Vec<String> {
            let found = blocks.iter().filter_map(|block| block.get(kind));
            let own = found.filter(|found| found.get("type").is_none());
            own.map(|found| found["toolUseId"].as_str().unwrap_or_default().to_owned()).collect()
        };
        if role == "user" {
            let answered = ids("toolResult");
            if answered != open {
                fault(&format!("calls {open:?} are answered as {answered:?}"));
            }
            open.clear();
        }
        for block in blocks {
            if block.as_object().is_none_or(|block| block.len() != 1) {
                fault("a block that is not of one kind");
            }
            if block.get("text").is_some_and(|text| text.as_str().is_none_or(|text| text.trim().is_empty())) {
                fault("a blank text");
            }
            if let Some(call) = block.get("toolUse").filter(|call| call.get("type").is_none()) {
                let (id, name) = (call["toolUseId"].as_str().unwrap_or_default(), call["name"].as_str());
                if !is_id(id) || !seen.insert(id.to_owned()) || !is_word(name.unwrap_or_default(), 64) {
                    fault("a bad id or name");
                }
                if !call["input"].is_object() {
                    fault("input that is no object");
                }
                open.push(id.to_owned());
            }
        }
        if role == "assistant" && blocks.last().is_some_and(|last| last.get("reasoningContent").is_some()) {
            fault("ends in reasoning");
        }
    }
    if !open.is_empty() {
        faults.push(format!("{open:?} are not answered"));
    }
    if !seen.is_empty() && list(&body["toolConfig"], "tools").is_empty() {
        faults.push("calls and no tools".to_owned());
    }
    faults
}
