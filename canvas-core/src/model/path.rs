//! Paths in a canvas's tree.

use std::borrow::Borrow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;

/// A relative path of plain segments, such as `document.md` or `assets/logo.png`.
///
/// Percent-encoded characters are decoded before the check, so that no spelling leads out of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TreePath(String);

/// Error returned if a text is not a path of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The path is empty or longer than [`TreePath::BYTES`].
    #[error("the path is empty or has more than {} bytes: give another one", TreePath::BYTES)]
    Length,
    /// The path starts at the root of a file system.
    #[error("the path is absolute: leave out what comes before the first name")]
    Absolute,
    /// A segment is empty, `.` or `..`.
    #[error("the path has an empty, . or .. segment: remove it")]
    Segment,
    /// The path has a NUL, another control character or a backslash.
    #[error("the path has a backslash or a control character: replace it")]
    Character,
    /// A percent sign does not start an encoded byte, or the bytes are not UTF-8.
    #[error("a percent sign in the path begins no encoded byte of UTF-8: write %25 for the sign itself")]
    Encoding,
}

impl CodedError for PathError {
    fn code(&self) -> &'static str {
        "INVALID_PATH"
    }
}

impl TreePath {
    /// Maximum length of a path in bytes.
    pub const BYTES: usize = 1024;

    /// Returns the path of the Markdown document.
    pub fn document() -> Self {
        Self("document.md".into())
    }

    /// Returns the path of the board.
    pub fn board() -> Self {
        Self("board.json".into())
    }

    /// Decodes and checks a path.
    ///
    /// # Errors
    ///
    /// Returns the [`PathError`] for the rule that the path breaks.
    pub fn new(text: &str) -> Result<Self, PathError> {
        if text.is_empty() || text.len() > Self::BYTES {
            return Err(PathError::Length);
        }
        Self::checked(decode(text)?)
    }

    fn checked(path: String) -> Result<Self, PathError> {
        if path.chars().any(|c| c.is_control() || c == '\\') {
            return Err(PathError::Character);
        }
        let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
        if path.starts_with('/') || drive {
            return Err(PathError::Absolute);
        }
        if path.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(PathError::Segment);
        }
        Ok(Self(path))
    }

    /// Returns the decoded path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Decodes once. Text that would still be encoded afterwards is refused, because `%252e` must not become a name `%2e`
/// that a later decoder takes for a dot.
fn decode(text: &str) -> Result<String, PathError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let encoded = (*first == b'%').then(|| encoded_byte(after).ok_or(PathError::Encoding)).transpose()?;
        bytes.push(encoded.unwrap_or(*first));
        rest = if encoded.is_some() { &after[2..] } else { after };
    }
    if bytes.iter().enumerate().any(|(i, b)| *b == b'%' && encoded_byte(&bytes[i + 1..]).is_some()) {
        return Err(PathError::Encoding);
    }
    String::from_utf8(bytes).map_err(|_| PathError::Encoding)
}

fn encoded_byte(digits: &[u8]) -> Option<u8> {
    let [high, low, ..] = digits else { return None };
    let digit = |b: u8| char::from(b).to_digit(16);
    u8::try_from(digit(*high)? << 4 | digit(*low)?).ok()
}

/// Lets the library look up its own file names in trees by `&str`.
impl Borrow<str> for TreePath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for TreePath {
    type Error = PathError;

    /// Reads a stored path, which is already decoded.
    fn try_from(path: String) -> Result<Self, PathError> {
        if path.is_empty() || path.len() > Self::BYTES {
            return Err(PathError::Length);
        }
        Self::checked(path)
    }
}

impl From<TreePath> for String {
    fn from(path: TreePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_pass_and_nothing_leads_out() {
        for (text, expected) in [
            ("document.md", Ok("document.md")),
            ("assets/a b/ü.png", Ok("assets/a b/ü.png")),
            ("a%20b", Ok("a b")),
            ("100%25", Ok("100%")),
            ("...", Ok("...")),
            ("", Err(PathError::Length)),
            ("/etc", Err(PathError::Absolute)),
            ("C:/x", Err(PathError::Absolute)),
            ("%2fetc", Err(PathError::Absolute)),
            ("../x", Err(PathError::Segment)),
            ("a/../b", Err(PathError::Segment)),
            ("a/./b", Err(PathError::Segment)),
            ("a//b", Err(PathError::Segment)),
            ("a/", Err(PathError::Segment)),
            ("%2e%2e/x", Err(PathError::Segment)),
            ("%252e%252e/x", Err(PathError::Encoding)),
            ("a\\b", Err(PathError::Character)),
            ("a%5cb", Err(PathError::Character)),
            ("a%00", Err(PathError::Character)),
            ("a\nb", Err(PathError::Character)),
            ("a%2", Err(PathError::Encoding)),
            ("a%zz", Err(PathError::Encoding)),
            ("a%ff", Err(PathError::Encoding)),
        ] {
            let path = TreePath::new(text);
            assert_eq!(path.as_ref().map(TreePath::as_str), expected.as_ref().copied(), "{text}");
        }
        for (bytes, fault) in [(0, Some(PathError::Length)), (1024, None), (1025, Some(PathError::Length))] {
            let path = "a".repeat(bytes);
            assert_eq!(TreePath::new(&path).err(), fault, "{bytes}");
            assert_eq!(TreePath::try_from(path).err(), fault, "{bytes}, as it was stored");
        }
    }
}
