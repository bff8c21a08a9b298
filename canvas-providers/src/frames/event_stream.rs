//! Binary frames with checksums: `application/vnd.amazon.eventstream`.
//!
//! A frame consists of its total length, the length of its headers, a checksum of these eight bytes, the headers, the
//! payload, and a checksum of everything before it. Numbers are big-endian.

use super::frame::{Frame, FrameError, MAX_FRAME_BYTES, Sink};
use super::lines::grow;

const PRELUDE: usize = 12;
const CHECKSUM: usize = 4;
const MAX_HEADER_BYTES: usize = 128 << 10;

#[derive(Debug, Default)]
pub(crate) struct EventStream {
    /// A frame whose end has not arrived.
    frame: Vec<u8>,
}

impl EventStream {
    pub(super) fn feed(&mut self, mut bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), FrameError> {
        while !bytes.is_empty() {
            if self.frame.is_empty()
                && let Some(size) = size_of(bytes)?
                && bytes.len() >= size
            {
                let (frame, rest) = bytes.split_at(size);
                bytes = rest;
                if !hand_out(frame, sink)? {
                    return Ok(());
                }
                continue;
            }
            // For an incomplete frame, first collect its prelude, which tells how many bytes are missing.
            let wanted = size_of(&self.frame)?.unwrap_or(PRELUDE) - self.frame.len();
            let (part, rest) = bytes.split_at(wanted.min(bytes.len()));
            bytes = rest;
            grow(&mut self.frame, part)?;
            if size_of(&self.frame)? == Some(self.frame.len()) {
                let goes_on = hand_out(&self.frame, sink)?;
                self.frame.clear();
                if !goes_on {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    pub(super) fn finish(&mut self) -> Result<(), FrameError> {
        if self.frame.is_empty() { Ok(()) } else { Err(FrameError::Malformed) }
    }
}

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_be_bytes(bytes)).ok()
}

/// Returns the size of the frame that begins here, or `None` until its prelude is complete.
fn size_of(bytes: &[u8]) -> Result<Option<usize>, FrameError> {
    let (Some(size), Some(headers), Some(checksum)) = (number(bytes, 0), number(bytes, 4), number(bytes, 8))
    else {
        return Ok(None);
    };
    if crc32fast::hash(&bytes[..8]) as usize != checksum {
        return Err(FrameError::Checksum);
    }
    if size > MAX_FRAME_BYTES || headers > MAX_HEADER_BYTES {
        return Err(FrameError::TooLarge);
    }
    if size < PRELUDE + headers + CHECKSUM {
        return Err(FrameError::Malformed);
    }
    Ok(Some(size))
}

fn hand_out(frame: &[u8], sink: &mut Sink<'_>) -> Result<bool, FrameError> {
    let (body, checksum) = frame.split_at(frame.len() - CHECKSUM);
    if Some(crc32fast::hash(body) as usize) != number(checksum, 0) {
        return Err(FrameError::Checksum);
    }
    let headers = number(frame, 4).ok_or(FrameError::Malformed)?;
    let (headers, data) = body[PRELUDE..].split_at(headers);
    let headers = Headers::read(headers)?;
    let kind = match headers.message {
        "exception" => headers.exception,
        "error" => headers.code,
        _ => headers.event,
    };
    Ok(sink(Frame { kind, is_error: matches!(headers.message, "exception" | "error"), data }))
}

/// The headers that identify a frame; others are skipped.
#[derive(Default)]
struct Headers<'a> {
    message: &'a str,
    event: &'a str,
    exception: &'a str,
    code: &'a str,
}

impl<'a> Headers<'a> {
    fn read(mut bytes: &'a [u8]) -> Result<Self, FrameError> {
        let mut headers = Self::default();
        while let Some((&length, rest)) = bytes.split_first() {
            let (name, rest) = split(rest, usize::from(length))?;
            let (&kind, rest) = rest.split_first().ok_or(FrameError::Malformed)?;
            let (value, rest) = match kind {
                0 | 1 => split(rest, 0)?,
                2 => split(rest, 1)?,
                3 => split(rest, 2)?,
                4 => split(rest, 4)?,
                5 | 8 => split(rest, 8)?,
                9 => split(rest, 16)?,
                6 | 7 => {
                    let (length, rest) = split(rest, 2)?;
                    split(rest, usize::from(u16::from_be_bytes([length[0], length[1]])))?
                }
                _ => return Err(FrameError::Malformed),
            };
            bytes = rest;
            let slot = match name {
                b":message-type" => &mut headers.message,
                b":event-type" => &mut headers.event,
                b":exception-type" => &mut headers.exception,
                b":error-code" => &mut headers.code,
                _ => continue,
            };
            *slot = std::str::from_utf8(value).map_err(|_| FrameError::Malformed)?;
        }
        Ok(headers)
    }
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), FrameError> {
    bytes.split_at_checked(at).ok_or(FrameError::Malformed)
}
