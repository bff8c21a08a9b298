//! What every encoder needs of a history and its options.

use std::borrow::Cow;

use serde_json::{Map, Value};

use canvas_tools::{NativeTools, ToolReply};

use crate::encoded::Degradations;
use crate::event::{Body, Role, ToolResult};
use crate::native::NativeTool;
use crate::repair::Entry;

/// The user's words before a history that begins with the model, for a wire that wants the user's first.
pub(crate) const OPENING: &str = "(The conversation before this is not part of the request.)";

/// All instructions as one text, for a wire that takes them only before everything.
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

/// The host's fields without those that the request fills itself.
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

/// A result as text: a reply of this tool in the words of its dialect, which its models were trained on; others as they are.
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

/// A result as text: text as it is, nothing for null, other JSON as its source.
pub(crate) fn result_text(result: &Value) -> Cow<'_, str> {
    match result {
        Value::String(text) => Cow::Borrowed(text.as_str()),
        Value::Null => Cow::Borrowed(""),
        // Not `to_string`, which writes through a formatter.
        other => Cow::Owned(serde_json::to_string(other).expect("strings and JSON values always serialise")),
    }
}
