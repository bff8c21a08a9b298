//! The peer: async-openai's types, which own what they read. They know OpenAI's two endpoints, and no field of reasoning.

use super::{Reader, Wire};
use async_openai::types::chat::CreateChatCompletionStreamResponse;
use async_openai::types::responses::ResponseStreamEvent;

/// `None` for wires that it does not know.
pub(super) fn reader(wire: Wire) -> Option<Reader> {
    match wire {
        Wire::Chat => Some(|payload| Ok(chat(&serde_json::from_slice(payload)?))),
        Wire::Responses => Some(|payload| Ok(responses(&serde_json::from_slice(payload)?))),
        _ => None,
    }
}

fn chat(chunk: &CreateChatCompletionStreamResponse) -> usize {
    let deltas = chunk.choices.iter().map(|choice| &choice.delta);
    deltas
        .map(|delta| {
            let calls = delta.tool_calls.iter().flatten().filter_map(|call| call.function.as_ref());
            let arguments: usize = calls.filter_map(|call| call.arguments.as_ref()).map(String::len).sum();
            delta.content.as_ref().map_or(0, String::len) + arguments
        })
        .sum()
}

fn responses(event: &ResponseStreamEvent) -> usize {
    match event {
        ResponseStreamEvent::ResponseOutputTextDelta(event) => event.delta.len(),
        ResponseStreamEvent::ResponseReasoningSummaryTextDelta(event) => event.delta.len(),
        ResponseStreamEvent::ResponseFunctionCallArgumentsDelta(event) => event.delta.len(),
        _ => 0,
    }
}
