//! Frames, as every framing passes them on.

/// Maximum size of one frame, in bytes (16 MiB).
pub const MAX_FRAME_BYTES: usize = 16 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    /// The kind, if the framing states it; otherwise empty.
    pub(crate) kind: &'a str,
    /// Whether the framing itself marks this frame as an error.
    pub(crate) is_error: bool,
    /// The payload, usually JSON.
    pub(crate) data: &'a [u8],
}

/// Error returned when bytes cannot be split into frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// A frame exceeds [`MAX_FRAME_BYTES`].
    TooLarge,
    /// A checksum does not match.
    Checksum,
    /// The bytes are not in the expected framing.
    Malformed,
}

/// Called with each frame. Returns `false` to end the stream.
pub(crate) type Sink<'s> = dyn FnMut(Frame<'_>) -> bool + 's;
