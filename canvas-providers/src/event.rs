//! The history of a conversation, as texts, calls and results in a form that all providers share.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::envelope::Envelope;
use crate::verdict::{Arguments, DecodedCall, Verdict};

/// The participant that an event comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The host, with its instructions.
    System,
    /// The user, in whose name hidden canvas updates are also sent.
    User,
    /// The model, in its answers.
    Assistant,
    /// A tool that answers a call.
    Tool,
}

/// One step of a conversation.
///
/// Its JSON is `{role, type, content, call_id?, arguments?, verdict?, tool_name?, tool_result?, images?, revision_id?,
/// lease_id?, envelope?}`. Reading is lenient. Unknown fields are ignored, `message` means `text`, and a missing `type`
/// means a text (or, from a tool, a result). `verdict` is written only for calls that are not complete. You can store
/// any value of this type, because [`repair()`](crate::repair()) turns any list of events into a history that can be
/// sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "EventJson", into = "EventJson")]
pub struct Event {
    /// The participant that the event comes from. Encoders treat thinking and calls as the model's, whatever the role
    /// is.
    pub role: Role,
    /// The text, call or answer.
    pub body: Body,
    /// The revision that a result names, if any.
    pub revision_id: Option<String>,
    /// The lease that a result names, if any.
    pub lease_id: Option<String>,
    /// The provider's own form of the event, for lossless replay to the same provider.
    pub envelope: Option<Envelope>,
}

/// A text, a thought, a call, its result, or a part that only its provider understands.
#[derive(Debug, Clone, PartialEq)]
pub enum Body {
    /// Text for or from the model.
    Text(String),
    /// The readable part of the model's reasoning, which may be empty.
    Thinking(String),
    /// A call to one of the host's tools.
    ToolCall(DecodedCall),
    /// The answer to a call, made by a tool or in its place.
    ToolResult(ToolResult),
    /// A part that only its provider understands, such as a tool run by the provider's server. Other providers get the
    /// text, which is usually empty.
    Opaque(String),
}

/// The answer to a call, made by a tool or in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolResult {
    /// Id of the answered call. `None` selects the earliest unanswered call (of the tool `name`, if a name is given).
    pub call_id: Option<String>,
    /// Name of the tool, if known.
    pub name: Option<String>,
    /// The result for the model, which is a reply body or any other JSON.
    pub result: Value,
    /// Images that accompany the result. If a provider does not accept images in a result, they are sent in another way
    /// or left out, and a [`Degradation`](crate::Degradation) reports it.
    pub images: Vec<Image>,
}

/// An image in a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The media type, such as `image/png`.
    pub media_type: String,
    /// The image bytes in base64, with padding.
    pub data: String,
}

impl ToolResult {
    /// Whether the result contains `"ok": false`.
    pub fn is_error(&self) -> bool {
        self.result.get("ok").and_then(Value::as_bool) == Some(false)
    }
}

impl Event {
    /// Creates an event without a revision, a lease or an envelope.
    pub fn new(role: Role, body: Body) -> Self {
        Self { role, body, revision_id: None, lease_id: None, envelope: None }
    }

    /// Creates a text of the user, or a hidden canvas update.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, Body::Text(text.into()))
    }

    /// Creates a text of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, Body::Text(text.into()))
    }

    /// Creates the answer to a call. Revision and lease are taken from the result if it names them.
    pub fn result(call_id: impl Into<String>, name: impl Into<String>, result: Value) -> Self {
        let (revision_id, lease_id) = (text_of(&result, "revision_id"), text_of(&result, "lease_id"));
        let answer =
            ToolResult { call_id: Some(call_id.into()), name: Some(name.into()), result, images: Vec::new() };
        Self { revision_id, lease_id, ..Self::new(Role::Tool, Body::ToolResult(answer)) }
    }

    /// Returns the text if the event is a text of the model.
    ///
    /// ```
    /// use canvas_providers::Event;
    ///
    /// let turn = [Event::user("Hello"), Event::assistant("Good "), Event::assistant("day.")];
    /// assert_eq!(turn.iter().filter_map(Event::assistant_text).collect::<String>(), "Good day.");
    /// ```
    pub fn assistant_text(&self) -> Option<&str> {
        match &self.body {
            Body::Text(text) if self.role == Role::Assistant => Some(text),
            _ => None,
        }
    }

    /// Returns the call if the event is one.
    pub fn call(&self) -> Option<&DecodedCall> {
        match &self.body {
            Body::ToolCall(call) => Some(call),
            _ => None,
        }
    }
}

fn text_of(result: &Value, key: &str) -> Option<String> {
    result.get(key).and_then(Value::as_str).map(str::to_owned)
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[serde(alias = "message")]
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Opaque,
}

/// The JSON form of an event, which is flat. Only the role is required.
#[derive(Clone, Serialize, Deserialize)]
struct EventJson {
    role: Role,
    #[serde(rename = "type")]
    kind: Option<Kind>,
    #[serde(default)]
    content: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    arguments: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_result: Option<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    images: Vec<Image>,
    #[serde(skip_serializing_if = "Option::is_none")]
    revision_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    envelope: Option<Envelope>,
}

impl From<EventJson> for Event {
    fn from(json: EventJson) -> Self {
        let kind = json.kind.unwrap_or(match json.role {
            Role::Tool => Kind::ToolResult,
            _ => Kind::Text,
        });
        let body = match kind {
            Kind::Text => Body::Text(plain(json.content)),
            Kind::Thinking => Body::Thinking(plain(json.content)),
            Kind::Opaque => Body::Opaque(plain(json.content)),
            Kind::ToolCall => Body::ToolCall(DecodedCall {
                id: json.call_id.unwrap_or_default(),
                name: json.tool_name.unwrap_or_default(),
                arguments: read_arguments(json.arguments, json.verdict),
            }),
            Kind::ToolResult => Body::ToolResult(ToolResult {
                call_id: json.call_id.filter(|id| !id.is_empty()),
                name: json.tool_name.filter(|name| !name.is_empty()),
                result: json.tool_result.unwrap_or(json.content),
                images: json.images,
            }),
        };
        Self {
            role: json.role,
            body,
            revision_id: json.revision_id,
            lease_id: json.lease_id,
            envelope: json.envelope,
        }
    }
}

impl From<Event> for EventJson {
    fn from(event: Event) -> Self {
        let json = Self {
            role: event.role,
            kind: None,
            content: Value::String(String::new()),
            call_id: None,
            arguments: None,
            verdict: None,
            tool_name: None,
            tool_result: None,
            images: Vec::new(),
            revision_id: event.revision_id,
            lease_id: event.lease_id,
            envelope: event.envelope,
        };
        match event.body {
            Body::Text(text) => json.with_text(Kind::Text, text),
            Body::Thinking(text) => json.with_text(Kind::Thinking, text),
            Body::Opaque(text) => json.with_text(Kind::Opaque, text),
            Body::ToolCall(call) => Self {
                kind: Some(Kind::ToolCall),
                verdict: Some(call.verdict()).filter(|verdict| *verdict != Verdict::Complete),
                call_id: Some(call.id),
                tool_name: Some(call.name),
                arguments: Some(match call.arguments {
                    Arguments::Complete(map) => Value::Object(map),
                    Arguments::Truncated | Arguments::Malformed => Value::Null,
                }),
                ..json
            },
            Body::ToolResult(ToolResult { call_id, name: tool_name, result, images }) => {
                let json = Self { kind: Some(Kind::ToolResult), call_id, tool_name, images, ..json };
                // A null `tool_result` would be read back as absent.
                match result {
                    Value::Null => Self { content: Value::Null, ..json },
                    result => Self { tool_result: Some(result), ..json },
                }
            }
        }
    }
}

impl EventJson {
    fn with_text(self, kind: Kind, text: String) -> Self {
        Self { kind: Some(kind), content: text.into(), ..self }
    }
}

/// Returns `content` as text. A string is unchanged, null becomes an empty text, and other JSON becomes its source.
fn plain(content: Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// Reads the arguments of a call. A host may pass them as JSON text, as some providers do, or leave out an empty
/// object.
fn read_arguments(arguments: Option<Value>, verdict: Option<Verdict>) -> Arguments {
    match (verdict, arguments) {
        (Some(Verdict::Truncated), _) => Arguments::Truncated,
        (Some(Verdict::Malformed), _) => Arguments::Malformed,
        (_, None) => Arguments::Complete(Map::new()),
        (_, Some(Value::String(text))) => {
            serde_json::from_str(&text).map_or(Arguments::Malformed, Arguments::Complete)
        }
        (_, Some(value)) => Arguments::from_value(value),
    }
}
