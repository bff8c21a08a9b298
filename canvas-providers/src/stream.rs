//! Streamed answers, decoded as their bytes arrive.

use crate::decoded::{DecodeError, Decoded};
use crate::frames::{Frame, FrameError, Frames, Framing, MAX_FRAME_BYTES};
use crate::stream_event::{Codec, OnEvent, StreamEvent, Taken};

/// Maximum size of one streamed answer, in bytes (256 MiB).
pub const MAX_STREAM_BYTES: usize = 256 << 20;

/// Decodes one streamed answer, however its bytes are split.
///
/// It holds the answer so far and at most one unfinished frame in memory. Time is linear in the number of bytes,
/// because arguments are parsed once, at the end.
#[derive(Debug)]
pub struct StreamDecoder {
    frames: Frames,
    codec: Box<dyn Codec>,
    /// Complete frames so far.
    count: usize,
    bytes: usize,
    state: State,
    /// The first error that made the answer incomplete without ending the stream.
    failure: Option<DecodeError>,
}

#[derive(Debug)]
enum State {
    Open,
    /// The answer is complete; later bytes are ignored.
    Over,
    Failed(DecodeError),
}

impl StreamDecoder {
    pub(crate) fn new(codec: Box<dyn Codec>, framing: Framing) -> Self {
        Self { frames: Frames::new(framing), codec, count: 0, bytes: 0, state: State::Open, failure: None }
    }

    /// Takes the next bytes and passes the resulting events to `on_event`. After a failure, or after the end of the
    /// answer, bytes are ignored.
    pub fn feed(&mut self, bytes: &[u8], on_event: &mut dyn FnMut(StreamEvent<'_>)) {
        self.bytes = self.bytes.saturating_add(bytes.len());
        if matches!(self.state, State::Open) && self.bytes > MAX_STREAM_BYTES {
            let place = String::new();
            self.state =
                State::Failed(DecodeError::TooLarge { place, limit: MAX_STREAM_BYTES, unit: "bytes" });
        }
        self.run(on_event, |frames, sink| frames.feed(bytes, sink));
    }

    /// Whether the answer is decided, so that further bytes cannot change it.
    pub fn is_over(&self) -> bool {
        !matches!(self.state, State::Open)
    }

    /// Returns the answer. If it is incomplete, it has a [`failure`](Decoded::failure) and the parts that arrived.
    pub fn finish(mut self) -> Decoded {
        let is_open = matches!(self.state, State::Open);
        self.run(&mut |_| {}, Frames::finish);
        if is_open && matches!(self.state, State::Failed(DecodeError::Broken { .. })) {
            // A frame lacks its end, so the answer is cut off unless it had already ended.
            self.state = State::Open;
        }
        let is_over = matches!(self.state, State::Over);
        // Frees the last frame before a long answer is built.
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
