//! Frames of a streamed answer, however its bytes are split.

mod array;
#[cfg(feature = "bedrock")]
mod event_stream;
mod frame;
mod lines;
mod sse;

use self::array::Array;
#[cfg(feature = "bedrock")]
use self::event_stream::EventStream;
pub use self::frame::MAX_FRAME_BYTES;
pub(crate) use self::frame::{Frame, FrameError, Sink};
use self::lines::JsonLines;
use self::sse::Sse;

/// The format that separates the frames of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Framing {
    /// Server-sent events.
    Sse,
    /// One JSON value on each line.
    JsonLines,
    /// The items of one JSON array that spans the whole stream.
    JsonArray,
    /// Binary frames with two checksums each (`application/vnd.amazon.eventstream`); requires the feature `bedrock`.
    #[cfg(feature = "bedrock")]
    EventStream,
}

/// Splits bytes into frames. Only an incomplete frame is kept.
#[derive(Debug)]
pub(crate) enum Frames {
    Sse(Sse),
    JsonLines(JsonLines),
    JsonArray(Array),
    #[cfg(feature = "bedrock")]
    EventStream(EventStream),
}

impl Frames {
    pub(crate) fn new(framing: Framing) -> Self {
        match framing {
            Framing::Sse => Self::Sse(Sse::default()),
            Framing::JsonLines => Self::JsonLines(JsonLines::default()),
            Framing::JsonArray => Self::JsonArray(Array::default()),
            #[cfg(feature = "bedrock")]
            Framing::EventStream => Self::EventStream(EventStream::default()),
        }
    }

    /// Takes the next bytes and passes on the frames that they complete.
    pub(crate) fn feed(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), FrameError> {
        match self {
            Self::Sse(frames) => frames.feed(bytes, sink),
            Self::JsonLines(frames) => frames.feed(bytes, sink),
            Self::JsonArray(frames) => frames.feed(bytes, sink),
            #[cfg(feature = "bedrock")]
            Self::EventStream(frames) => frames.feed(bytes, sink),
        }
    }

    /// Passes on a last frame that ends with the stream. Returns an error if the stream ends inside a frame that marks
    /// its own end.
    pub(crate) fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), FrameError> {
        match self {
            Self::Sse(frames) => frames.finish(sink),
            Self::JsonLines(frames) => frames.finish(sink),
            Self::JsonArray(frames) => frames.finish(),
            #[cfg(feature = "bedrock")]
            Self::EventStream(frames) => frames.finish(),
        }
    }
}

#[cfg(test)]
mod tests;
