//! Streamed answers, read as the bytes come.

use crate::decoded::{DecodeError, Decoded};
use crate::frames::{Frame, FrameError, Frames, Framing, MAX_FRAME_BYTES};
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};

/// Maximum bytes of one streamed answer.
pub const MAX_STREAM_BYTES: usize = 256 << 20;

/// Reads one streamed answer, however its bytes are cut.
///
/// Memory is what the answer takes, and at most one frame more. Time is linear in the bytes: arguments are parsed once, at
/// the end.
#[derive(Debug)]
pub struct StreamDecoder {
    frames: Frames,
    codec: Box<dyn Codec>,
    /// Frames that came whole.
    count: usize,
    bytes: usize,
    state: State,
    /// The first thing for which the answer is not whole though it was read on.
    failure: Option<DecodeError>,
}

#[derive(Debug)]
enum State {
    Open,
    /// The answer is whole; what follows is not looked at.
    Over,
    Failed(DecodeError),
}

impl StreamDecoder {
    pub(crate) fn new(codec: Box<dyn Codec>, framing: Framing) -> Self {
        Self { frames: Frames::new(framing), codec, count: 0, bytes: 0, state: State::Open, failure: None }
    }

    /// Takes the next bytes and tells what they bring. After a failure, or after the end of the answer, bytes are dropped.
    pub fn feed(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(StreamEvent<'_>)) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if matches!(self.state, State::Open) && self.bytes > MAX_STREAM_BYTES {
            let place = String::new();
            self.state =
                State::Failed(DecodeError::TooLarge { place, limit: MAX_STREAM_BYTES, unit: "bytes" });
        }
        self.run(on_event, |frames, sink| frames.feed(bytes, sink));
    }

    /// Whether no byte that is still to come changes the answer.
    pub fn is_over(&self) -> bool {
        !matches!(self.state, State::Open)
    }

    /// The answer. One that is not whole has a [`failure`](Decoded::failure), and what came of it.
    pub fn finish(mut self) -> Decoded {
        let is_open = matches!(self.state, State::Open);
        self.run(&mut |_| {}, Frames::finish);
        if is_open && matches!(self.state, State::Failed(DecodeError::Broken { .. })) {
            // A frame without its end: the answer is cut, unless it had ended before.
            self.state = State::Open;
        }
        let is_over = matches!(self.state, State::Over);
        // A long answer is not to lie beside its last frame.
        drop(self.frames);
        let mut decoded = self.codec.finish();
        decoded.failure = match self.state {
            _ if self.failure.is_some() => self.failure,
            State::Failed(failure) => Some(failure),
            State::Open | State::Over if is_over || decoded.raw_stop_reason.is_some() => None,
            State::Open | State::Over => Some(DecodeError::Cut { frames: self.count }),
        };
        decoded
    }

    fn run(
        &mut self,
        on_event: &mut OnEvent<'_>,
        step: impl FnOnce(&mut Frames, &mut crate::frames::Sink<'_>) -> Result<(), FrameError>,
    ) {
        let Self { frames, codec, count, state, failure, .. } = self;
        if !matches!(state, State::Open) {
            return;
        }
        let mut sink = |frame: Frame<'_>| {
            match codec.frame(frame, on_event) {
                Ok(Taken::More) => {}
                Ok(Taken::Last) => *state = State::Over,
                Ok(Taken::Failed(error)) => {
                    failure.get_or_insert_with(|| error.inside(&format!("/{count}")));
                }
                Err(error) => *state = State::Failed(error.inside(&format!("/{count}"))),
            }
            *count += 1;
            matches!(state, State::Open)
        };
        if let Err(error) = step(frames, &mut sink) {
            *state = State::Failed(broken(error, *count));
        }
    }
}

fn broken(error: FrameError, frames: usize) -> DecodeError {
    match error {
        FrameError::TooLarge => {
            DecodeError::TooLarge { place: format!("/{frames}"), limit: MAX_FRAME_BYTES, unit: "bytes" }
        }
        FrameError::Checksum => DecodeError::Broken { frames, reason: "a checksum differs" },
        FrameError::Malformed => DecodeError::Broken { frames, reason: "the next frame is malformed" },
    }
}
