//! Streams written from their frames.

use canvas_providers::Framing;
use serde_json::Value;

/// The bytes of a stream with these frames. For binary frames, each is an object with its kind as the key.
pub(crate) fn stream(framing: Framing, frames: &[Value]) -> Vec<u8> {
    let text = |frame: &Value| frame.to_string();
    match framing {
        Framing::Sse => {
            frames.iter().map(|frame| format!("data: {frame}\n\n")).collect::<String>().into_bytes()
        }
        Framing::JsonLines => {
            frames.iter().map(|frame| format!("{frame}\n")).collect::<String>().into_bytes()
        }
        Framing::JsonArray => {
            format!("[{}]", frames.iter().map(text).collect::<Vec<_>>().join("\n,\r\n")).into_bytes()
        }
        Framing::EventStream => frames
            .iter()
            .flat_map(|frame| {
                let (kind, payload) =
                    frame.as_object().and_then(|frame| frame.iter().next()).expect("a kind");
                binary(kind, payload.to_string().as_bytes())
            })
            .collect(),
        _ => unreachable!("no other framing is tried"),
    }
}

/// A binary frame; its headers are strings.
pub(crate) fn binary(kind: &str, payload: &[u8]) -> Vec<u8> {
    let headers = match kind.ends_with("Exception") {
        true => [(":message-type", "exception"), (":exception-type", kind)],
        false => [(":message-type", "event"), (":event-type", kind)],
    };
    let mut block = Vec::new();
    for (name, value) in headers {
        block.push(u8::try_from(name.len()).expect("short"));
        block.extend(name.as_bytes());
        block.push(7);
        block.extend(u16::try_from(value.len()).expect("short").to_be_bytes());
        block.extend(value.as_bytes());
    }
    let size = |bytes: usize| u32::try_from(bytes).expect("small").to_be_bytes();
    let mut bytes = [size(16 + block.len() + payload.len()), size(block.len())].concat();
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes.extend(block);
    bytes.extend(payload);
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes
}
