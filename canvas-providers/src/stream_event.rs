//! What a stream brings, piece by piece.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};

use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded};
use crate::frames::Frame;

/// What a piece of a stream brings, for who shows an answer while it comes. Parts count from 0 in the order in which they
/// begin; nothing of it may run before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEvent<'a> {
    /// More text.
    Text {
        /// The part.
        part: usize,
        /// What comes after the text so far.
        delta: &'a str,
    },
    /// More readable reasoning.
    Thinking {
        /// The part.
        part: usize,
        /// What comes after the reasoning so far.
        delta: &'a str,
    },
    /// A call begins.
    Call {
        /// The part.
        part: usize,
        /// The provider's id of the call; may be empty.
        id: &'a str,
        /// The tool's own name.
        name: &'a str,
    },
    /// More of a call's arguments: JSON, or plain text where the tool takes that.
    Arguments {
        /// The part.
        part: usize,
        /// What comes after the arguments so far.
        delta: &'a str,
    },
    /// A part that only its provider understands, or an event that this crate does not know.
    Unknown {
        /// The provider's name of its kind.
        kind: &'a str,
    },
}

/// What is done with each event of a stream.
pub(crate) type OnEvent<'s> = dyn FnMut(StreamEvent<'_>) + 's;

/// The part of a [`StreamDecoder`](crate::StreamDecoder) that knows a provider, with the auto traits that the decoder has.
pub(crate) trait Codec: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    fn new(context: AnswerContext) -> Self
    where
        Self: Sized;

    fn frame(&mut self, frame: Frame<'_>, on_event: &mut OnEvent<'_>) -> Result<Taken, DecodeError>;

    fn finish(self: Box<Self>) -> Decoded;
}

/// What a frame was to the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Taken {
    More,
    /// The last one.
    Last,
    /// The answer is not whole for it, but what follows is still read.
    Failed(DecodeError),
}
