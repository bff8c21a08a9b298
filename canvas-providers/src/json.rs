//! Reading JSON whose shape a provider decides.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::decoded::DecodeError;

/// The text of a field; empty where it is none.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A piece of a frame that has to be kept.
pub(crate) fn owned(raw: &RawValue) -> Result<Value, DecodeError> {
    serde_json::from_str(raw.get()).map_err(|error| DecodeError::not_json(String::new(), &error))
}

pub(crate) fn unexpected(place: impl Into<String>, expected: &'static str) -> DecodeError {
    DecodeError::Unexpected { place: place.into(), expected }
}
