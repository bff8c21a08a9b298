//! The floor: what serde takes for the same payloads where nothing is copied, reported or kept.
//!
//! Strings are borrowed unless they have an escape in them, and keys that are not named here are skipped.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Error;
use serde_json::value::RawValue;

use super::{Reader, Wire};

pub(super) fn reader(wire: Wire) -> Reader {
    match wire {
        Wire::Chat | Wire::ChatReasoning => |payload| read::<Chat<'_>>(payload, Chat::said),
        Wire::Responses => |payload| read::<Responses<'_>>(payload, Responses::said),
        Wire::Anthropic => |payload| read::<Messages<'_>>(payload, Messages::said),
        Wire::Gemini => |payload| read::<Generated<'_>>(payload, Generated::said),
        Wire::Interactions => |payload| read::<Interaction<'_>>(payload, Interaction::said),
        Wire::Bedrock => |payload| read::<Converse<'_>>(payload, Converse::said),
        Wire::Ollama => |payload| read::<Ollama<'_>>(payload, Ollama::said),
    }
}

fn read<'a, T: Deserialize<'a>>(payload: &'a [u8], said: impl FnOnce(&T) -> usize) -> Result<usize, Error> {
    serde_json::from_slice(payload).map(|read| said(&read))
}

/// A string that is borrowed where it can be; serde copies that of a plain `Option<Cow<str>>`.
#[derive(Debug, Default, Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

fn len(text: &Option<Text<'_>>) -> usize {
    text.as_ref().map_or(0, |text| text.0.len())
}

#[derive(Debug, Deserialize)]
struct Chat<'a> {
    #[serde(borrow)]
    choices: Vec<Choice<'a>>,
}

#[derive(Debug, Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    delta: ChatDelta<'a>,
    #[serde(borrow, rename = "finish_reason")]
    _finish_reason: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct ChatDelta<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_calls: Vec<ChatCall<'a>>,
}

#[derive(Debug, Deserialize)]
struct ChatCall<'a> {
    #[serde(rename = "index")]
    _index: u64,
    #[serde(borrow, rename = "id")]
    _id: Option<Text<'a>>,
    #[serde(borrow)]
    function: Function<'a>,
}

#[derive(Debug, Deserialize)]
struct Function<'a> {
    #[serde(borrow, rename = "name")]
    _name: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<Text<'a>>,
}

impl Chat<'_> {
    fn said(&self) -> usize {
        let of = |ChatDelta { content, reasoning_content, tool_calls }: &ChatDelta<'_>| {
            let calls: usize = tool_calls.iter().map(|call| len(&call.function.arguments)).sum();
            len(content) + len(reasoning_content) + calls
        };
        self.choices.iter().map(|choice| of(&choice.delta)).sum()
    }
}

#[derive(Debug, Deserialize)]
struct Responses<'a> {
    #[serde(borrow, rename = "type")]
    _kind: Text<'a>,
    #[serde(rename = "output_index")]
    _output_index: Option<u64>,
    #[serde(rename = "content_index")]
    _content_index: Option<u64>,
    #[serde(rename = "summary_index")]
    _summary_index: Option<u64>,
    #[serde(borrow)]
    delta: Option<Text<'a>>,
    /// An item at its end is kept by who replays it.
    #[serde(borrow, rename = "item")]
    _item: Option<&'a RawValue>,
}

impl Responses<'_> {
    fn said(&self) -> usize {
        len(&self.delta)
    }
}

#[derive(Debug, Deserialize)]
struct Messages<'a> {
    #[serde(borrow, rename = "type")]
    _kind: Text<'a>,
    #[serde(rename = "index")]
    _index: Option<u64>,
    #[serde(borrow, rename = "content_block")]
    _content_block: Option<&'a RawValue>,
    #[serde(borrow)]
    delta: Option<MessageDelta<'a>>,
}

#[derive(Debug, Deserialize)]
struct MessageDelta<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow)]
    partial_json: Option<Text<'a>>,
    #[serde(borrow, rename = "signature")]
    _signature: Option<Text<'a>>,
}

impl Messages<'_> {
    fn said(&self) -> usize {
        let of =
            |delta: &MessageDelta<'_>| len(&delta.text) + len(&delta.thinking) + len(&delta.partial_json);
        self.delta.as_ref().map_or(0, of)
    }
}

#[derive(Debug, Deserialize)]
struct Generated<'a> {
    #[serde(borrow)]
    candidates: Vec<Candidate<'a>>,
    #[serde(rename = "usageMetadata")]
    _usage: Option<GeneratedUsage>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeneratedUsage {
    #[serde(rename = "promptTokenCount")]
    _prompt: Option<u64>,
    #[serde(rename = "candidatesTokenCount")]
    _candidates: Option<u64>,
    #[serde(rename = "thoughtsTokenCount")]
    _thoughts: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(borrow, rename = "finishReason")]
    _finish_reason: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    parts: Vec<Part<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(rename = "thought")]
    _thought: Option<bool>,
    #[serde(borrow, rename = "thoughtSignature")]
    _signature: Option<Text<'a>>,
    #[serde(borrow)]
    function_call: Option<WholeCall<'a>>,
}

#[derive(Debug, Deserialize)]
struct WholeCall<'a> {
    #[serde(borrow, rename = "name")]
    _name: Text<'a>,
    #[serde(borrow, alias = "args")]
    arguments: &'a RawValue,
}

impl Generated<'_> {
    fn said(&self) -> usize {
        let of = |part: &Part<'_>| {
            len(&part.text) + part.function_call.as_ref().map_or(0, |call| call.arguments.get().len())
        };
        self.candidates.iter().flat_map(|candidate| &candidate.content.parts).map(of).sum()
    }
}

#[derive(Debug, Deserialize)]
struct Interaction<'a> {
    #[serde(borrow, rename = "event_type")]
    _kind: Text<'a>,
    #[serde(rename = "index")]
    _index: Option<u64>,
    #[serde(borrow, rename = "step")]
    _step: Option<&'a RawValue>,
    #[serde(borrow)]
    delta: Option<StepDelta<'a>>,
}

#[derive(Debug, Deserialize)]
struct StepDelta<'a> {
    #[serde(borrow, rename = "type")]
    _kind: Text<'a>,
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    arguments: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Said<'a>>,
}

#[derive(Debug, Deserialize)]
struct Said<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
}

impl Interaction<'_> {
    fn said(&self) -> usize {
        let of = |delta: &StepDelta<'_>| {
            let content = delta.content.as_ref().map_or(0, |content| len(&content.text));
            len(&delta.text) + len(&delta.arguments) + content
        };
        self.delta.as_ref().map_or(0, of)
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Converse<'a> {
    #[serde(rename = "contentBlockIndex")]
    _index: Option<u64>,
    #[serde(borrow)]
    delta: Option<BlockDelta<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BlockDelta<'a> {
    #[serde(borrow)]
    text: Option<Text<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<Said<'a>>,
    #[serde(borrow)]
    tool_use: Option<Input<'a>>,
}

#[derive(Debug, Deserialize)]
struct Input<'a> {
    #[serde(borrow)]
    input: Option<Text<'a>>,
}

impl Converse<'_> {
    fn said(&self) -> usize {
        let of = |delta: &BlockDelta<'_>| {
            let thinking = delta.reasoning_content.as_ref().map_or(0, |said| len(&said.text));
            len(&delta.text) + thinking + delta.tool_use.as_ref().map_or(0, |call| len(&call.input))
        };
        self.delta.as_ref().map_or(0, of)
    }
}

#[derive(Debug, Deserialize)]
struct Ollama<'a> {
    #[serde(borrow)]
    message: OllamaMessage<'a>,
    #[serde(rename = "done")]
    _done: bool,
}

#[derive(Debug, Deserialize)]
struct OllamaMessage<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
    #[serde(borrow)]
    thinking: Option<Text<'a>>,
    #[serde(borrow, default)]
    tool_calls: Vec<OllamaCall<'a>>,
}

#[derive(Debug, Deserialize)]
struct OllamaCall<'a> {
    #[serde(borrow)]
    function: WholeCall<'a>,
}

impl Ollama<'_> {
    fn said(&self) -> usize {
        let OllamaMessage { content, thinking, tool_calls } = &self.message;
        let calls: usize = tool_calls.iter().map(|call| call.function.arguments.get().len()).sum();
        len(content) + len(thinking) + calls
    }
}
