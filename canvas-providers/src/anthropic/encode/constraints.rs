//! Rules that hold for a whole request: what may stand first, last and alone.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::wire::{Block, Item, Role};
use crate::encoded::Degradations;
use crate::place;

/// Stands first where the history begins with the model.
const OPENING: &str = "(The conversation before this is not part of the request.)";

/// Leaves out what the endpoint would refuse the request for.
pub(super) fn enforce(items: &mut Vec<Item>, unsigned_thinking: bool, degradations: &mut Degradations) {
    items.retain(|item| !is_blank(&item.block));
    drop_unmatched_server_tools(items, degradations);
    if !unsigned_thinking {
        retain(items, degradations, "thinking", "left out: it carries no signature", |item| {
            kind(&item.block) != "thinking" || field(&item.block, "signature").is_some_and(|s| !s.is_empty())
        });
    }
    drop_closing_thinking(items, degradations);
    trim_end(items);
    if let Some(first) = items.first()
        && first.role == Role::Assistant
    {
        let at = first.at;
        degradations.add(place::of_event(at), "role", "a line of the user was put before it");
        items.insert(0, Item { role: Role::User, block: Block::Text { text: OPENING }.into_value(), at });
    }
}

fn kind(block: &Value) -> &str {
    field(block, "type").unwrap_or_default()
}

fn field<'a>(block: &'a Value, name: &str) -> Option<&'a str> {
    block.get(name).and_then(Value::as_str)
}

fn is_blank(block: &Value) -> bool {
    kind(block) == "text" && field(block, "text").is_none_or(|text| text.trim().is_empty())
}

fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

fn retain(
    items: &mut Vec<Item>,
    degradations: &mut Degradations,
    keyword: &str,
    how: &str,
    keep: impl Fn(&Item) -> bool,
) {
    items.retain(|item| {
        let keep = keep(item);
        if !keep {
            degradations.add(place::of_event(item.at), keyword, how);
        }
        keep
    });
}

/// A call of a server tool whose result never came, and a result without its call.
///
/// The last turn may wait: it was paused, or its server tool waits for a call of the host. Once the user has
/// spoken, nothing will answer it any more.
fn drop_unmatched_server_tools(items: &mut Vec<Item>, degradations: &mut Degradations) {
    let is_call = |block: &Value| matches!(kind(block), "server_tool_use" | "mcp_tool_use");
    let result_of = |item: &Item| {
        let id = field(&item.block, "tool_use_id").filter(|_| item.role == Role::Assistant);
        id.map(str::to_owned)
    };
    let ids = items.iter().filter(|item| item.role == Role::Assistant);
    let ids: BTreeSet<String> = ids.filter_map(|item| field(&item.block, "id").map(str::to_owned)).collect();
    let results: BTreeSet<String> = items.iter().filter_map(result_of).collect();
    let callers: BTreeSet<String> = items
        .iter()
        .filter_map(|item| item.block.get("caller"))
        .filter_map(|caller| field(caller, "tool_id").map(str::to_owned))
        .collect();
    let said = |item: &&Item| item.role == Role::User && kind(&item.block) != "tool_result";
    let spoken = items.iter().rev().find(said).map(|item| item.at);
    retain(items, degradations, "server_tool_use", "left out: its result never came", |item| {
        !is_call(&item.block)
            || field(&item.block, "id").is_some_and(|id| results.contains(id) || callers.contains(id))
            || spoken.is_none_or(|spoken| item.at > spoken)
    });
    retain(items, degradations, "server_tool_result", "left out: its call is not in the history", |item| {
        result_of(item).is_none_or(|id| ids.contains(&id))
    });
}

/// Thinking that nothing follows in its message.
fn drop_closing_thinking(items: &mut Vec<Item>, degradations: &mut Degradations) {
    let mut followed = false;
    let mut kept = Vec::with_capacity(items.len());
    while let Some(item) = items.pop() {
        if item.role == Role::User {
            followed = false;
        } else if !is_thinking(&item.block) {
            followed = true;
        } else if !followed {
            degradations.add(
                place::of_event(item.at),
                "thinking",
                "left out: nothing follows it in its turn",
            );
            continue;
        }
        kept.push(item);
    }
    kept.reverse();
    *items = kept;
}

/// The last text of a request may not end in white space where the model spoke last.
fn trim_end(items: &mut [Item]) {
    let last = items.last_mut().filter(|item| item.role == Role::Assistant && kind(&item.block) == "text");
    if let Some(last) = last
        && let Some(Value::String(text)) = last.block.get_mut("text")
    {
        text.truncate(text.trim_end().len());
    }
}
