//! The diff of a hosted `apply_patch` call while it arrives.

use std::str::Utf8Error;

/// Collects the pieces of a diff, which may be split anywhere, even inside a character. You can show the number of
/// lines so far; only the whole diff is ever applied.
///
/// ```
/// use canvas_tools::native::DiffStream;
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
    /// Offset of the unfinished line.
    line: usize,
    added: usize,
    removed: usize,
}

impl DiffStream {
    /// Takes the next piece. Each byte is visited once.
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

    /// Returns the number of complete added lines so far.
    pub fn added(&self) -> usize {
        self.added
    }

    /// Returns the number of complete removed lines so far.
    pub fn removed(&self) -> usize {
        self.removed
    }

    /// Returns the diff, once the provider has reported that it is complete.
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not UTF-8.
    pub fn finish(self) -> Result<String, Utf8Error> {
        String::from_utf8(self.bytes).map_err(|error| error.utf8_error())
    }
}
