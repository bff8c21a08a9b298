//! Conversion of a value to JSON text.

use serde::Serialize;

/// Encodes a value whose maps have only string keys. `about` is the usual length of the JSON. It is reserved at once,
/// because a text that grows from empty is moved four times on its way to a kilobyte, and each edit writes several
/// texts.
pub(crate) fn json_text<T: Serialize>(value: &T, about: usize) -> String {
    let mut json = Vec::with_capacity(about);
    serde_json::to_writer(&mut json, value).expect("it has only string keys");
    String::from_utf8(json).expect("JSON is UTF-8")
}
