//! Frames of a streamed answer, whatever way its bytes were cut.

mod array;
mod event_stream;
mod lines;
mod sse;

use self::array::Array;
use self::event_stream::EventStream;
use self::lines::JsonLines;
use self::sse::Sse;

/// Maximum bytes of one frame.
pub const MAX_FRAME_BYTES: usize = 16 << 20;

/// How the frames of a stream are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value on each line.
    JsonLines,
    /// The items of one JSON array.
    JsonArray,
    /// Binary frames with two checksums each (`application/vnd.amazon.eventstream`).
    EventStream,
}

/// One frame of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// The kind, where the framing tells it; empty otherwise.
    pub(crate) kind: &'a str,
    /// Whether the framing itself says that this is an error.
    pub(crate) is_error: bool,
    /// The payload, mostly JSON.
    pub(crate) data: &'a [u8],
}

/// Bytes that are no frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// A frame is over [`MAX_FRAME_BYTES`].
    TooLarge,
    /// A checksum differs.
    Checksum,
    /// Not the framing that it should be.
    Malformed,
}

/// Cuts bytes into frames. What is not yet a whole frame is kept, and nothing else.
#[derive(Debug)]
pub(crate) enum Frames {
    Sse(Sse),
    JsonLines(JsonLines),
    JsonArray(Array),
    EventStream(EventStream),
}

/// What is done with each frame; false ends the stream.
pub(crate) type Sink<'s> = dyn FnMut(Frame<'_>) -> bool + 's;

impl Frames {
    pub(crate) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Sse => Self::Sse(Sse::default()),
            Framing::JsonLines => Self::JsonLines(JsonLines::default()),
            Framing::JsonArray => Self::JsonArray(Array::default()),
            Framing::EventStream => Self::EventStream(EventStream::default()),
        }
    }

    /// Takes the next bytes and hands out the frames that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), FrameError> {
        match self {
            Self::Sse(frames) => frames.feed(bytes, sink),
            Self::JsonLines(frames) => frames.feed(bytes, sink),
            Self::JsonArray(frames) => frames.feed(bytes, sink),
            Self::EventStream(frames) => frames.feed(bytes, sink),
        }
    }

    /// Hands out a last frame whose end is the end of the stream. An error where the stream ends inside a frame that tells
    /// its own end.
    pub(crate) fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), FrameError> {
        match self {
            Self::Sse(frames) => frames.finish(sink),
            Self::JsonLines(frames) => frames.finish(sink),
            Self::JsonArray(frames) => frames.finish(),
            Self::EventStream(frames) => frames.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
