//! Recognises provider errors that mean that a request does not fit into the model's context.

use crate::decoded::DecodeError;

/// Error names with this meaning.
const KINDS: &[&str] = &[
    "context_length_exceeded",
    "context_window_exceeded",
    "model_context_window_exceeded",
    "exceed_context_size_error",
    "request_too_large",
];

/// Message fragments, in lower case, for errors whose name says only that the request is bad.
const WORDS: &[&str] = &[
    // Anthropic
    "prompt is too long",
    "exceed context limit",
    // OpenAI and the hosts that speak its dialects
    "maximum context length",
    "context_length_exceeded",
    "exceeds the context window",
    "maximum prompt length",
    // Gemini
    "exceeds the maximum number of tokens",
    // Bedrock
    "input is too long",
    "too many input tokens",
    // llama.cpp and Ollama
    "available context size",
    "exceeds the context length",
];

pub(super) fn is_overflow(error: &DecodeError) -> bool {
    let DecodeError::Provider { kind, message, .. } = error else { return false };
    let message = message.to_lowercase();
    KINDS.contains(&kind.as_str()) || WORDS.iter().any(|words| message.contains(words))
}
