//! The pieces of a streamed answer, as they arrive.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::frames::Frame;

/// A piece of a streamed answer, for hosts that show the answer while it arrives.
///
/// Parts are numbered from 0 in the order in which they begin. Do not run a call before the end of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamEvent<'a> {
    /// More text.
    Text {
        /// Number of the part.
        part: usize,
        /// Text to append to the part.
        delta: &'a str,
    },
    /// More readable reasoning.
    Thinking {
        /// Number of the part.
        part: usize,
        /// Reasoning to append to the part.
        delta: &'a str,
    },
    /// A call begins.
    Call {
        /// Number of the part.
        part: usize,
        /// The provider's id of the call; may be empty.
        id: &'a str,
        /// The tool's own name, not the one on the wire.
        name: &'a str,
    },
    /// More of a call's arguments: JSON, or plain text if the tool takes free text.
    Arguments {
        /// Number of the part.
        part: usize,
        /// Text to append to the arguments.
        delta: &'a str,
    },
    /// A part that only its provider understands, or an event that this crate does not know.
    Unknown {
        /// The provider's name for the kind of part or event.
        kind: &'a str,
    },
}

/// Called with each event of a stream.
pub(crate) type OnEvent<'s> = dyn FnMut(StreamEvent<'_>) + 's;

/// The provider-specific part of a [`StreamDecoder`](crate::StreamDecoder). The supertraits give the decoder its auto
/// traits.
pub(crate) trait Codec: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    fn new(context: AnswerContext) -> Self
    where
        Self: Sized;

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError>;

    fn finish(self: Box<Self>) -> Decoded;
}

/// The effect of a frame on the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    More,
    /// The last frame of the answer.
    Last,
    /// The frame makes the answer incomplete, but later frames are still read.
    Failed(DecodeError),
}
