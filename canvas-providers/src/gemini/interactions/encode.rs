//! Encodes a history as a request that sends all of it as steps and stores nothing.

use std::borrow::Cow;

use canvas_tools::ToolSpec;
use serde_json::{Map, Value, json};

use super::NAME;
use super::decode::decode;
use super::stream::Stream;
use crate::context::AnswerContext;
use crate::declare;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError, RequestOptions, ToolChoice};
use crate::envelope::Issuer;
use crate::event::{self, Body, Event, Image, ToolResult};
use crate::frames::Framing;
use crate::gemini::Gemini;
use crate::gemini::encode;
use crate::history::{OPENING, extra_fields, join_system, result_text};
use crate::json::text;
use crate::names::Mapper;
use crate::native::NativeTool;
use crate::repair::{Entry, entries, is_assistant};
use crate::verdict::{Arguments, DecodedCall};
use crate::wire::{Call, RequestBody, Wire};

/// Fields of a body that the host's `extra` fields cannot replace. The whole history is sent, so no interaction is
/// continued.
const OWN_FIELDS: &[&str] =
    &["model", "input", "system_instruction", "tools", "store", "stream", "previous_interaction_id"];

#[derive(Debug)]
pub(crate) enum Interactions {}

impl Wire for Interactions {
    const NAME: &'static str = NAME;
    const HOST: &'static str = Gemini::HOST;
    const FRAMING: Framing = Gemini::FRAMING;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, issuer: &Issuer) -> Vec<Value> {
        let (mut names, mut degradations) = (encode::mapper(&[]), Degradations::default());
        let mut encoder = StepEncoder { issuer, names: &mut names, degradations: &mut degradations };
        let entries = events.iter().enumerate().map(|(at, event)| Entry { event: Cow::Borrowed(event), at });
        entries.filter_map(|entry| encoder.step(&entry)).collect()
    }

    fn names(call: &Call<'_>) -> Mapper {
        encode::mapper(call.specs)
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        Value::Array(functions(call.specs, call.options.native, names, degradations))
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        let declared = functions(specs, options.native, names, degradations);
        let history = entries(events, degradations);
        let system = join_system(system, &history, degradations);
        let mut encoder = StepEncoder { issuer, names, degradations };
        let mut steps: Vec<(usize, Value)> =
            history.iter().filter_map(|entry| Some((entry.at, encoder.step(entry)?))).collect();
        let Some((at, first)) = steps.first() else { return Err(EncodeError::EmptyHistory) };
        let at = *at;
        if !matches!(text(first, "type"), "user_input" | "function_result") {
            degradations.add_event(at, "role", "a line of the user was put before it");
            steps.insert(0, (at, user_input(json!({"type": "text", "text": OPENING}))));
        }
        let mut body = extra_fields(&options.extra, OWN_FIELDS, degradations);
        let mut config = match body.remove("generation_config") {
            Some(Value::Object(config)) => config,
            _ => Map::new(),
        };
        config.insert("max_output_tokens".to_owned(), options.max_tokens.into());
        if let Some(choice) = choice(options, specs, names, degradations)? {
            config.insert("tool_choice".to_owned(), choice);
        }
        let own = [
            ("model", json!(issuer.model)),
            ("input", steps.into_iter().map(|(_, step)| step).collect()),
            ("generation_config", Value::Object(config)),
            ("store", json!(false)),
        ];
        body.extend(own.map(|(name, value)| (name.to_owned(), value)));
        if !declared.is_empty() {
            body.insert("tools".to_owned(), Value::Array(declared));
        }
        if !system.is_empty() {
            body.insert("system_instruction".to_owned(), system.into());
        }
        Ok((Value::Object(body), None))
    }
}

/// Declares the functions of `generateContent` with the field names of this API.
fn functions(
    specs: &[ToolSpec],
    native: Option<NativeTool>,
    mapper: &mut Mapper,
    degradations: &mut Degradations,
) -> Vec<Value> {
    let mut declared = encode::declare(specs, native, mapper, degradations);
    for function in &mut declared {
        if let Value::Object(function) = function {
            let schema = function.remove("parametersJsonSchema").unwrap_or_default();
            function.insert("parameters".to_owned(), schema);
            function.insert("type".to_owned(), "function".into());
        }
    }
    declared
}

fn choice(
    options: &RequestOptions,
    specs: &[ToolSpec],
    names: &mut Mapper,
    degradations: &mut Degradations,
) -> Result<Option<Value>, EncodeError> {
    declare::check_choice(options, specs)?;
    if specs.is_empty() {
        return Ok(None);
    }
    if !options.parallel_calls {
        degradations.add(
            "/options/parallel_calls",
            "parallel_calls",
            "not sent: nothing on this wire says it",
        );
    }
    Ok(match &options.tool_choice {
        ToolChoice::Auto => None,
        ToolChoice::None => Some(json!("none")),
        ToolChoice::Required => Some(json!("any")),
        ToolChoice::Tool(name) => {
            Some(json!({"allowed_tools": {"mode": "any", "tools": [names.wire(name)]}}))
        }
    })
}

/// Turns events into steps, with the names of one request.
struct StepEncoder<'a> {
    issuer: &'a Issuer,
    names: &'a mut Mapper,
    degradations: &'a mut Degradations,
}

impl StepEncoder<'_> {
    fn step(&mut self, entry: &Entry<'_>) -> Option<Value> {
        let (event, at) = (entry.event.as_ref(), entry.at);
        match &event.body {
            Body::Text(_) | Body::Opaque(_) if event.role == event::Role::System => None,
            Body::ToolResult(result) => Some(self.result(result)),
            Body::ToolCall(call) => Some(self.call(event, call, at)),
            Body::Text(text) => self.own_part(event, at).or_else(|| text_step(event, text)),
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
                part.or_else(|| text_step(event, text))
            }
        }
    }

    /// Returns the provider's own step if its kind fits the event's body and role. Parts that a host made for the user
    /// are content of a step.
    fn own_part(&mut self, event: &Event, at: usize) -> Option<Value> {
        let envelope = event.envelope.as_ref()?;
        let [part] = envelope.parts_for(NAME, self.issuer, is_assistant(event))? else { return None };
        let kind = text(part, "type");
        let fits = match (&event.body, is_assistant(event)) {
            (Body::ToolCall(_), _) => kind == "function_call",
            (Body::Thinking(_), _) => kind == "thought",
            (Body::Text(_), true) => kind == "model_output",
            (Body::Opaque(_), true) => {
                !matches!(kind, "" | "thought" | "function_call" | "function_result" | "user_input")
            }
            (Body::Text(_) | Body::Opaque(_), false) => {
                matches!(kind, "text" | "image" | "audio" | "video" | "document")
            }
            (Body::ToolResult(_), _) => false,
        };
        if !fits {
            let how = "not used: its part is not of the kind that the event is";
            self.degradations.add_event(at, "envelope", how);
            return None;
        }
        // An output without content is empty.
        let is_empty =
            kind == "model_output" && part.get("content").is_none_or(|content| *content == json!([]));
        if is_empty && part.get("error").is_none() {
            return None;
        }
        Some(if is_assistant(event) { part.clone() } else { user_input(part.clone()) })
    }

    fn call(&mut self, event: &Event, call: &DecodedCall, at: usize) -> Value {
        let mut step = self.own_part(event, at).unwrap_or_else(|| {
            let arguments = match &call.arguments {
                Arguments::Complete(map) => map.clone(),
                Arguments::Truncated | Arguments::Malformed => Map::new(),
            };
            json!({"type": "function_call", "arguments": arguments})
        });
        step["id"] = call.id.as_str().into();
        step["name"] = self.names.wire(&call.name).into();
        if !step["arguments"].is_object() {
            step["arguments"] = json!({});
            self.degradations.add_event(at, "arguments", "sent as an empty object: they were none");
        }
        step
    }

    fn result(&mut self, result: &ToolResult) -> Value {
        let name = self.names.wire(result.name.as_deref().unwrap_or_default());
        // A list would be read as content, and other values have no form of their own.
        let content = match &result.result {
            object @ Value::Object(_) if result.images.is_empty() => object.clone(),
            other if result.images.is_empty() => json!(result_text(other)),
            other => {
                let texts = Some(result_text(other)).filter(|text| !text.is_empty());
                let texts = texts.map(|text| json!({"type": "text", "text": text})).into_iter();
                let images = result.images.iter().map(|Image { media_type, data }| {
                    json!({"type": "image", "mime_type": media_type, "data": data})
                });
                texts.chain(images).collect()
            }
        };
        let mut step = json!({"type": "function_result", "name": name, "result": content});
        step["call_id"] = result.call_id.as_deref().unwrap_or_default().into();
        if result.is_error() {
            step["is_error"] = true.into();
        }
        step
    }
}

fn user_input(content: Value) -> Value {
    json!({"type": "user_input", "content": [content]})
}

fn text_step(event: &Event, text: &str) -> Option<Value> {
    let content = Some(json!({"type": "text", "text": text})).filter(|_| !text.is_empty())?;
    Some(if is_assistant(event) {
        json!({"type": "model_output", "content": [content]})
    } else {
        user_input(content)
    })
}
