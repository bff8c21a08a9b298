//! The items of one JSON array, without parsing the array as a whole.

use super::frame::{Frame, FrameError, Sink};
use super::lines::grow;

#[derive(Debug, Default)]
pub(crate) struct Array {
    state: State,
    /// An item whose end has not arrived.
    item: Vec<u8>,
    /// The number of open brackets and braces in the item.
    depth: usize,
    in_string: bool,
    after_backslash: bool,
}

#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Before,
    Between,
    Inside,
    After,
}

impl Array {
    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut Sink<'_>) -> Result<(), FrameError> {
        let mut start = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            match self.state {
                State::Inside => {
                    if self.ends_item(byte) {
                        grow(&mut self.item, &bytes[start..=at])?;
                        self.state = State::Between;
                        let goes_on = sink(Frame { kind: "", is_error: false, data: &self.item });
                        self.item.clear();
                        if !goes_on {
                            return Ok(());
                        }
                    }
                }
                State::Before if byte == b'[' => self.state = State::Between,
                State::Between if byte == b'{' => {
                    self.state = State::Inside;
                    self.depth = 1;
                    start = at;
                }
                State::Between if byte == b']' => self.state = State::After,
                State::Between if byte == b',' => {}
                _ if byte.is_ascii_whitespace() => {}
                // An error body arrives as a single object, without the array.
                State::Before if byte == b'{' => {
                    self.state = State::Inside;
                    self.depth = 1;
                    start = at;
                }
                _ => return Err(FrameError::Malformed),
            }
        }
        if self.state == State::Inside { grow(&mut self.item, &bytes[start..]) } else { Ok(()) }
    }

    pub(super) fn finish(&mut self) -> Result<(), FrameError> {
        if self.state == State::Inside { Err(FrameError::Malformed) } else { Ok(()) }
    }

    /// Counts brackets outside strings. Returns `true` at the one that closes the item.
    fn ends_item(&mut self, byte: u8) -> bool {
        if self.in_string {
            if self.after_backslash {
                self.after_backslash = false;
            } else if byte == b'\\' {
                self.after_backslash = true;
            } else if byte == b'"' {
                self.in_string = false;
            }
            return false;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        self.depth == 0
    }
}
