//! Parts of a history and its options that every encoder needs.

use std::borrow::Cow;

use serde_json::{Map, Value};

use canvas_tools::{NativeTools, ToolReply};

use crate::encoded::Degradations;
use crate::event::{Body, Role, ToolResult};
use crate::native::NativeTool;
use crate::repair::Entry;

/// The user text that precedes a history beginning with the model, for providers that require the user to begin.
pub(crate) const OPENING: &str = "(The conversation before this is not part of the request.)";

/// Joins all instructions into one text, for providers that accept them only at the start.
pub(crate) fn join_system(system: &str, history: &[Entry<'_>], degradations: &mut Degradations) -> String {
    let mut parts: Vec<&str> = vec![system];
    let mut is_after_events = false;
    for entry in history {
        let event = entry.event.as_ref();
        match &event.body {
            Body::Text(text) | Body::Opaque(text) if event.role == Role::System => {
                parts.push(text);
                if is_after_events {
                    degradations.add_event(entry.at, "system", "moved to the start of the request");
                }
            }
            _ => is_after_events = true,
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n\n")
}

/// Returns the host's fields without those that the request fills itself.
pub(crate) fn extra_fields(
    extra: &Map<String, Value>,
    own: &[&str],
    degradations: &mut Degradations,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, value) in extra {
        if own.contains(&name.as_str()) {
            degradations.add("/options/extra", name.as_str(), "left out: the request fills it itself");
        } else {
            out.insert(name.clone(), value.clone());
        }
    }
    out
}

/// Returns a result as text. A reply of the native tool is in the words of its dialect, which the provider's models
/// were trained on; other results are unchanged.
pub(crate) fn reply_text(result: &ToolResult, native: Option<NativeTool>) -> Cow<'_, str> {
    let is_native =
        native.is_some_and(|native| result.name.as_deref() == Some(native.dialect().tool_names()[0]));
    let words = if is_native && result.result.is_object() {
        NativeTools::text_of(&ToolReply::new(result.result.clone()))
    } else {
        String::new()
    };
    if words.is_empty() { result_text(&result.result) } else { Cow::Owned(words) }
}

/// Returns a result as text: a string unchanged, null as empty text, and other JSON as its source.
pub(crate) fn result_text(result: &Value) -> Cow<'_, str> {
    match result {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        Value::Null => Cow::Borrowed(""),
        // Not `to_string`, because it writes through a formatter.
        other => Cow::Owned(serde_json::to_string(other).expect("strings and JSON values always serialise")),
    }
}
