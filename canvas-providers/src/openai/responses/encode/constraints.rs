//! Rules of the endpoint for a whole request: which items need others, and which parts of an answer must not be in a
//! request.

use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::super::item::{Kind, text};
use super::super::wire::{Content, Item, Made};
use crate::encoded::Degradations;

/// Removes or changes the parts that would make the endpoint refuse the request.
pub(super) struct Constraints<'a> {
    /// Whether unsealed reasoning is sent back, because the endpoint finds it by its id or can read it.
    pub(super) takes_unsealed: bool,
    pub(super) degradations: &'a mut Degradations,
}

impl Constraints<'_> {
    pub(super) fn enforce(mut self, items: &mut Vec<Item>) {
        for item in items.iter_mut() {
            self.clean(item);
        }
        self.retain(items, "text", "left out: the model said nothing in it", |item| !is_silent(item));
        self.drop_repeated(items);
        self.drop_unanswered(items);
        self.drop_unsealed(items);
        self.drop_closing_reasoning(items);
        self.drop_strange_callers(items);
    }

    fn retain(
        &mut self,
        items: &mut Vec<Item>,
        keyword: &str,
        how: &str,
        mut keep: impl FnMut(&Item) -> bool,
    ) {
        items.retain(|item| {
            let keep = keep(item);
            if !keep {
                self.degradations.add_event(item.at, keyword, how);
            }
            keep
        });
    }

    /// Removes fields that only answers have, and repairs unreadable ones.
    fn clean(&mut self, item: &mut Item) {
        let Some(map) = item.value.as_object_mut().filter(|_| item.of_model) else { return };
        map.remove("created_by");
        map.retain(|name, value| !value.is_null() || !matches!(name.as_str(), "id" | "status" | "namespace"));
        let kind = Kind::of(text(&item.value, "type"));
        if kind == Kind::CustomCall
            && let Some(map) = item.value.as_object_mut()
        {
            map.remove("status");
        }
        if kind != Kind::FunctionCall {
            return;
        }
        if !is_object(text(&item.value, "arguments")) {
            self.degradations.add_event(item.at, "arguments", "sent as an empty object: they were none");
            item.value["arguments"] = "{}".into();
        }
        // Compatible hosts use ids of their own, which the endpoint does not need.
        if !text(&item.value, "id").starts_with("fc") {
            forget(&mut item.value);
        }
    }

    /// Makes ids unique. If an item occurs twice in the history, the second loses its id, or is removed if it needs the
    /// id.
    fn drop_repeated(&mut self, items: &mut Vec<Item>) {
        let mut seen = BTreeSet::new();
        items.retain_mut(|item| {
            let id = text(&item.value, "id");
            if id.is_empty() || seen.insert(id.to_owned()) || forget(&mut item.value) {
                return true;
            }
            self.degradations.add_event(item.at, "id", "left out: it is in the history already");
            false
        });
    }

    /// Removes the host's calls without an output, and outputs without a call, for kinds of tools that this crate does
    /// not declare.
    fn drop_unanswered(&mut self, items: &mut Vec<Item>) {
        let ids = |kinds: &[&str]| -> BTreeSet<String> {
            let of = items.iter().filter(|item| is_of(item, kinds));
            of.map(|item| text(&item.value, "call_id").to_owned()).collect()
        };
        let (calls, outputs) = (ids(HOST_CALLS), ids(HOST_OUTPUTS));
        self.retain(items, "tool_call", "left out: its output is not in the history", |item| {
            !is_of(item, HOST_CALLS) || outputs.contains(text(&item.value, "call_id"))
        });
        self.retain(items, "tool_result", "left out: its call is not in the history", |item| {
            !is_of(item, HOST_OUTPUTS) || calls.contains(text(&item.value, "call_id"))
        });
    }

    /// Removes reasoning that cannot be opened. Later items lose their ids, because the endpoint would require the
    /// reasoning of an item that has an id. Items that need their id are removed too.
    fn drop_unsealed(&mut self, items: &mut Vec<Item>) {
        if self.takes_unsealed {
            return;
        }
        let mut has_lost = false;
        items.retain_mut(|item| {
            if is_reasoning(item) {
                has_lost = text(&item.value, "encrypted_content").is_empty();
                if has_lost {
                    self.degradations.add_event(item.at, "thinking", "left out: it is not sealed");
                }
                return !has_lost;
            }
            has_lost &= item.of_model;
            // An item that is sealed itself does not need the reasoning before it.
            let is_bound = has_lost && text(&item.value, "encrypted_content").is_empty();
            let stays = !is_bound || forget(&mut item.value);
            if !stays {
                self.degradations.add_event(
                    item.at,
                    "opaque",
                    "left out: the reasoning before it is not sealed",
                );
            }
            stays
        });
    }

    /// Removes reasoning if no later item of the model follows it.
    fn drop_closing_reasoning(&mut self, items: &mut Vec<Item>) {
        let mut followed = false;
        let mut kept = Vec::with_capacity(items.len());
        while let Some(item) = items.pop() {
            if !item.of_model {
                followed = false;
            } else if !is_reasoning(&item) {
                followed = true;
            } else if !followed {
                let how = "left out: nothing follows it in its turn";
                self.degradations.add_event(item.at, "thinking", how);
                continue;
            }
            kept.push(item);
        }
        kept.reverse();
        *items = kept;
    }

    /// Removes the calling program from a call and its output unless the program is in the history.
    fn drop_strange_callers(&mut self, items: &mut [Item]) {
        let mut programs = BTreeSet::new();
        for item in items {
            if text(&item.value, "type") == "program" {
                programs.insert(text(&item.value, "call_id").to_owned());
            }
            let Some(caller) = item.value.get("caller") else { continue };
            let is_known = text(caller, "type") != "program" || programs.contains(text(caller, "caller_id"));
            if !is_known && let Some(map) = item.value.as_object_mut() {
                map.remove("caller");
                self.degradations.add_event(item.at, "caller", "left out: its program is not in the history");
            }
        }
    }
}

/// Kinds of calls that a host runs and that are kept unchanged. `HOST_OUTPUTS` has the kinds of their outputs.
const HOST_CALLS: &[&str] = &["computer_call", "local_shell_call", "shell_call", "tool_search_call"];
const HOST_OUTPUTS: &[&str] =
    &["computer_call_output", "local_shell_call_output", "shell_call_output", "tool_search_output"];

fn is_of(item: &Item, kinds: &[&str]) -> bool {
    let kind = text(&item.value, "type");
    // The provider's server searches for tools unless the request leaves the search to the host.
    kinds.contains(&kind) && (!kind.starts_with("tool_search") || text(&item.value, "execution") == "client")
}

fn is_reasoning(item: &Item) -> bool {
    text(&item.value, "type") == "reasoning"
}

fn is_object(arguments: &str) -> bool {
    arguments.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(arguments).is_ok()
}

/// Whether a message is empty.
fn is_silent(item: &Item) -> bool {
    let Some(content) = item.value.get("content").filter(|_| text(&item.value, "type") == "message") else {
        return false;
    };
    let is_blank = |part: &Value| {
        let blank = |name: &str| part.get(name).is_none_or(|text| text.as_str().is_some_and(str::is_empty));
        matches!(text(part, "type"), "output_text" | "refusal") && blank("text") && blank("refusal")
    };
    match content {
        Value::String(text) => text.trim().is_empty(),
        Value::Array(parts) => parts.iter().all(is_blank),
        _ => false,
    }
}

/// Removes the id of an item that does not need it. Returns `false` if the item must have its id.
fn forget(item: &mut Value) -> bool {
    match Kind::of(text(item, "type")) {
        Kind::FunctionCall | Kind::CustomCall | Kind::PatchCall => {
            if let Some(map) = item.as_object_mut() {
                map.remove("id");
            }
            true
        }
        // Without its id a message is text, and keeps its phase.
        Kind::Message => {
            let list = item.get("content").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let words = list.iter().flat_map(|part| [text(part, "text"), text(part, "refusal")]);
            let content = Content::Text(words.collect::<String>().into());
            let phase = item.get("phase").filter(|phase| phase.is_string()).cloned();
            if item.get("content").is_some_and(Value::is_array) {
                *item = Made::Message { role: "assistant", content, phase }.into_value();
            }
            true
        }
        Kind::Reasoning | Kind::Other => false,
    }
}
