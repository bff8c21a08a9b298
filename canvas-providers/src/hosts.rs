//! Hosts of Chat Completions, and the differences between them.

use crate::decoded::StopReason;

/// A host of Chat Completions, described by the points in which hosts differ. In everything else, they behave alike.
///
/// If your host is not in [`ALL`](Self::ALL), create a value for it and set it as
/// [`RequestOptions::chat_host`](crate::RequestOptions::chat_host).
///
/// ```
/// use canvas_providers::{ChatHost, MessageFields};
///
/// let deepseek = ChatHost::of("api.deepseek.com");
/// assert_eq!(deepseek.required_reasoning, Some("reasoning_content"));
/// let proxy = ChatHost { hosts: &["llm.example.com"], ..*deepseek };
/// assert_eq!(proxy.message_fields, MessageFields::Only(&["reasoning_content"]));
/// assert_eq!(ChatHost::of("llm.example.com").required_reasoning, None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChatHost {
    /// The host's names, as in [`Issuer::host`](crate::Issuer::host). A subdomain counts as the host.
    pub hosts: &'static [&'static str],
    /// The fields that an assistant message sends back in addition to `content`, `refusal` and `tool_calls`.
    pub message_fields: MessageFields,
    /// The reasoning field that the host requires in each assistant message between two user messages, or after the
    /// last one, if the model made calls there. It is sent empty if there is no reasoning.
    pub required_reasoning: Option<&'static str>,
    /// Whether reasoning arrives, and is sent back, as chunks in a list of contents.
    pub thinking_chunks: bool,
    /// The host's finish words in addition to OpenAI's.
    pub finish_words: &'static [(&'static str, StopReason)],
    /// The field that limits the tokens of the answer.
    pub max_tokens: MaxTokensField,
    /// Whether tools can be declared as strict.
    pub strict: bool,
    /// Whether the host understands `parallel_tool_calls`.
    pub parallel_calls: bool,
    /// Whether tools can take free text in a grammar.
    pub custom_tools: bool,
    /// Whether an image may follow the result of a call.
    pub images: bool,
    /// Whether a system message may appear anywhere in a request.
    pub system_anywhere: bool,
    /// The call ids that the host accepts.
    pub call_ids: CallIdRule,
}

/// The fields of an assistant message and its calls that go back to the host that sent them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageFields {
    /// Only these fields, unchanged.
    Only(&'static [&'static str]),
    /// All fields, unchanged, except those that no request accepts.
    AsCame,
}

impl MessageFields {
    /// Whether this field is sent back.
    pub fn contains(self, field: &str) -> bool {
        match self {
            Self::Only(fields) => fields.contains(&field),
            Self::AsCame => !NEVER_SENT.contains(&field),
        }
    }
}

/// Fields of an answer that no request accepts unchanged.
pub(crate) const NEVER_SENT: &[&str] = &["annotations", "audio", "index"];

/// The name of the field that limits the tokens of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MaxTokensField {
    /// `max_tokens`, which newer OpenAI models refuse.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

/// The ids that a host accepts for calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallIdRule {
    /// At most this many characters.
    UpTo(usize),
    /// Exactly nine letters and digits.
    Nine,
}

/// The host to assume if the name is unknown. It gets back the fields that it sent.
const UNKNOWN: ChatHost = ChatHost {
    hosts: &[],
    message_fields: MessageFields::AsCame,
    required_reasoning: None,
    thinking_chunks: true,
    finish_words: &[
        ("model_length", StopReason::ContextFull),
        ("model_context_window_exceeded", StopReason::ContextFull),
        ("max_tokens", StopReason::Length),
        ("insufficient_system_resource", StopReason::Length),
        ("network_error", StopReason::Length),
        ("sensitive", StopReason::Refusal),
        ("eos", StopReason::End),
        ("eos_token", StopReason::End),
        ("tool_call", StopReason::ToolUse),
        ("tool_use", StopReason::ToolUse),
    ],
    max_tokens: MaxTokensField::MaxTokens,
    strict: false,
    parallel_calls: true,
    custom_tools: false,
    images: true,
    system_anywhere: false,
    call_ids: CallIdRule::UpTo(usize::MAX),
};

const OPENAI: ChatHost = ChatHost {
    hosts: &["api.openai.com", "openai.azure.com"],
    // It does not seal parts, and it refuses unknown fields.
    message_fields: MessageFields::Only(&[]),
    thinking_chunks: false,
    finish_words: &[],
    max_tokens: MaxTokensField::MaxCompletionTokens,
    strict: true,
    custom_tools: true,
    system_anywhere: true,
    call_ids: CallIdRule::UpTo(40),
    ..UNKNOWN
};

const DEEPSEEK: ChatHost = ChatHost {
    hosts: &["api.deepseek.com"],
    message_fields: MessageFields::Only(&["reasoning_content"]),
    required_reasoning: Some("reasoning_content"),
    thinking_chunks: false,
    finish_words: &[("insufficient_system_resource", StopReason::Length)],
    parallel_calls: false,
    images: false,
    ..UNKNOWN
};

const GLM: ChatHost = ChatHost {
    hosts: &["open.bigmodel.cn", "api.z.ai"],
    message_fields: MessageFields::Only(&["reasoning_content"]),
    thinking_chunks: false,
    finish_words: &[
        ("sensitive", StopReason::Refusal),
        ("network_error", StopReason::Length),
        ("model_context_window_exceeded", StopReason::ContextFull),
    ],
    parallel_calls: false,
    ..UNKNOWN
};

const KIMI: ChatHost = ChatHost {
    hosts: &["api.moonshot.ai", "api.moonshot.cn"],
    message_fields: MessageFields::Only(&["reasoning_content"]),
    required_reasoning: Some("reasoning_content"),
    thinking_chunks: false,
    finish_words: &[],
    parallel_calls: false,
    ..UNKNOWN
};

/// Images are not sent, because an image would have to follow a result in a user message, and this host refuses user
/// messages there.
const MISTRAL: ChatHost = ChatHost {
    hosts: &["api.mistral.ai"],
    message_fields: MessageFields::Only(&[]),
    thinking_chunks: true,
    finish_words: &[("model_length", StopReason::ContextFull)],
    strict: true,
    images: false,
    call_ids: CallIdRule::Nine,
    ..UNKNOWN
};

const OPENROUTER: ChatHost = ChatHost {
    hosts: &["openrouter.ai"],
    message_fields: MessageFields::Only(&["reasoning", "reasoning_details", "annotations"]),
    thinking_chunks: false,
    finish_words: &[],
    strict: true,
    ..UNKNOWN
};

const MINIMAX: ChatHost = ChatHost {
    hosts: &["api.minimax.io", "api.minimaxi.com", "api.minimax.chat"],
    message_fields: MessageFields::Only(&["reasoning_content", "reasoning_details"]),
    thinking_chunks: false,
    finish_words: &[],
    parallel_calls: false,
    images: false,
    ..UNKNOWN
};

const TOGETHER: ChatHost = ChatHost {
    hosts: &["api.together.xyz", "api.together.ai"],
    message_fields: MessageFields::Only(&["reasoning", "reasoning_content"]),
    thinking_chunks: false,
    finish_words: &[("eos", StopReason::End)],
    parallel_calls: false,
    ..UNKNOWN
};

const OLLAMA: ChatHost = ChatHost {
    hosts: &["localhost:11434", "127.0.0.1:11434", "ollama.com"],
    message_fields: MessageFields::Only(&["reasoning", "reasoning_content"]),
    thinking_chunks: false,
    finish_words: &[],
    parallel_calls: false,
    ..UNKNOWN
};

impl ChatHost {
    /// All known hosts.
    pub const ALL: &[Self] = &[OPENAI, DEEPSEEK, GLM, KIMI, MISTRAL, OPENROUTER, MINIMAX, TOGETHER, OLLAMA];

    /// Returns the host of this name, or one without assumptions if the name is unknown.
    pub fn of(host: &str) -> &'static Self {
        Self::ALL.iter().find(|known| known.is_called(host)).unwrap_or(&UNKNOWN)
    }

    fn is_called(&self, host: &str) -> bool {
        self.hosts.iter().any(|name| {
            host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        })
    }

    /// Maps a finish word to a stop reason; the host's own words take precedence.
    pub(crate) fn stop_reason(&self, raw: Option<&str>) -> StopReason {
        let Some(raw) = raw else { return StopReason::Other };
        let own = self.finish_words.iter().find(|(word, _)| *word == raw);
        own.map_or_else(|| common_stop_reason(raw), |(_, reason)| *reason)
    }
}

fn common_stop_reason(raw: &str) -> StopReason {
    match raw {
        "stop" => StopReason::End,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::Length,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Other,
    }
}
