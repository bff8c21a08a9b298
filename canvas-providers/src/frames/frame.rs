//! What every framing hands out.

/// Maximum bytes of one frame.
pub const MAX_FRAME_BYTES: usize = 16 << 20;

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

/// What is done with each frame; false ends the stream.
pub(crate) type Sink<'s> = dyn FnMut(Frame<'_>) -> bool + 's;
