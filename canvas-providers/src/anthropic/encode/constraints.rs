//! Rules of the endpoint for the order and the combination of blocks in a whole request.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::wire::{Block, Item, Role};
use crate::encoded::Degradations;
use crate::history::OPENING;

/// Removes the blocks that would make the endpoint refuse the request.
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
        degradations.add_event(at, "role", "a line of the user was put before it");
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
            degradations.add_event(item.at, keyword, how);
        }
        keep
    });
}

/// Removes each call of a server tool whose result never arrived, and each result without its call.
///
/// Calls after the user's last message stay, because the turn was paused or the server tool waits for a call of the
/// host. Earlier calls will not get a result.
fn drop_unmatched_server_tools(items: &mut Vec<Item>, degradations: &mut Degradations) {
    let assistant = items.iter().filter(|item| item.role == Role::Assistant);
    let calls = ids_of(assistant.filter_map(|item| field(&item.block, "id")));
    let results = ids_of(items.iter().filter_map(answered_id));
    let callers = items.iter().filter_map(|item| item.block.get("caller"));
    let callers = ids_of(callers.filter_map(|caller| field(caller, "tool_id")));
    let last_said = items.iter().rev().find(|item| is_said(item)).map(|item| item.at);
    retain(items, degradations, "server_tool_use", "left out: its result never came", |item| {
        !matches!(kind(&item.block), "server_tool_use" | "mcp_tool_use")
            || field(&item.block, "id").is_some_and(|id| results.contains(id) || callers.contains(id))
            || last_said.is_none_or(|said| item.at > said)
    });
    retain(items, degradations, "server_tool_result", "left out: its call is not in the history", |item| {
        answered_id(item).is_none_or(|id| calls.contains(id))
    });
}

/// Returns the id of the call that a server tool's result answers.
fn answered_id(item: &Item) -> Option<&str> {
    field(&item.block, "tool_use_id").filter(|_| item.role == Role::Assistant)
}

/// Whether the user wrote the item. Results of calls belong to the host.
fn is_said(item: &Item) -> bool {
    item.role == Role::User && kind(&item.block) != "tool_result"
}

fn ids_of<'a>(ids: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    ids.map(str::to_owned).collect()
}

/// Removes thinking at the end of its message.
fn drop_closing_thinking(items: &mut Vec<Item>, degradations: &mut Degradations) {
    let mut followed = false;
    let mut kept = Vec::with_capacity(items.len());
    while let Some(item) = items.pop() {
        if item.role == Role::User {
            followed = false;
        } else if !is_thinking(&item.block) {
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
    let last = items.last_mut().filter(|item| item.role == Role::Assistant && kind(&item.block) == "text");
    if let Some(last) = last
        && let Some(Value::String(text)) = last.block.get_mut("text")
    {
        text.truncate(text.trim_end().len());
    }
}
