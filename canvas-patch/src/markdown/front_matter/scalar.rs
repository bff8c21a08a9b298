//! Values of front matter, and how they are written.

use std::sync::LazyLock;

use regex::Regex;
use saphyr_parser::ScalarStyle;

/// A value of a key in YAML front matter.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(untagged, expecting = "a text, number, boolean, null, or a list of these")
)]
pub enum YamlValue {
    /// No value.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number, which must be finite.
    Float(f64),
    /// A text of any characters.
    Text(String),
    /// Values other than lists.
    List(Vec<Self>),
}

impl YamlValue {
    /// Whether it can be written as a value of a key.
    pub(crate) fn is_valid(&self) -> bool {
        let is_scalar = |value: &Self| match value {
            Self::Float(number) => number.is_finite(),
            value => !matches!(value, Self::List(_)),
        };
        match self {
            Self::List(items) => items.iter().all(is_scalar),
            value => is_scalar(value),
        }
    }
}

/// The place of a scalar, on which its form depends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'o> {
    /// The text and style of the scalar that it replaces.
    pub(crate) old: Option<(&'o str, ScalarStyle)>,
    /// Whether it is inside of brackets.
    pub(crate) in_flow: bool,
}

/// Writes a scalar on one line. A list has no such form.
pub(crate) fn written(value: &YamlValue, form: Form<'_>) -> Option<String> {
    Some(match value {
        YamlValue::Null => "null".to_owned(),
        YamlValue::Bool(value) => value.to_string(),
        YamlValue::Int(value) => value.to_string(),
        YamlValue::Float(value) => written_float(*value),
        YamlValue::Text(text) => written_text(text, form),
        YamlValue::List(_) => return None,
    })
}

/// Writes a number so that YAML 1.1 reads a float too, which needs a point and the sign of the exponent.
fn written_float(value: f64) -> String {
    let written = format!("{value:?}");
    let Some((digits, exponent)) = written.split_once('e') else { return written };
    let point = if digits.contains('.') { "" } else { ".0" };
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    format!("{digits}{point}e{sign}{exponent}")
}

fn written_text(text: &str, Form { old, in_flow }: Form<'_>) -> String {
    let is_date = |text: &str| DATE.is_match(text);
    let stays_date =
        old.is_some_and(|(old, style)| style == ScalarStyle::Plain && is_date(old)) && is_date(text);
    let is_quoted = matches!(old, Some((_, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted)));
    if stays_date || !is_quoted && is_plain(text, in_flow) {
        return text.to_owned();
    }
    let needs_escape = text.chars().any(is_escaped);
    let prefers_single = match old {
        Some((_, ScalarStyle::SingleQuoted)) => true,
        Some((_, ScalarStyle::DoubleQuoted)) => false,
        _ => text.contains(['"', '\\']),
    };
    if prefers_single && !needs_escape {
        format!("'{}'", text.replace('\'', "''"))
    } else {
        double_quoted(text)
    }
}

/// Whether the text, written without quotes, is read as the same text in YAML 1.1 and 1.2.
fn is_plain(text: &str, in_flow: bool) -> bool {
    const INDICATORS: &str = "-?:,[]{}#&*!|>'\"%@`=<";
    !text.is_empty()
        && text.trim() == text
        && !text.starts_with(|first| INDICATORS.contains(first))
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with(':')
        && !text.contains(is_escaped)
        && !text.contains('\t')
        && !(in_flow && text.contains([',', '[', ']', '{', '}', ':']))
        && !OTHER_TYPE.is_match(text)
        && !DATE.is_match(text)
        && !text.starts_with("...")
}

/// Whether a character can only be written as an escape sequence.
fn is_escaped(char: char) -> bool {
    let is_printable = matches!(char,
        '\t' | ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}'
        | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..);
    !is_printable
}

fn double_quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' | '\\' => quoted.extend(['\\', char]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            char if is_escaped(char) && u32::from(char) <= 0xff => {
                quoted.push_str(&format!("\\x{:02X}", u32::from(char)))
            }
            char if is_escaped(char) => quoted.push_str(&format!("\\u{:04X}", u32::from(char))),
            char => quoted.push(char),
        }
    }
    quoted.push('"');
    quoted
}

/// Plain scalars that YAML 1.1 or 1.2 reads as null, a boolean or a number.
static OTHER_TYPE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(?:~|(?i:null|y|n|yes|no|true|false|on|off)",
        r"|[-+]?0b[01_]+|[-+]?0o?[0-7_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])*(?:\.[0-9_]*)?",
        r"|[-+]?(?:[0-9][0-9_]*)?\.?[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?\.(?i:inf)|\.(?i:nan))$",
    ))
    .expect("the expression is well-formed")
});

/// Plain scalars that YAML 1.1 reads as a date or time.
static DATE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}",
        r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?$",
    ))
    .expect("the expression is well-formed")
});
