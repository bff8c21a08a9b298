//! Locating the hunks of a patch while its call streams in, beside decoding the stream alone.

use canvas_providers::{AnswerContext, DecodeError, Provider, StreamEvent};
use canvas_tools::{HunkState, PatchPreview};
use serde_json::json;

use crate::inputs::Edited;
use crate::measure::{Effort, Subject, side_by_side};
use crate::report::Row;
use crate::stream::MODEL;

/// Bytes of arguments in a chunk, about four tokens.
const PIECE: usize = 16;

/// Measures a patch with a hunk for each 2,000 bytes of a document of `size` bytes. The preview reads the document first.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let hunks = size / 2_000;
    let Some(input) = Edited::new(size, hunks) else { return Vec::new() };
    let arguments = json!({"lease_id": "lease-1-0", "patch": input.bare_patch()}).to_string();
    let chunks = chunks(&arguments);
    let (before, length) = (input.before.as_str(), arguments.len());
    let subjects = [
        Subject::memcpy(before.as_bytes()),
        Subject::new("decoding", || decoded(&chunks, |_| {}), |read| *read == length),
        Subject::new("canvas", || previewed(before, &chunks), |located| *located == hunks),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// Returns the number of hunks that the preview locates.
fn previewed(text: &str, chunks: &[String]) -> Result<usize, DecodeError> {
    let mut preview = PatchPreview::of_arguments(text, "patch");
    let mut located = 0;
    decoded(chunks, |delta| {
        let events = preview.push(delta.as_bytes());
        located += events.iter().filter(|event| matches!(event.state, HunkState::Located { .. })).count();
    })?;
    Ok(located)
}

/// Returns the number of bytes of arguments in a stream of Chat Completions.
fn decoded(chunks: &[String], mut each: impl FnMut(&str)) -> Result<usize, DecodeError> {
    let provider = Provider::OpenAiChat;
    let mut stream = provider.stream(AnswerContext::new(provider.issuer(MODEL)));
    let mut length = 0;
    for chunk in chunks {
        stream.feed(chunk.as_bytes(), &mut |event| {
            if let StreamEvent::Arguments { delta, .. } = event {
                length += delta.len();
                each(delta);
            }
        });
    }
    stream.finish().failure.map_or(Ok(length), Err)
}

fn chunks(arguments: &str) -> Vec<String> {
    let payload = |delta: serde_json::Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "logprobs": null, "finish_reason": finish});
        let body = json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_762_959_990, "model": MODEL,
            "choices": [choice],
        });
        format!("data: {body}\n\n")
    };
    let call = |function: serde_json::Value| json!({"tool_calls": [{"index": 0, "function": function}]});
    let first = json!({"tool_calls": [{
        "index": 0, "id": "call_1", "type": "function", "function": {"name": "canvas_apply_patch", "arguments": ""},
    }]});
    let mut chunks = vec![payload(first, None)];
    let characters: Vec<char> = arguments.chars().collect();
    let pieces = characters.chunks(PIECE).map(|piece| piece.iter().collect::<String>());
    chunks.extend(pieces.map(|piece| payload(call(json!({"arguments": piece})), None)));
    chunks.push(payload(json!({}), Some("tool_calls")));
    chunks.push("data: [DONE]\n\n".to_owned());
    chunks
}
