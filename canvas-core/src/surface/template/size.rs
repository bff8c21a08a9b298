//! Size of JSON, without writing it.

use serde_json::Value;

/// Returns the bytes of a string with its quotes.
pub(super) fn of_text(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        ..0x20 => 5,
        _ => 0,
    };
    text.len() + 2 + text.bytes().map(escaped).sum::<usize>()
}

/// Returns the bytes of a list or an object without its parts, that is brackets, commas and, for an object, names and
/// colons.
pub(super) fn of_frame<'n>(parts: usize, names: impl Iterator<Item = &'n str>) -> usize {
    2 + parts.saturating_sub(1) + names.map(|name| of_text(name) + 1).sum::<usize>()
}

pub(super) fn of_value(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => of_text(text),
        Value::Array(items) => {
            of_frame(items.len(), std::iter::empty()) + items.iter().map(of_value).sum::<usize>()
        }
        Value::Object(members) => {
            let names = members.keys().map(String::as_str);
            of_frame(members.len(), names) + members.values().map(of_value).sum::<usize>()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sizes_are_those_of_the_text() {
        for value in [
            json!(null),
            json!([]),
            json!({}),
            json!([true, false, null, -1.5e300, 12]),
            json!({"a\"": {"b": [[], {}]}, "ü": "\u{0}\u{8}\u{b}\u{c}\u{1f} \u{7f}\\/\"\n\r\té😀"}),
        ] {
            assert_eq!(of_value(&value), value.to_string().len(), "{value}");
        }
    }
}
