//! Streams like those that were recorded of each wire: the same fields in the order of the provider, and chunks of about the
//! same length.

mod amazon;
mod anthropic;
mod google;
mod ollama;
mod openai;

use canvas_providers::Provider;

use super::frames;

/// A form in which answers are streamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Chat Completions of OpenAI: 360 bytes a chunk.
    Chat,
    /// Chat Completions of a host that sends reasoning: 300 bytes a chunk.
    ChatReasoning,
    /// OpenAI Responses: 270 bytes a chunk.
    Responses,
    /// Anthropic Messages: 150 bytes a chunk.
    Anthropic,
    /// Gemini's `generateContent`: few and long chunks, 480 bytes each.
    Gemini,
    /// Gemini's Interactions: 110 bytes a chunk.
    Interactions,
    /// Bedrock Converse, in binary frames of 210 bytes.
    Bedrock,
    /// Ollama's own route: 140 bytes a chunk.
    Ollama,
}

impl Wire {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Chat,
        Self::ChatReasoning,
        Self::Responses,
        Self::Anthropic,
        Self::Gemini,
        Self::Interactions,
        Self::Bedrock,
        Self::Ollama,
    ];

    pub(crate) fn provider(self) -> Provider {
        match self {
            Self::Chat | Self::ChatReasoning => Provider::OpenAiChat,
            Self::Responses => Provider::OpenAiResponses,
            Self::Anthropic => Provider::Anthropic,
            Self::Gemini => Provider::Gemini,
            Self::Interactions => Provider::GeminiInteractions,
            Self::Bedrock => Provider::BedrockConverse,
            Self::Ollama => Provider::Ollama,
        }
    }

    fn script(self) -> Script {
        match self {
            Self::Chat => openai::CHAT,
            Self::ChatReasoning => openai::CHAT_REASONING,
            Self::Responses => openai::RESPONSES,
            Self::Anthropic => anthropic::MESSAGES,
            Self::Gemini => google::GENERATE_CONTENT,
            Self::Interactions => google::INTERACTIONS,
            Self::Bedrock => amazon::CONVERSE,
            Self::Ollama => ollama::CHAT,
        }
    }

    /// A payload as it comes over the network.
    fn frame(self, (kind, payload): &Payload) -> Vec<u8> {
        match self {
            Self::Bedrock => frames::event_stream(kind, payload),
            Self::Ollama => frames::json_line(payload),
            _ => frames::sse(kind, payload),
        }
    }
}

/// The kind, where the framing tells it, and the JSON.
type Payload = (&'static str, String);

/// How a wire says an answer.
struct Script {
    opening: fn() -> Vec<Payload>,
    /// What the answer consists of.
    sections: &'static [Section],
    /// What comes before the deltas of the part with this index.
    begin: fn(Section, usize) -> Vec<Payload>,
    /// A delta, which is given as a JSON string.
    delta: fn(Section, usize, &str) -> Payload,
    /// What comes after the deltas, which together were the last argument, a JSON string.
    end: fn(Section, usize, &str) -> Vec<Payload>,
    /// What ends the answer, whose parts were these JSON strings.
    last: fn(&[(Section, String)]) -> Vec<Payload>,
    /// The arguments of a call that comes whole at the end.
    whole_call: &'static str,
}

/// A part of an answer that comes in deltas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// Readable reasoning.
    Thinking,
    /// Text.
    Text,
    /// Arguments of a call.
    Call,
}

impl Section {
    /// Deltas, again and again. Those of arguments are inside a string of theirs.
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Thinking | Self::Text => &[
                "The",
                " list",
                " of",
                " \"open\"",
                " points",
                " has",
                " two",
                " doubles",
                ".",
                "\n\n",
                "Next",
            ],
            Self::Call => &[
                "@@",
                "\\n",
                " -",
                " one",
                "\\n",
                "-",
                " two",
                "\\n",
                "+ ",
                "three",
                " \\\"and\\\"",
                " four",
            ],
        }
    }

    /// What stands before and after the words.
    fn ends(self) -> [&'static str; 2] {
        match self {
            Self::Thinking | Self::Text => ["", ""],
            Self::Call => ["{\"patch\":\"", "\"}"],
        }
    }
}

/// A streamed answer.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// As they come over the network.
    pub(super) chunks: Vec<Vec<u8>>,
    /// The JSON in them.
    pub(super) payloads: Vec<Vec<u8>>,
    /// Bytes of all deltas of text, reasoning and arguments.
    pub(super) said: usize,
}

impl Turn {
    /// An answer of about `size` bytes that thinks, speaks and calls, a word at a time.
    pub(super) fn new(wire: Wire, size: usize) -> Self {
        let mut turn = Self::default();
        let sections = wire.script().sections;
        turn.said = write(wire, sections, size, 1, &mut |payload| {
            turn.chunks.push(wire.frame(&payload));
            // The end of the stream on some wires, which is no JSON.
            if payload.1 != DONE {
                turn.payloads.push(payload.1.into_bytes());
            }
        });
        turn
    }
}

/// Writes an answer of about `size` bytes that is all one part. Its deltas have a hundred bytes each, which is twenty times as
/// much as providers send: what is held beside the text is little then.
pub(super) fn long_turn(wire: Wire, section: Section, size: usize, on_chunk: &mut dyn FnMut(&[u8])) {
    const WORDS: usize = 25;
    // Responses say each text three times more: at its own end, and at that of its item and of the answer.
    let deltas = if wire == Wire::Responses { size / 2 } else { size };
    write(wire, &[section], deltas, WORDS, &mut |payload| on_chunk(&wire.frame(&payload)));
}

/// Writes an answer that thinks, speaks and calls in few chunks, so that most of its `size` bytes are what is said.
pub(super) fn short_answer(wire: Wire, size: usize, on_chunk: &mut dyn FnMut(&[u8])) {
    const WORDS: usize = 40;
    write(wire, wire.script().sections, size, WORDS, &mut |payload| on_chunk(&wire.frame(&payload)));
}

const DONE: &str = "[DONE]";

/// Writes an answer, and returns how many bytes its deltas have. Each has as many words.
fn write(
    wire: Wire,
    sections: &[Section],
    size: usize,
    words_each: usize,
    on_payload: &mut dyn FnMut(Payload),
) -> usize {
    let Script { opening, begin, delta, end, last, whole_call, .. } = wire.script();
    let (mut bytes, mut said) = (0, whole_call.len());
    let mut send = |payload: Payload| {
        bytes += wire.frame(&payload).len();
        on_payload(payload);
        bytes
    };
    for payload in opening() {
        send(payload);
    }
    let mut parts = Vec::new();
    for (at, &section) in sections.iter().enumerate() {
        for payload in begin(section, at) {
            send(payload);
        }
        let mut whole = String::new();
        let mut words = section.words().iter().copied().cycle();
        let [before, after] = section.ends();
        let mut next = before.to_owned();
        loop {
            next.extend(words.by_ref().take(words_each));
            whole += &next;
            let sent = send(delta(section, at, &quoted(&next)));
            next.clear();
            if sent >= (at + 1) * size / sections.len() {
                break;
            }
        }
        if !after.is_empty() {
            whole += after;
            send(delta(section, at, &quoted(after)));
        }
        said += whole.len();
        let whole = quoted(&whole);
        for payload in end(section, at, &whole) {
            send(payload);
        }
        parts.push((section, whole));
    }
    for payload in last(&parts) {
        send(payload);
    }
    said
}

/// A text as JSON has it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
