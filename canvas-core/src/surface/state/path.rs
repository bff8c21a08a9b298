//! Paths into the values of a surface as specs write them, such as `rollout.steps.0`.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::surface::state::value::StateValue;

/// A path of names between dots. A name of digits selects an item if its parent is a list.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct StatePath(String);

/// Error returned if a text is not a path into a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatePathError {
    /// The path is empty, has an empty name, or is longer than [`StatePath::BYTES`].
    #[error("the path has an empty name or more than {} bytes: give it as a.b.c", StatePath::BYTES)]
    Name,
    /// A name contains a brace, white space or a control character.
    #[error("a name in the path has a brace, white space or a control character: rename the member")]
    Character,
    /// A name is `__proto__`, `prototype` or `constructor`.
    #[error("the path has the name __proto__, prototype or constructor: rename the member")]
    Reserved,
}

impl CodedError for StatePathError {
    fn code(&self) -> &'static str {
        "STATE_PATH"
    }
}

/// Names of members that every object in a browser has.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(name, "__proto__" | "prototype" | "constructor")
}

impl StatePath {
    /// Maximum bytes of a path.
    pub const BYTES: usize = 1024;

    /// Checks a path.
    ///
    /// # Errors
    ///
    /// Returns [`StatePathError`] for the rule that the path breaks.
    pub fn new(text: &str) -> Result<Self, StatePathError> {
        if text.len() > Self::BYTES || text.split('.').any(str::is_empty) {
            return Err(StatePathError::Name);
        }
        if text.contains(|c: char| matches!(c, '{' | '}') || c.is_whitespace() || c.is_control()) {
            return Err(StatePathError::Character);
        }
        if text.split('.').any(is_reserved) {
            return Err(StatePathError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the names of the path, of which there is at least one.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.')
    }

    /// Returns the path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the value at this path, or `None` if the place does not exist.
    pub fn of<'v>(&self, value: &'v StateValue) -> Option<&'v StateValue> {
        self.names().try_fold(value, StateValue::child)
    }
}

impl fmt::Display for StatePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for StatePath {
    type Error = StatePathError;

    fn try_from(text: String) -> Result<Self, StatePathError> {
        Self::new(&text)
    }
}

impl From<StatePath> for String {
    fn from(path: StatePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_plain_names() {
        for (text, expected) in [
            ("a", Ok(())),
            ("a.b-c.0", Ok(())),
            ("", Err(StatePathError::Name)),
            ("a..b", Err(StatePathError::Name)),
            (".a", Err(StatePathError::Name)),
            ("a b", Err(StatePathError::Character)),
            ("a.{b", Err(StatePathError::Character)),
            ("a.\u{a0}", Err(StatePathError::Character)),
            ("a\u{0}", Err(StatePathError::Character)),
            ("a.__proto__.b", Err(StatePathError::Reserved)),
            ("constructor", Err(StatePathError::Reserved)),
        ] {
            assert_eq!(StatePath::new(text).map(drop), expected, "{text:?}");
        }
        for (bytes, expected) in [(1024, Ok(())), (1025, Err(StatePathError::Name))] {
            assert_eq!(StatePath::new(&"a".repeat(bytes)).map(drop), expected, "{bytes}");
        }
    }
}
