//! Pointers to places in a JSON value.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::error::CodedError;
use crate::model::json_pointer::{self, Malformed};

/// A JSON Pointer (RFC 6901), such as `/rows/0/price`. The empty one is the whole value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct JsonPointer {
    text: Box<str>,
    tokens: Box<[Token]>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Token {
    name: Box<str>,
    /// The index of an item, if the name can be one.
    index: Option<usize>,
}

/// Error returned if a text is not a JSON Pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonPointerError {
    /// The text is not empty but does not begin with a slash.
    #[error("the JSON Pointer does not begin with /: write /{{name}}")]
    Slash,
    /// A tilde is not followed by 0 or 1.
    #[error("the JSON Pointer has a ~ without 0 or 1 after it: write ~0 for ~ and ~1 for / in a name")]
    Tilde,
    /// The text is longer than [`JsonPointer::BYTES`] or has more names than [`JsonPointer::NAMES`].
    #[error(
        "the JSON Pointer has more than {} bytes or {} names: give a shorter one",
        JsonPointer::BYTES,
        JsonPointer::NAMES
    )]
    TooLong,
}

impl CodedError for JsonPointerError {
    fn code(&self) -> &'static str {
        "RECIPE_INVALID"
    }
}

impl JsonPointer {
    /// Maximum bytes of a pointer.
    pub const BYTES: usize = 1_024;
    /// Maximum number of names in a pointer.
    pub const NAMES: usize = 64;

    /// Parses a pointer.
    ///
    /// # Errors
    ///
    /// Returns [`JsonPointerError`] for the rule that the text breaks.
    pub fn new(text: &str) -> Result<Self, JsonPointerError> {
        if text.len() > Self::BYTES || text.split('/').count() > Self::NAMES + 1 {
            return Err(JsonPointerError::TooLong);
        }
        let names = json_pointer::names(text).map_err(|malformed| match malformed {
            Malformed::Slash => JsonPointerError::Slash,
            Malformed::Tilde => JsonPointerError::Tilde,
        })?;
        Ok(Self { text: text.into(), tokens: names.map(Token::new).collect() })
    }

    /// Returns the pointer as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the value at this place, or `None` if the place does not exist.
    pub fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        self.tokens.iter().try_fold(value, |value, token| match value {
            Value::Object(members) => members.get(&*token.name),
            Value::Array(items) => items.get(token.index?),
            _ => None,
        })
    }
}

impl Token {
    fn new(name: Cow<'_, str>) -> Self {
        let is_index =
            name.bytes().all(|byte| byte.is_ascii_digit()) && (name.len() == 1 || !name.starts_with('0'));
        let index = is_index.then(|| name.parse().ok()).flatten();
        Self { name: name.into(), index }
    }
}

impl fmt::Display for JsonPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl TryFrom<String> for JsonPointer {
    type Error = JsonPointerError;

    fn try_from(text: String) -> Result<Self, JsonPointerError> {
        Self::new(&text)
    }
}

impl From<JsonPointer> for String {
    fn from(pointer: JsonPointer) -> Self {
        pointer.text.into()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn places_of_a_value() {
        let value = json!({"a": [10, {"b/c~": true}], "": {"": 1}, "0": "zero", "~1": 2});
        for (text, expected) in [
            ("", Some(&value)),
            ("/a/0", Some(&json!(10))),
            ("/a/1/b~1c~0", Some(&json!(true))),
            ("//", Some(&json!(1))),
            ("/0", Some(&json!("zero"))),
            ("/~01", Some(&json!(2))),
            ("/a/2", None),
            ("/a/-", None),
            ("/a/00", None),
            ("/a/01", None),
            ("/a/+1", None),
            ("/a/", None),
            ("/a/99999999999999999999999", None),
            ("/a/0/x", None),
            ("/x", None),
        ] {
            let pointer = JsonPointer::new(text).unwrap();
            assert_eq!(pointer.of(&value), expected, "{text}");
            assert_eq!(pointer.of(&value), value.pointer(text), "{text}");
            assert_eq!((pointer.as_str(), pointer.to_string()), (text, text.to_owned()));
            assert_eq!(serde_json::from_value::<JsonPointer>(json!(pointer)).unwrap(), pointer);
        }
    }

    #[test]
    fn what_is_no_pointer() {
        for (text, error) in [
            ("a".to_owned(), JsonPointerError::Slash),
            ("a/b".to_owned(), JsonPointerError::Slash),
            ("#/a".to_owned(), JsonPointerError::Slash),
            ("/~".to_owned(), JsonPointerError::Tilde),
            ("/a~2/b".to_owned(), JsonPointerError::Tilde),
            ("/a/~~0".to_owned(), JsonPointerError::Tilde),
            ("/a".repeat(65), JsonPointerError::TooLong),
            (format!("/{}", "a".repeat(1_024)), JsonPointerError::TooLong),
        ] {
            assert_eq!(JsonPointer::new(&text), Err(error), "{text}");
            assert_eq!(error.code(), "RECIPE_INVALID");
        }
        assert!(JsonPointer::new(&"/a".repeat(64)).is_ok());
        assert!(JsonPointer::new(&format!("/{}", "a".repeat(1_023))).is_ok());
    }
}
