//! JSON values, one on each line.

use memchr::memchr;

use super::frame::{Frame, FrameError, MAX_FRAME_BYTES, Sink};

#[derive(Debug, Default)]
pub(crate) struct JsonLines {
    /// A line whose end has not arrived.
    line: Vec<u8>,
}

impl JsonLines {
    pub(super) fn feed(&mut self, mut bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), FrameError> {
        while let Some(end) = memchr(b'\n', bytes) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            let goes_on = if self.line.is_empty() {
                hand_out(line, sink)
            } else {
                grow(&mut self.line, line)?;
                let goes_on = hand_out(&self.line, sink);
                self.line.clear();
                goes_on
            };
            if !goes_on {
                return Ok(());
            }
        }
        grow(&mut self.line, bytes)
    }

    pub(super) fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), FrameError> {
        hand_out(&std::mem::take(&mut self.line), sink);
        Ok(())
    }
}

/// Passes on a line unless it is blank.
fn hand_out(line: &[u8], sink: &mut Sink<'_>) -> bool {
    let data = line.trim_ascii();
    data.is_empty() || sink(Frame { kind: "", is_error: false, data })
}

/// Appends to an incomplete frame.
pub(super) fn grow(frame: &mut Vec<u8>, bytes: &[u8]) -> Result<(), FrameError> {
    if frame.len() + bytes.len() > MAX_FRAME_BYTES {
        return Err(FrameError::TooLarge);
    }
    frame.extend_from_slice(bytes);
    Ok(())
}
