//! Encodes a history as a request.

mod constraints;
mod output;
mod tools;

use serde_json::{Value, json};

use self::constraints::Constraints;
use self::output::Outputs;
use super::decode::decode;
use super::item::{Kind, text};
use super::stream::Stream;
use super::wire::{Content, Item, Made, NAME, OWN_FIELDS, Request};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError, RequestOptions};
use crate::envelope::Issuer;
use crate::event::{Body, Event, Role};
use crate::frames::Framing;
use crate::history::{extra_fields, join_system};
use crate::json::with_history;
use crate::names::{Mapper, NameRule};
use crate::repair::{Entry, entries, is_assistant};
use crate::verdict::{Arguments, DecodedCall};
use crate::wire::{Call, RequestBody, Wire};

/// Ids may be any text up to this length, so a foreign id that fits is sent unchanged.
const ID_RULE: NameRule = NameRule { max: 64, also: ".:", begins_with_letter: false };
/// The minimum that the endpoint accepts.
const MIN_OUTPUT_TOKENS: u32 = 16;

#[derive(Debug)]
pub(crate) enum Responses {}

impl Wire for Responses {
    const NAME: &'static str = NAME;
    const HOST: &'static str = "api.openai.com";
    const FRAMING: Framing = Framing::Sse;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, issuer: &Issuer) -> Vec<Value> {
        let own =
            |event: &Event| event.envelope.as_ref()?.parts_for(NAME, issuer, true).map(<[Value]>::to_vec);
        events.iter().filter_map(own).flatten().collect()
    }

    fn names(call: &Call<'_>) -> Mapper {
        tools::mapper(call.specs, call.options.native)
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        let RequestOptions { native, strict_tools, .. } = *call.options;
        json!(tools::declare(call.specs, native, strict_tools, names, degradations))
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        let max_output_tokens = options.max_tokens.max(MIN_OUTPUT_TOKENS);
        if max_output_tokens > options.max_tokens {
            degradations.add(
                "/options/max_tokens",
                "max_tokens",
                "raised to 16: the provider takes no fewer",
            );
        }
        let tools = tools::declare(specs, options.native, options.strict_tools, names, degradations);
        let native = tools::built_in(specs, options.native).map(|(native, _)| native);
        let history = entries(events, degradations);
        let is_system = |entry: &&Entry<'_>| is_instruction(&entry.event);
        let opening = history.iter().take_while(is_system).count();
        let instructions = join_system(system, &history[..opening], degradations);
        let mut extra = extra_fields(&options.extra, OWN_FIELDS, degradations);
        let is_stored = extra.get("store") == Some(&Value::Bool(true));
        let mut encoder = Encoder {
            issuer,
            names,
            ids: Mapper::new(ID_RULE),
            outputs: Outputs::new(options.native),
            degradations,
        };
        let mut items: Vec<Item> =
            history[opening..].iter().filter_map(|entry| encoder.item(entry)).collect();
        let takes_unsealed = is_stored || options.unsigned_thinking;
        Constraints { takes_unsealed, degradations }.enforce(&mut items);
        if items.is_empty() {
            return Err(EncodeError::EmptyHistory);
        }
        let tool_choice = tools::choice(options, specs, names)?;
        let parallel_tool_calls = (!options.parallel_calls && !tools.is_empty()).then_some(false);
        if !extra.contains_key("store") {
            extra.insert("store".to_owned(), false.into());
        }
        if !is_stored && !extra.contains_key("include") {
            extra.insert("include".to_owned(), json!(["reasoning.encrypted_content"]));
        }
        let body = Request {
            model: &issuer.model,
            max_output_tokens,
            instructions: &instructions,
            tools,
            tool_choice,
            parallel_tool_calls,
            extra,
        };
        let input = items.into_iter().map(|item| item.value).collect();
        let body = with_history(body, "input", input);
        Ok((body, native))
    }
}

fn is_instruction(event: &Event) -> bool {
    event.role == Role::System && matches!(event.body, Body::Text(_) | Body::Opaque(_))
}

/// Turns events into items, with the names and ids of one request.
struct Encoder<'a> {
    issuer: &'a Issuer,
    names: &'a mut Mapper,
    ids: Mapper,
    outputs: Outputs,
    degradations: &'a mut Degradations,
}

impl Encoder<'_> {
    fn item(&mut self, entry: &Entry<'_>) -> Option<Item> {
        let (event, at) = (entry.event.as_ref(), entry.at);
        let of_model = is_assistant(event);
        let value = match &event.body {
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::ToolResult(result) => {
                let id = self.ids.wire(result.call_id.as_deref().unwrap_or_default());
                Some(self.outputs.answer(result, id, at, self.degradations))
            }
            Body::Text(text) | Body::Opaque(text) if event.role == Role::System => message("system", text),
            Body::Text(text) => self.own_part(event, at).or_else(|| said(of_model, text)),
            Body::Thinking(_) => {
                let part = self.own_part(event, at);
                if part.is_none() {
                    let how = "left out: only the provider that thought it can read it";
                    self.degradations.add_event(at, "thinking", how);
                }
                part
            }
            Body::Opaque(text) => {
                let part = self.own_part(event, at);
                if part.is_none() {
                    self.degradations.add_event(at, "opaque", "sent as plain text, if it has any");
                }
                part.or_else(|| said(of_model, text))
            }
        };
        value.map(|value| Item { of_model, value, at })
    }

    /// Returns the provider's own part if its kind fits the event's body and role.
    fn own_part(&mut self, event: &Event, at: usize) -> Option<Value> {
        let envelope = event.envelope.as_ref()?;
        let of_model = is_assistant(event);
        // An item is one part.
        let [part] = envelope.parts_for(NAME, self.issuer, of_model)? else { return None };
        let name = text(part, "type");
        let kind = Kind::of(name);
        let fits = match (&event.body, of_model) {
            (Body::ToolCall(_), _) => kind.is_call(),
            (Body::Thinking(_), _) => kind == Kind::Reasoning,
            (Body::Text(_), true) => kind == Kind::Message,
            (Body::Opaque(_), true) => match kind {
                Kind::Message => true,
                Kind::Other => !name.is_empty() && !ANSWERS.contains(&name),
                Kind::Reasoning | Kind::FunctionCall | Kind::CustomCall | Kind::PatchCall => false,
            },
            (Body::Text(_) | Body::Opaque(_), false) => {
                matches!(name, "input_text" | "input_image" | "input_file")
            }
            (Body::ToolResult(_), _) => false,
        };
        if !fits || !is_readable(part, kind, of_model) {
            self.degradations.add_event(at, "envelope", "not used: its part is not what the event is");
            return None;
        }
        if of_model {
            return Some(part.clone());
        }
        let content = Content::Given([part.clone()]);
        Some(Made::Message { role: "user", content, phase: None }.into_value())
    }

    fn call(&mut self, event: &Event, call: &DecodedCall, at: usize) -> Value {
        let part = self.own_part(event, at);
        let id = self.ids.wire(&call.id);
        let name = self.names.wire(&call.name);
        let Some(mut part) = part else {
            let arguments = match &call.arguments {
                Arguments::Complete(map) => json!(map).to_string(),
                Arguments::Truncated | Arguments::Malformed => "{}".to_owned(),
            };
            return Made::FunctionCall { call_id: id, name, arguments }.into_value();
        };
        // The provider's part, with the id and the name of this request.
        part["call_id"] = id.into();
        if Kind::of(text(&part, "type")) != Kind::PatchCall {
            part["name"] = name.into();
        }
        self.outputs.expect(id, &part);
        part
    }
}

/// Items that answer a call or refer to one. They belong to the host, whatever an envelope says.
const ANSWERS: &[&str] = &[
    "function_call_output",
    "custom_tool_call_output",
    "apply_patch_call_output",
    "item_reference",
    "input_text",
    "input_image",
    "input_file",
];

/// Whether a part has the fields that the endpoint requires for its kind.
fn is_readable(part: &Value, kind: Kind, of_model: bool) -> bool {
    let is_text = |name: &str| part.get(name).is_some_and(Value::is_string);
    let is_list = |name: &str| part.get(name).is_some_and(Value::is_array);
    match kind {
        Kind::Message => {
            text(part, "role") == "assistant"
                && (is_text("content") || is_text("id") && is_text("status") && is_list("content"))
        }
        Kind::Reasoning => is_text("id") && is_list("summary"),
        Kind::FunctionCall => true,
        Kind::CustomCall => is_text("input"),
        Kind::PatchCall => part.get("operation").is_some_and(Value::is_object),
        Kind::Other => of_model || text(part, "type") != "input_text" || is_text("text"),
    }
}

fn said(of_model: bool, text: &str) -> Option<Value> {
    message(if of_model { "assistant" } else { "user" }, text)
}

fn message(role: &'static str, text: &str) -> Option<Value> {
    let content = Content::Text(text.into());
    (!text.trim().is_empty()).then(|| Made::Message { role, content, phase: None }.into_value())
}
