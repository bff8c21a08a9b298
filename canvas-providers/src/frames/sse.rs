//! Server-sent events, as defined by the WHATWG standard.

use memchr::memchr2;

use super::frame::{Frame, FrameError, MAX_FRAME_BYTES, Sink};
use super::lines::grow;

/// Buffer capacity kept from one event to the next; a longer buffer is shrunk.
const KEPT_BYTES: usize = 64 << 10;

const BOM: &[u8] = b"\xef\xbb\xbf";

#[derive(Debug, Default)]
pub(crate) struct Sse {
    /// A line whose end did not arrive yet.
    line: Vec<u8>,
    /// Whether the last line ended in CR, so that a following LF belongs to that line end.
    after_cr: bool,
    /// Whether a line has been read. A byte order mark may precede the first line.
    begun: bool,
    event: Event,
}

/// An event whose blank line did not arrive yet.
#[derive(Debug, Default)]
struct Event {
    /// The last kind that a line named.
    kind: String,
    /// The line that named the kind, with its LF. If the next event has the same line, which is usual, the line is not
    /// parsed again. Empty if the line arrived in pieces or ended in CR.
    kind_line: Vec<u8>,
    /// Whether the kind belongs to the current event.
    has_kind: bool,
    data: Vec<u8>,
    has_data: bool,
}

impl Event {
    /// Passes on an event whose data was not copied, and begins the next.
    fn hand_out(&mut self, data: &[u8], sink: &mut Sink<'_>) -> bool {
        let kind = if std::mem::take(&mut self.has_kind) { &self.kind } else { "" };
        sink(Frame { kind, is_error: false, data })
    }
}

impl Sse {
    pub(super) fn feed(&mut self, mut bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), FrameError> {
        loop {
            if self.after_cr && !bytes.is_empty() {
                self.after_cr = false;
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            if self.line.is_empty()
                && !self.event.kind_line.is_empty()
                && let Some(rest) = bytes.strip_prefix(self.event.kind_line.as_slice())
            {
                self.event.has_kind = true;
                bytes = rest;
            }
            let Some(end) = memchr2(b'\n', b'\r', bytes) else { break };
            self.after_cr = bytes[end] == b'\r';
            let (line, with_end) = (&bytes[..end], &bytes[..=end]);
            bytes = &bytes[end + 1..];
            let goes_on = if let Some(data) = self.whole_data(line, bytes) {
                bytes = &bytes[1..];
                self.event.hand_out(data, sink)
            } else if self.line.is_empty() {
                let goes_on = take(&mut self.event, &mut self.begun, line, sink)?;
                if !self.after_cr && value_of(line, b"event").is_some() {
                    self.event.kind_line.extend_from_slice(with_end);
                }
                goes_on
            } else {
                grow(&mut self.line, line)?;
                self.take_line(sink)?
            };
            if !goes_on {
                return Ok(());
            }
        }
        grow(&mut self.line, bytes)
    }

    /// Returns the data of an event that this line completes, because a blank line follows. The data need not be
    /// copied.
    fn whole_data<'b>(&self, line: &'b [u8], rest: &[u8]) -> Option<&'b [u8]> {
        let is_last = self.begun && self.line.is_empty() && !self.event.has_data && !self.after_cr;
        let data = value_of(line, b"data").filter(|_| is_last && rest.first() == Some(&b'\n'))?;
        // Longer data is refused when it is copied.
        (data.len() <= MAX_FRAME_BYTES).then_some(data)
    }

    /// Takes a line that arrived in pieces. A long payload is not copied.
    fn take_line(&mut self, sink: &mut Sink<'_>) -> Result<bool, FrameError> {
        let value = value_of(&self.line, b"data").filter(|_| self.begun && !self.event.has_data);
        if let Some(value) = value {
            let head = self.line.len() - value.len();
            self.line.drain(..head);
            std::mem::swap(&mut self.line, &mut self.event.data);
            self.event.has_data = true;
            return Ok(true);
        }
        let goes_on = take(&mut self.event, &mut self.begun, &self.line, sink)?;
        self.line.clear();
        Ok(goes_on)
    }

    /// Passes on a last event that lacks its blank line. The standard drops such an event, but hosts leave that line
    /// out at the end.
    pub(super) fn finish(&mut self, sink: &mut Sink<'_>) -> Result<(), FrameError> {
        let line = std::mem::take(&mut self.line);
        if take(&mut self.event, &mut self.begun, &line, sink)? {
            take(&mut self.event, &mut self.begun, b"", sink)?;
        }
        Ok(())
    }
}

/// Takes one line. A blank line ends the event.
fn take(event: &mut Event, begun: &mut bool, line: &[u8], sink: &mut Sink<'_>) -> Result<bool, FrameError> {
    let line = if *begun { line } else { line.strip_prefix(BOM).unwrap_or(line) };
    *begun = true;
    if line.is_empty() {
        let data = std::mem::take(&mut event.data);
        let goes_on = !event.has_data || event.hand_out(&data, sink);
        event.has_kind = false;
        event.data = data;
        event.data.clear();
        event.data.shrink_to(KEPT_BYTES);
        event.has_data = false;
        return Ok(goes_on);
    }
    if let Some(value) = value_of(line, b"data") {
        if event.has_data {
            grow(&mut event.data, b"\n")?;
        }
        event.has_data = true;
        grow(&mut event.data, value)?;
    } else if let Some(value) = value_of(line, b"event") {
        event.has_kind = true;
        event.kind_line.clear();
        event.kind.clear();
        match std::str::from_utf8(value) {
            Ok(kind) => event.kind.push_str(kind),
            Err(_) => event.kind.push_str(&String::from_utf8_lossy(value)),
        }
    }
    // Comments, ids, retry times and unknown fields do not concern the answer.
    Ok(true)
}

/// Returns the value of a field, without one space after the colon.
fn value_of<'a>(line: &'a [u8], field: &[u8]) -> Option<&'a [u8]> {
    let rest = line.strip_prefix(field)?;
    let Some(value) = rest.strip_prefix(b":") else { return rest.is_empty().then_some(rest) };
    Some(value.strip_prefix(b" ").unwrap_or(value))
}
