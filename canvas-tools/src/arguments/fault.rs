//! Faults of a JSON value, described in JSON terms, because serde's own messages name Rust types.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use super::pointer::pointer_key;
use crate::reply::shorten;

/// Minimum similarity of two names for one to be proposed as the correction of the other.
const LIKELY: f64 = 0.5;

/// The first fault of a value, with its place and the value to pass there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    place: String,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    UnknownField { name: String, known: &'static [&'static str] },
    Other(String),
}

impl Fault {
    fn new(kind: Kind) -> Self {
        Self { place: String::new(), kind }
    }

    /// Returns the place as a JSON Pointer (RFC 6901) into the value.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Returns one sentence that says what to pass. It never proposes the `hidden` fields.
    pub(crate) fn message(&self, hidden: &[&str]) -> String {
        match &self.kind {
            Kind::Other(message) => message.clone(),
            Kind::UnknownField { name, known } => {
                let known: Vec<&str> =
                    known.iter().copied().filter(|known| !hidden.contains(known)).collect();
                let shown = shorten(name);
                match likely(name, &known) {
                    Some(likely) => format!("unknown field `{shown}`: pass `{likely}`, or leave it out"),
                    None if known.is_empty() => format!("unknown field `{shown}`: leave it out"),
                    None => {
                        let known = known.join("`, `");
                        format!("unknown field `{shown}`: leave it out, or pass one of `{known}`")
                    }
                }
            }
        }
    }

    /// Moves the fault to `key` of the enclosing object.
    pub(super) fn at_key(mut self, key: &str) -> Self {
        self.place.insert_str(0, &pointer_key(key));
        self
    }

    /// Moves the fault to `index` of the enclosing array.
    pub(super) fn at_index(mut self, index: usize) -> Self {
        self.place.insert_str(0, &format!("/{index}"));
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message(&[]))
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        Self::new(Kind::Other(format!("{}: correct the arguments to the tool's schema", shorten(&message))))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Kind::Other(format!("pass {}, not {}", wanted(expected), given(found))))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(Kind::Other(format!("pass {}, not {length} values", wanted(expected))))
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> Self {
        let (name, known) = (shorten(name), known.join("`, `"));
        Self::new(Kind::Other(format!("pass one of `{known}`, not `{name}`")))
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> Self {
        Self::new(Kind::UnknownField { name: name.to_owned(), known })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(Kind::Other(format!("missing field `{name}`: pass it")))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::new(Kind::Other(format!("`{name}` is given twice, under two names: pass it once")))
    }
}

/// Returns the known name that was probably meant, if one is similar enough.
fn likely<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |name: &str| {
        let letters = name.chars().filter(|c| c.is_alphanumeric()).take(80);
        letters.flat_map(char::to_lowercase).collect::<String>()
    };
    let name = plain(name);
    let likeness = |known: &str| {
        let known = plain(known);
        if !name.is_empty() && (known.contains(&name) || name.contains(&known)) {
            return 1.0;
        }
        strsim::normalized_damerau_levenshtein(&name, &known)
    };
    let ranked =
        known.iter().map(|known| (likeness(known), *known)).filter(|(likeness, _)| *likeness >= LIKELY);
    // If several are equally similar, the first one wins.
    ranked.reduce(|best, next| if next.0 > best.0 { next } else { best }).map(|(_, known)| known)
}

/// Describes the expected value to a reader of JSON.
fn wanted(expected: &dyn Expected) -> Cow<'static, str> {
    let rust = expected.to_string();
    let (first, rest) = rust.split_once(' ').unwrap_or((&rust, ""));
    let name = if first == "a" || first == "an" { rest } else { &rust };
    let bounded = |most: u64| Cow::from(format!("a whole number from 0 to {most}"));
    match name {
        "u8" => bounded(u8::MAX.into()),
        "u16" => bounded(u16::MAX.into()),
        "u32" => bounded(u32::MAX.into()),
        "u64" | "u128" | "usize" => "a whole number from 0".into(),
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number".into(),
        "f32" | "f64" => "a number".into(),
        "map" => "an object".into(),
        "sequence" => "an array".into(),
        "boolean" => "true or false".into(),
        "unit" => "null".into(),
        "character" => "a string of one character".into(),
        _ if name.starts_with("nonzero") => "a whole number from 1".into(),
        _ if name.starts_with("struct ") => "an object".into(),
        _ if name.starts_with("tuple ") || name.starts_with("array of ") => {
            let digits: String = name.chars().filter(char::is_ascii_digit).collect();
            format!("an array of {digits} values").into()
        }
        _ if name.starts_with("enum ") => "one of the names that the schema lists".into(),
        _ => rust.into(),
    }
}

/// Describes the received value, shortened.
fn given(found: Unexpected<'_>) -> Cow<'_, str> {
    match found {
        Unexpected::Bool(value) => value.to_string().into(),
        Unexpected::Unsigned(value) => value.to_string().into(),
        Unexpected::Signed(value) => value.to_string().into(),
        Unexpected::Float(value) => value.to_string().into(),
        Unexpected::Str("") => "an empty string".into(),
        Unexpected::Str(text) => format!("the string \"{}\"", shorten(text)).into(),
        Unexpected::Unit | Unexpected::Option => "null".into(),
        Unexpected::Seq => "an array".into(),
        Unexpected::Map => "an object".into(),
        other => other.to_string().into(),
    }
}
