//! The diff of a hosted `apply_patch` call, while it arrives.

use std::str::Utf8Error;

/// Collects the pieces of a diff, cut anywhere, inside a character too. What has arrived can be counted for a display; only
/// the whole is ever applied.
///
/// ```
/// use canvas_tools::DiffStream;
///
/// let mut stream = DiffStream::default();
/// stream.push(b"@@\n-mil");
/// stream.push(b"k\n+bread\n");
/// assert_eq!((stream.added(), stream.removed()), (1, 1));
/// assert_eq!(stream.finish()?, "@@\n-milk\n+bread\n");
/// # Ok::<(), std::str::Utf8Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiffStream {
    bytes: Vec<u8>,
    /// Where the line begins that has not ended.
    line: usize,
    added: usize,
    removed: usize,
}

impl DiffStream {
    /// Takes the next piece. Each byte is looked at once.
    pub fn push(&mut self, piece: &[u8]) {
        for &byte in piece {
            self.bytes.push(byte);
            if byte != b'\n' {
                continue;
            }
            match self.bytes[self.line] {
                b'+' => self.added += 1,
                b'-' => self.removed += 1,
                _ => {}
            }
            self.line = self.bytes.len();
        }
    }

    /// Added lines that have arrived whole.
    pub fn added(&self) -> usize {
        self.added
    }

    /// Removed lines that have arrived whole.
    pub fn removed(&self) -> usize {
        self.removed
    }

    /// The diff, once its provider has said that it is complete.
    ///
    /// # Errors
    ///
    /// Where the bytes are no UTF-8.
    pub fn finish(self) -> Result<String, Utf8Error> {
        String::from_utf8(self.bytes).map_err(|error| error.utf8_error())
    }
}
