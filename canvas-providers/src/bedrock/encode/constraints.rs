//! Rules of the endpoint for the order and the combination of blocks in a whole request.

use serde_json::{Value, json};

use super::super::decode::kind;
use super::item::Item;
use crate::encoded::Degradations;
use crate::history::OPENING;

/// Removes the blocks that would make the endpoint refuse the request.
pub(super) fn enforce(items: &mut Vec<Item>, unsigned_thinking: bool, degradations: &mut Degradations) {
    items.retain(|item| !is_blank(&item.block));
    if !unsigned_thinking {
        items.retain(|item| {
            let keep = !is_unsigned(&item.block);
            if !keep {
                degradations.add_event(item.at, "thinking", "left out: it carries no signature");
            }
            keep
        });
    }
    drop_closing_thinking(items, degradations);
    trim_end(items);
    if let Some(first) = items.first()
        && first.is_assistant
    {
        let at = first.at;
        degradations.add_event(at, "role", "a line of the user was put before it");
        items.insert(0, Item { is_assistant: false, block: json!({"text": OPENING}), at });
    }
}

fn is_blank(block: &Value) -> bool {
    kind(block) == "text" && block["text"].as_str().is_none_or(|text| text.trim().is_empty())
}

/// Whether a block is readable reasoning without a signature.
fn is_unsigned(block: &Value) -> bool {
    let reasoning = &block["reasoningContent"];
    let signature = reasoning.pointer("/reasoningText/signature").and_then(Value::as_str);
    kind(block) == "reasoningContent"
        && reasoning.get("redactedContent").is_none()
        && signature.is_none_or(str::is_empty)
}

/// Removes reasoning at the end of its message.
fn drop_closing_thinking(items: &mut Vec<Item>, degradations: &mut Degradations) {
    let mut followed = false;
    let mut kept = Vec::with_capacity(items.len());
    while let Some(item) = items.pop() {
        if !item.is_assistant {
            followed = false;
        } else if kind(&item.block) != "reasoningContent" {
            followed = true;
        } else if !followed {
            degradations.add_event(item.at, "thinking", "left out: nothing follows it in its turn");
            continue;
        }
        kept.push(item);
    }
    kept.reverse();
    *items = kept;
}

/// Trims the last text if the request ends with the model's text, which must not end in white space.
fn trim_end(items: &mut [Item]) {
    if let Some(last) = items.last_mut().filter(|item| item.is_assistant)
        && let Some(Value::String(text)) = last.block.get_mut("text")
    {
        text.truncate(text.trim_end().len());
    }
}
