//! Payloads in the framing of their wire.

use memchr::memchr;

use super::Wire;

/// The payload of a chunk that is one frame, as quickly as its framing can be read: the last line of a server-sent event, or
/// what is in a binary frame, whose checksums hold.
pub(super) fn payload(wire: Wire, mut chunk: &[u8]) -> Option<&[u8]> {
    match wire {
        Wire::Ollama => chunk.strip_suffix(b"\n"),
        Wire::Bedrock => {
            let number = |at: usize| Some(u32::from_be_bytes(chunk.get(at..at + 4)?.try_into().ok()?));
            let body = chunk.len().checked_sub(CHECKSUM)?;
            let is_whole = number(8)? == crc32fast::hash(&chunk[..8])
                && number(body)? == crc32fast::hash(&chunk[..body]);
            chunk.get(PRELUDE + number(4)? as usize..body).filter(|_| is_whole)
        }
        _ => loop {
            let (line, rest) = chunk.split_at(memchr(b'\n', chunk)?);
            if let Some(payload) = line.strip_prefix(b"data: ") {
                return Some(payload);
            }
            chunk = &rest[1..];
        },
    }
}

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;

/// A server-sent event; without a kind where it is empty.
pub(super) fn sse(kind: &str, data: &str) -> Vec<u8> {
    let event = if kind.is_empty() { String::new() } else { format!("event: {kind}\n") };
    format!("{event}data: {data}\n\n").into_bytes()
}

pub(super) fn json_line(data: &str) -> Vec<u8> {
    format!("{data}\n").into_bytes()
}

/// A binary frame of Amazon's event streams.
pub(super) fn event_stream(kind: &str, data: &str) -> Vec<u8> {
    let mut headers = Vec::new();
    for (name, value) in
        [(":event-type", kind), (":content-type", "application/json"), (":message-type", "event")]
    {
        headers.push(u8::try_from(name.len()).expect("short"));
        headers.extend_from_slice(name.as_bytes());
        headers.push(7);
        headers.extend_from_slice(&u16::try_from(value.len()).expect("short").to_be_bytes());
        headers.extend_from_slice(value.as_bytes());
    }
    let number = |length: usize| u32::try_from(length).expect("short").to_be_bytes();
    let mut frame = Vec::new();
    frame.extend_from_slice(&number(PRELUDE + headers.len() + data.len() + CHECKSUM));
    frame.extend_from_slice(&number(headers.len()));
    let checksum = crc32fast::hash(&frame).to_be_bytes();
    frame.extend_from_slice(&checksum);
    frame.extend_from_slice(&headers);
    frame.extend_from_slice(data.as_bytes());
    let checksum = crc32fast::hash(&frame).to_be_bytes();
    frame.extend_from_slice(&checksum);
    frame
}
