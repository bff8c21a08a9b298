//! Encodes a history as a request.

mod ids;
mod parts;
mod tools;

use serde_json::{Map, Value, json};

use self::ids::Ids;
use self::parts::{NOT_USED, Pieces};
use super::decode::decode;
use super::stream::Stream;
use super::wire::{NAME, OWN_FIELDS, Request, message};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::{Degradations, EncodeError};
use crate::envelope::Issuer;
use crate::event::{self, Body, Event, Image, ToolResult};
use crate::frames::Framing;
use crate::history::{extra_fields, join_system, reply_text};
use crate::hosts::{ChatHost, MaxTokensField, NEVER_SENT};
use crate::json::with_history;
use crate::names::Mapper;
use crate::native::NativeTool;
use crate::pieces;
use crate::repair::{Entry, entries, is_assistant};
use crate::wire::{Call, RequestBody, Wire};

/// Returns the caller's description of the host, or else the known one.
fn host_of(call: &Call<'_>) -> ChatHost {
    call.options.chat_host.unwrap_or_else(|| *ChatHost::of(&call.issuer.host))
}

#[derive(Debug)]
pub(crate) enum Chat {}

impl Wire for Chat {
    const NAME: &'static str = NAME;
    const HOST: &'static str = "api.openai.com";
    const FRAMING: Framing = Framing::Sse;

    type Stream = Stream;

    fn decode(body: &Value, context: &AnswerContext) -> Result<Decoded, DecodeError> {
        decode(body, context)
    }

    fn replay(events: Vec<Event>, _: &Issuer) -> Vec<Value> {
        let mut message = pieces::message_of(events);
        message.retain(|field, _| !NEVER_SENT.contains(&field.as_str()));
        if message.is_empty() {
            return Vec::new();
        }
        message.insert("role".to_owned(), json!("assistant"));
        vec![Value::Object(message)]
    }

    fn names(call: &Call<'_>) -> Mapper {
        crate::declare::mapper(call.specs, call.options.native, tools::rules(&host_of(call)))
    }

    fn declared(call: &Call<'_>, names: &mut Mapper, degradations: &mut Degradations) -> Value {
        json!(tools::declare(call.specs, call.options, &host_of(call), names, degradations))
    }

    fn body(
        call: &Call<'_>,
        names: &mut Mapper,
        degradations: &mut Degradations,
    ) -> Result<RequestBody, EncodeError> {
        let Call { issuer, system, specs, events, options } = *call;
        let host = host_of(call);
        let tools = tools::declare(specs, options, &host, names, degradations);
        let native = tools::built_in(specs, options.native, &host);
        let tool_choice = tools::choice(options, specs, &tools, names)?;
        let history = entries(events, degradations);
        let before = if host.system_anywhere { &[][..] } else { &history[..] };
        let system = join_system(system, before, degradations);
        let mut encoder = Encoder {
            pieces: Pieces { issuer, host: &host, names, ids: Ids::new(host.call_ids), degradations },
            messages: Vec::new(),
            answer: None,
            images: Vec::new(),
            native: options.native,
            stretch: 0,
            has_calls: false,
        };
        for entry in &history {
            encoder.entry(entry);
        }
        let mut messages = encoder.finish();
        if !messages.iter().any(|message| message["role"] != "system") {
            return Err(EncodeError::EmptyHistory);
        }
        if !system.is_empty() {
            messages.insert(0, message("system", system));
        }
        let may_choose = !options.parallel_calls && !tools.is_empty();
        if may_choose && !host.parallel_calls {
            degradations.add("/options/parallel_calls", "false", "left out: the host has no such field");
        }
        let parallel_tool_calls = (may_choose && host.parallel_calls).then_some(false);
        let extra = extra_fields(&options.extra, OWN_FIELDS, degradations);
        let is_newer = host.max_tokens == MaxTokensField::MaxCompletionTokens;
        let body = Request {
            model: &issuer.model,
            max_tokens: (!is_newer).then_some(options.max_tokens),
            max_completion_tokens: is_newer.then_some(options.max_tokens),
            tools,
            tool_choice,
            parallel_tool_calls,
            extra,
        };
        let body = with_history(body, "messages", messages);
        Ok((body, native))
    }
}

/// Turns events into messages.
struct Encoder<'a> {
    pieces: Pieces<'a>,
    messages: Vec<Value>,
    /// The model's message under construction, and the index of its first event.
    answer: Option<(Map<String, Value>, usize)>,
    /// Parts with the images of the results so far. They follow the last result.
    images: Vec<Value>,
    /// The tool whose replies are sent in the words of its dialect.
    native: Option<NativeTool>,
    /// Index of the first message after the user's last one.
    stretch: usize,
    /// Whether there were calls since the user's last message.
    has_calls: bool,
}

impl Encoder<'_> {
    fn entry(&mut self, entry: &Entry<'_>) {
        let (event, at) = (entry.event.as_ref(), entry.at);
        if is_assistant(event) {
            self.flush_images();
            if let Some(piece) = self.pieces.piece(event, at) {
                let (message, _) = self.answer.get_or_insert_with(|| (Map::new(), at));
                pieces::join(message, piece);
            }
            return;
        }
        self.flush_answer();
        match &event.body {
            Body::ToolResult(result) => self.result(result, at),
            Body::Text(text) | Body::Opaque(text) if event.role == event::Role::System => {
                if self.pieces.host.system_anywhere && !text.trim().is_empty() {
                    self.flush_images();
                    self.messages.push(message("system", text.as_str()));
                }
            }
            Body::Text(text) | Body::Opaque(text) => {
                self.flush_images();
                let content = self.own_content(event, at);
                let content = content.or_else(|| (!text.trim().is_empty()).then(|| text.as_str().into()));
                if let Some(content) = content {
                    self.end_stretch();
                    self.messages.push(message("user", content));
                    self.stretch = self.messages.len();
                }
            }
            Body::Thinking(_) | Body::ToolCall(_) => unreachable!("they are the model's"),
        }
    }

    fn result(&mut self, result: &ToolResult, at: usize) {
        let id = self.pieces.ids.wire(result.call_id.as_deref().unwrap_or_default());
        let text = reply_text(result, self.native);
        self.messages.push(json!({"role": "tool", "tool_call_id": id, "content": text}));
        if result.images.is_empty() {
            return;
        }
        if !self.pieces.host.images {
            self.pieces.degradations.add_event(at, "image", "left out: the host takes none with a result");
            return;
        }
        self.pieces.degradations.add_event(at, "image", "sent in a message of the user after the results");
        let name = result.name.as_deref().unwrap_or_default();
        let name = self.pieces.names.wire(name);
        self.images.push(json!({"type": "text", "text": format!("Images in the result of {name} ({id}):")}));
        self.images.extend(result.images.iter().map(|Image { media_type, data }| {
            json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}})
        }));
    }

    /// Ends the model's message, which is left out if it is empty.
    fn flush_answer(&mut self) {
        let Some((mut answer, at)) = self.answer.take() else { return };
        let has_calls = answer.contains_key("tool_calls");
        let says = |field: &str| match answer.get(field) {
            Some(Value::String(text)) => !text.is_empty(),
            Some(Value::Array(items)) => !items.is_empty(),
            _ => false,
        };
        if !has_calls && !says("content") && !says("refusal") {
            self.pieces.degradations.add_event(at, "assistant", "left out: nothing that it says can be sent");
            return;
        }
        self.has_calls |= has_calls;
        answer.insert("role".to_owned(), json!("assistant"));
        answer.entry("content").or_insert(Value::Null);
        self.messages.push(Value::Object(answer));
    }

    fn flush_images(&mut self) {
        if !self.images.is_empty() {
            let images = std::mem::take(&mut self.images);
            self.messages.push(message("user", images));
        }
    }

    /// Fills in the reasoning field that the host requires if there were calls since the user's last message.
    fn end_stretch(&mut self) {
        let required = self.pieces.host.required_reasoning.filter(|_| self.has_calls);
        self.has_calls = false;
        let Some(field) = required else { return };
        for message in &mut self.messages[self.stretch..] {
            if message["role"] == "assistant"
                && let Some(message) = message.as_object_mut()
            {
                message.entry(field).or_insert_with(|| json!(""));
            }
        }
    }

    fn finish(mut self) -> Vec<Value> {
        self.flush_answer();
        self.flush_images();
        self.end_stretch();
        self.messages
    }

    /// Returns the content that the host made in this wire format for a user's event, such as an image.
    fn own_content(&mut self, event: &Event, at: usize) -> Option<Value> {
        let parts = event.envelope.as_ref()?.parts_for(NAME, self.pieces.issuer, false)?;
        const KINDS: &[&str] = &["text", "image_url", "input_audio", "file"];
        let kind = |part: &Value| part.get("type").and_then(Value::as_str).map(str::to_owned);
        let fits = |part: &Value| {
            kind(part).is_some_and(|kind| KINDS.contains(&kind.as_str()) && part.get(&kind).is_some())
        };
        if !parts.is_empty() && parts.iter().all(fits) {
            return Some(Value::Array(parts.to_vec()));
        }
        self.pieces.degradations.add_event(at, "envelope", NOT_USED);
        None
    }
}
