//! Reads JSON whose shape the provider decides.

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::decoded::DecodeError;
use crate::text::Text;

/// Returns the text of a field, or an empty string if the field is not text.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// Reads a payload. Its UTF-8 is checked once, which is cheaper than a check of each string. Bytes that are not UTF-8
/// are still read, because they may be in a skipped field.
pub(crate) fn read<'a, T: Deserialize<'a>>(data: &'a [u8]) -> Result<T, serde_json::Error> {
    match std::str::from_utf8(data) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(data),
    }
}

/// Builds the body of a request with its history. The history is JSON already, and would be copied if it were a field
/// of the struct.
pub(crate) fn with_history(request: impl Serialize, name: &str, history: Vec<Value>) -> Value {
    let mut body = serde_json::to_value(request).expect("strings and JSON values always serialise");
    body[name] = Value::Array(history);
    body
}

/// Whether a text is a whole JSON object.
pub(crate) fn is_object(text: &str) -> bool {
    text.trim_ascii_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Reads an index, which some proxies write as text. Null is 0.
pub(crate) fn index<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    index_if_any(deserializer).map(Option::unwrap_or_default)
}

/// Reads an index that may be absent.
pub(crate) fn index_if_any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Index<'a> {
        Number(u64),
        #[serde(borrow)]
        Text(Text<'a>),
    }
    match Option::<Index<'_>>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Index::Number(index)) => Ok(Some(index)),
        Some(Index::Text(text)) => text.as_str().parse().map(Some).map_err(D::Error::custom),
    }
}

/// Parses a piece of a frame into a value that outlives the frame.
pub(crate) fn owned(raw: &RawValue) -> Result<Value, DecodeError> {
    serde_json::from_str(raw.get()).map_err(|error| DecodeError::not_json(String::new(), &error))
}

pub(crate) fn unexpected(place: impl Into<String>, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place: place.into(), expected }
}
