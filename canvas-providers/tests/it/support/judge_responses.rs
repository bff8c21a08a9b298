//! The rules that the Responses endpoint enforces on a request, written from its error texts.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::judge::is_word;

/// Calls, and what answers each.
const OUTPUTS: &[(&str, &str)] = &[
    ("function_call", "function_call_output"),
    ("custom_tool_call", "custom_tool_call_output"),
    ("apply_patch_call", "apply_patch_call_output"),
    ("computer_call", "computer_call_output"),
    ("local_shell_call", "local_shell_call_output"),
    ("shell_call", "shell_call_output"),
];

/// Everything that the endpoint would refuse the request for, where nothing was stored.
pub(crate) fn faults(body: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let items = body["input"].as_array().expect("input is a list");
    if items.is_empty() {
        faults.push("no input".to_owned());
    }
    let (mut ids, mut call_ids, mut programs) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut open: BTreeMap<&str, &str> = BTreeMap::new();
    let mut after_reasoning = false;
    for (index, item) in items.iter().enumerate() {
        let mut fault = |what: &str| faults.push(format!("input[{index}]: {what}"));
        let text = |name: &str| item[name].as_str().unwrap_or_default();
        let (kind, call_id) = (text("type"), text("call_id"));
        let answers = OUTPUTS.iter().find(|(_, output)| *output == kind);
        let is_call = OUTPUTS.iter().any(|(call, _)| *call == kind);
        let of_model = answers.is_none() && (kind != "message" || text("role") == "assistant");
        if after_reasoning && !of_model {
            fault("follows reasoning instead of its item");
        }
        after_reasoning = kind == "reasoning";
        if kind.is_empty() || item.get("created_by").is_some() || item.get("status") == Some(&Value::Null) {
            fault("a field that requests do not have, or no type");
        }
        if !text("id").is_empty() && !ids.insert(text("id")) {
            fault("an id that stands twice");
        }
        if kind == "program" {
            programs.insert(call_id);
        }
        if item["caller"]["type"] == "program"
            && !programs.contains(item["caller"]["caller_id"].as_str().unwrap_or_default())
        {
            fault("a caller that is not there");
        }
        match kind {
            "message" => {
                let blank = item["content"].as_str().map(|text| text.trim().is_empty());
                let empty = item["content"].as_array().map(Vec::is_empty);
                if blank.or(empty).unwrap_or(true) {
                    fault("a message without content");
                }
                if !of_model && !open.is_empty() {
                    fault("stands between calls and their outputs");
                }
            }
            "reasoning" if text("encrypted_content").is_empty() => fault("reasoning that is not sealed"),
            "function_call" => {
                if serde_json::from_str::<serde_json::Map<String, Value>>(text("arguments")).is_err() {
                    fault("arguments that are no object");
                }
                if !text("id").is_empty() && !text("id").starts_with("fc") {
                    fault("an id that does not begin with fc");
                }
            }
            "custom_tool_call" if item.get("status").is_some() => fault("a status"),
            "apply_patch_call_output" if !matches!(text("status"), "completed" | "failed") => {
                fault("no status of its own");
            }
            _ => {}
        }
        if is_call {
            if matches!(kind, "function_call" | "custom_tool_call") && !is_word(text("name"), 64) {
                fault("a bad name");
            }
            if !(1..=64).contains(&call_id.len()) || !call_ids.insert(call_id) {
                fault("a call id that is too long, empty or used twice");
            }
            open.insert(call_id, kind);
        }
        if let Some((call, _)) = answers
            && open.remove(call_id) != Some(call)
        {
            fault("answers no call of its kind");
        }
    }
    if after_reasoning {
        faults.push("ends in reasoning".to_owned());
    }
    if !open.is_empty() {
        faults.push(format!("{open:?} are not answered"));
    }
    faults
}
