//! JSON whose integers are read exactly or not at all.

use serde::de::Error as _;
use serde_json::Value;

/// Parses a JSON text and refuses an integer that serde_json would round. Linear in the text, which is scanned twice.
///
/// # Errors
///
/// Returns an error if the text is not JSON, or has an integer that neither 64 bits nor a double can hold.
pub fn exact_json(text: &str) -> Result<Value, serde_json::Error> {
    let value = serde_json::from_str(text)?;
    match integers(text).find(|literal| !is_held(literal)) {
        None => Ok(value),
        Some(literal) => Err(serde_json::Error::custom(format_args!(
            "{literal:.40} is an integer that a double does not hold: send it as a string"
        ))),
    }
}

/// Returns the integer literals of at least 20 digits, which may exceed 64 bits.
fn integers(json: &str) -> impl Iterator<Item = &str> {
    let bytes = json.as_bytes();
    let (mut at, mut in_string) = (0, false);
    std::iter::from_fn(move || {
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\\' if in_string => at += 1,
                b'"' => in_string = !in_string,
                b'0'..=b'9' | b'-' if !in_string => {
                    let rest = &json[at..];
                    let is_part = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
                    let literal = &rest[..rest.bytes().take_while(|&byte| is_part(byte)).count()];
                    at += literal.len();
                    if literal.len() >= 20 && !literal.contains(['.', 'e', 'E']) {
                        return Some(literal);
                    }
                    continue;
                }
                _ => {}
            }
            at += 1;
        }
        None
    })
}

/// Whether an integer literal fits into 64 bits or is held exactly by a double.
fn is_held(literal: &str) -> bool {
    let is_short = literal.parse::<i64>().is_ok() || literal.parse::<u64>().is_ok();
    // All digits of a double are printed.
    is_short || literal.parse().is_ok_and(|double: f64| format!("{double:.0}") == literal)
}
