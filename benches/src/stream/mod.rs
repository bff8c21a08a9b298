//! Reading a streamed answer, chunk by chunk, and what it holds meanwhile.
//!
//! The floor is `borrowed`: each payload read by serde into structs that borrow, that know only the fields which a reader of
//! text and calls needs, and that keep nothing. `borrowed, framed` finds the payload in its frame first. Ours gets the bytes as they come over the network, a chunk at a time, tells
//! each delta, and puts the answer together.

mod borrowed;
mod frames;
mod typed;
mod wires;

use canvas_providers::{AnswerContext, DecodeError, Event, Provider, StreamEvent};
use serde_json::Value;

use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::memory::peak;
use crate::report::Row;

pub use self::wires::{Section, Wire};
use self::wires::{Turn, long_turn, short_answer};

/// Reads one payload, and returns the bytes of text, reasoning and arguments in it.
type Reader = fn(&[u8]) -> Result<usize, serde_json::Error>;

/// Sizes that are in the table: some hundred and some thousand chunks.
pub(crate) const SIZES: [usize; 2] = [100_000, 1_000_000];

/// The model that answers.
pub(crate) const MODEL: &str = "model";

/// Measures one wire on a stream of about `size` bytes.
pub fn rows(work: &'static str, wire: Wire, size: usize, effort: Effort) -> Vec<Row> {
    if !SIZES.contains(&size) {
        return Vec::new();
    }
    let turn = Turn::new(wire, size);
    let bytes = turn.chunks.concat();
    let is_right = |said: &usize| *said == turn.said;
    let read = borrowed::reader(wire);
    let framed = |chunk: &Vec<u8>| match frames::payload(wire, chunk) {
        Some(payload) if payload != b"[DONE]" => read(payload),
        _ => Ok(0),
    };
    let mut subjects = vec![
        Subject::memcpy(&bytes),
        Subject::new("borrowed", || turn.payloads.iter().map(|payload| read(payload)).sum(), is_right),
        Subject::new("borrowed, framed", || turn.chunks.iter().map(framed).sum(), is_right),
        Subject::new("canvas", || canvas(wire.provider(), &turn.chunks), is_right),
        Subject::new(
            "serde_json::Value",
            || fine(values(&turn.payloads)),
            |read| *read == turn.payloads.len(),
        ),
    ];
    if let Some(read) = typed::reader(wire) {
        let payloads = &turn.payloads;
        let typed = move || payloads.iter().map(|payload| read(payload)).sum();
        subjects.push(Subject::new("async-openai", typed, is_right));
    }
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// Bytes of text, reasoning and arguments that ours tells.
fn canvas(provider: Provider, chunks: &[Vec<u8>]) -> Result<usize, DecodeError> {
    let mut stream = provider.stream(AnswerContext::new(provider.issuer(MODEL)));
    let mut said = 0;
    for chunk in chunks {
        stream.feed(chunk, &mut |event| {
            if let StreamEvent::Text { delta, .. }
            | StreamEvent::Thinking { delta, .. }
            | StreamEvent::Arguments { delta, .. } = event
            {
                said += delta.len();
            }
        });
    }
    stream.finish().failure.map_or(Ok(said), Err)
}

fn values(payloads: &[Vec<u8>]) -> usize {
    payloads.iter().filter(|payload| serde_json::from_slice::<Value>(payload).is_ok()).count()
}

/// The parts of an answer that came in about `size` bytes.
///
/// # Panics
///
/// Where the answer does not come whole: a defect.
pub(crate) fn answer(wire: Wire, size: usize) -> Vec<Event> {
    let provider = wire.provider();
    let mut stream = provider.stream(AnswerContext::new(provider.issuer(MODEL)));
    short_answer(wire, size, &mut |chunk| stream.feed(chunk, &mut |_| {}));
    let decoded = stream.finish();
    assert_eq!(decoded.failure, None, "{wire:?}");
    decoded.events
}

/// Bytes that are held at once while an answer of one part comes in long chunks, so that nearly all of its `size` bytes are
/// text or arguments, and with the answer. The stream itself is left out: each chunk may be dropped when it has been read.
///
/// # Panics
///
/// Where the answer does not come whole: a defect.
pub fn held(wire: Wire, section: Section, size: usize) -> usize {
    let provider = wire.provider();
    let mut chunks = Vec::new();
    long_turn(wire, section, size, &mut |chunk| chunks.push(chunk.to_vec()));
    let bytes: usize = chunks.iter().map(Vec::len).sum();
    assert!(bytes.abs_diff(size) < size / 10, "{wire:?} has {bytes} bytes");
    peak(|| {
        let mut stream = provider.stream(AnswerContext::new(provider.issuer(MODEL)));
        chunks.iter().for_each(|chunk| stream.feed(chunk, &mut |_| {}));
        let decoded = stream.finish();
        assert_eq!(decoded.failure, None, "{wire:?}");
        decoded
    })
}
