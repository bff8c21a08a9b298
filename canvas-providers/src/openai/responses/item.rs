//! Decodes output items.
//!
//! Items are read as JSON without structs, because each is sent back unchanged, even if its kind is unknown.

use serde_json::{Map, Value};

use super::wire::NAME;
use crate::context::AnswerContext;
use crate::envelope::Envelope;
use crate::event::{Body, Event, Role};
use crate::native::NativeTool;
use crate::verdict::{Arguments, DecodedCall};

/// Separator between paragraphs of reasoning, which are separate parts.
pub(super) const BREAK: &str = "\n\n";

/// Whether the end of an item arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Whole,
    /// A limit ended the answer, so an item in it may lack its end.
    Limited,
    /// The end of the item never arrived.
    Partial,
}

/// A kind of item that this crate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Message,
    Reasoning,
    FunctionCall,
    CustomCall,
    PatchCall,
    /// Items of the provider's server, and kinds newer than this crate.
    Other,
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "message" => Self::Message,
            "reasoning" => Self::Reasoning,
            "function_call" => Self::FunctionCall,
            "custom_tool_call" => Self::CustomCall,
            "apply_patch_call" => Self::PatchCall,
            _ => Self::Other,
        }
    }

    pub(super) fn is_call(self) -> bool {
        matches!(self, Self::FunctionCall | Self::CustomCall | Self::PatchCall)
    }
}

/// Builds the event of an item.
pub(super) fn event(item: Value, ending: Ending, context: &AnswerContext) -> Event {
    let kind = Kind::of(text(&item, "type"));
    let body = match kind {
        Kind::Message => message(&item),
        Kind::Reasoning => Body::Thinking(reasoning(&item)),
        Kind::FunctionCall | Kind::CustomCall | Kind::PatchCall => {
            Body::ToolCall(call(&item, kind, ending, context))
        }
        Kind::Other => Body::Opaque(String::new()),
    };
    let issuer = Some(context.issuer.clone());
    let envelope = Envelope { wire: NAME.to_owned(), issuer, parts: vec![item] };
    Event { envelope: Some(envelope), ..Event::new(Role::Assistant, body) }
}

/// Returns the model's text, or its refusal if there is no other text.
fn message(item: &Value) -> Body {
    let said = match item.get("content") {
        // Some compatible hosts answer in plain text.
        Some(Value::String(text)) => text.clone(),
        content => parts(content, "output_text", "text").collect(),
    };
    let refusal: String = parts(item.get("content"), "refusal", "refusal").collect();
    if said.is_empty() && !refusal.is_empty() { Body::Opaque(refusal) } else { Body::Text(said) }
}

/// Whether the item is a message in which the model declines.
pub(super) fn is_refusal(item: &Value) -> bool {
    text(item, "type") == "message" && parts(item.get("content"), "refusal", "refusal").next().is_some()
}

pub(super) fn reasoning(item: &Value) -> String {
    let summary = parts(item.get("summary"), "summary_text", "text");
    let content = parts(item.get("content"), "reasoning_text", "text");
    let paragraphs: Vec<&str> = summary.chain(content).filter(|text| !text.is_empty()).collect();
    paragraphs.join(BREAK)
}

fn parts<'a>(list: Option<&'a Value>, kind: &'a str, field: &'a str) -> impl Iterator<Item = &'a str> {
    let list = list.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().filter(move |part| text(part, "type") == kind).map(move |part| text(part, field))
}

/// Returns the tool's own name for a call.
pub(super) fn call_name<'a>(item: &'a Value, kind: Kind, context: &'a AnswerContext) -> &'a str {
    let wire = if kind == Kind::PatchCall { NativeTool::ApplyPatch.name() } else { text(item, "name") };
    context.renames.original(wire)
}

/// Returns the complete text of a call's deltas: JSON, or free text.
pub(super) fn call_text(item: &Value, kind: Kind) -> &str {
    match kind {
        Kind::FunctionCall => text(item, "arguments"),
        Kind::CustomCall => text(item, "input"),
        Kind::PatchCall => item.get("operation").map_or("", |operation| text(operation, "diff")),
        Kind::Message | Kind::Reasoning | Kind::Other => "",
    }
}

fn call(item: &Value, kind: Kind, ending: Ending, context: &AnswerContext) -> DecodedCall {
    let name = call_name(item, kind, context).to_owned();
    // Free text does not mark its own end. If a limit ended the answer, the item's status tells whether it is complete.
    let is_cut = ending == Ending::Limited && text(item, "status") != "completed";
    let arguments = match kind {
        _ if ending == Ending::Partial => Arguments::Truncated,
        _ if name.is_empty() => Arguments::Malformed,
        Kind::FunctionCall => function_arguments(item, ending),
        Kind::CustomCall if context.native != Some(NativeTool::CodexPatch) || name != codex_name(context) => {
            Arguments::Malformed
        }
        _ if is_cut => Arguments::Truncated,
        Kind::CustomCall => match item.get("input") {
            Some(input @ Value::String(_)) => {
                Arguments::Complete(Map::from_iter([("input".to_owned(), input.clone())]))
            }
            _ => Arguments::Malformed,
        },
        _ => match item.get("operation") {
            None | Some(Value::Null) => Arguments::Malformed,
            Some(operation) => Arguments::from_value(operation.clone()),
        },
    };
    DecodedCall { id: text(item, "call_id").to_owned(), name, arguments }
}

/// Returns the tool's own name for Codex's custom tool.
fn codex_name(context: &AnswerContext) -> &str {
    context.renames.original(NativeTool::CodexPatch.name())
}

fn function_arguments(item: &Value, ending: Ending) -> Arguments {
    let text = match item.get("arguments") {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text,
        // Some compatible hosts send the object itself.
        Some(other) => return Arguments::from_value(other.clone()),
    };
    if text.trim().is_empty() {
        let is_whole = ending == Ending::Whole && self::text(item, "status") != "incomplete";
        return if is_whole { Arguments::Complete(Map::new()) } else { Arguments::Truncated };
    }
    serde_json::from_str(text).map_or_else(|_| Arguments::of_broken(text), Arguments::from_value)
}

pub(super) fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item.get(key).and_then(Value::as_str).unwrap_or_default()
}
