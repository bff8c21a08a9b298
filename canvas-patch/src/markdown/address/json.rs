//! Serialisation of addresses as JSON.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

use super::model::{Address, Part};
use crate::text::grep::{GrepError, Query, QuerySource};

impl Serialize for Address {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Address {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Wire::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

/// The JSON fields of every kind of address.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Wire {
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    front_matter: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    grep: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    regex: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ordinal: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<Numbers>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<usize>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Numbers {
    One(usize),
    Path(Vec<usize>),
}

#[derive(Debug)]
enum WireError {
    OnePlace,
    Misplaced { field: &'static str, owner: &'static str },
    OnePart,
    Query(GrepError),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnePlace => f.write_str("name one of lines, front_matter (true), section and grep"),
            Self::Misplaced { field, owner } => write!(f, "{field} belongs to {owner} only"),
            Self::OnePart => f.write_str("name an item"),
            Self::Query(error) => write!(f, "grep: {error}"),
        }
    }
}

impl From<GrepError> for WireError {
    fn from(error: GrepError) -> Self {
        Self::Query(error)
    }
}

impl From<Address> for Wire {
    fn from(address: Address) -> Self {
        match address {
            Address::Lines { start, end } => Self { lines: Some((start, end)), ..Self::default() },
            Address::FrontMatter => Self { front_matter: Some(true), ..Self::default() },
            Address::Section { path, ordinal, part } => {
                let (item, fence) = match part {
                    Some(Part::Item(numbers)) => (Some(numbers.into()), None),
                    Some(Part::Fence(number)) => (None, Some(number)),
                    None => (None, None),
                };
                Self { section: Some(path), ordinal, item, fence, ..Self::default() }
            }
            Address::Hit { query, ordinal } => {
                let (grep, regex) = match query.source() {
                    QuerySource::Literal(literal) => (literal.to_owned(), None),
                    QuerySource::Regex(pattern) => (pattern.to_owned(), Some(true)),
                };
                Self { grep: Some(grep), regex, ordinal, ..Self::default() }
            }
        }
    }
}

impl TryFrom<Wire> for Address {
    type Error = WireError;

    fn try_from(wire: Wire) -> Result<Self, WireError> {
        let Wire { lines, front_matter, section, grep, regex, ordinal, item, fence } = wire;
        let has_part = item.is_some() || fence.is_some();
        match (lines, front_matter, section, grep) {
            (_, _, None, _) if has_part => misplaced("an item or fence", "a section"),
            (_, _, _, None) if regex.is_some() => misplaced("regex", "grep"),
            (_, _, None, None) if ordinal.is_some() => misplaced("an ordinal", "section and grep"),
            (Some((start, end)), None, None, None) => Ok(Self::Lines { start, end }),
            (None, Some(true), None, None) => Ok(Self::FrontMatter),
            (None, None, Some(path), None) => {
                let part = match (item, fence) {
                    (Some(_), Some(_)) => return Err(WireError::OnePart),
                    (Some(numbers), None) => Some(Part::Item(numbers.into())),
                    (None, number) => number.map(Part::Fence),
                };
                Ok(Self::Section { path, ordinal, part })
            }
            (None, None, None, Some(query)) => {
                let query = if regex == Some(true) { Query::regex(&query) } else { Query::literal(&query) }?;
                Ok(Self::Hit { query, ordinal })
            }
            _ => Err(WireError::OnePlace),
        }
    }
}

fn misplaced(field: &'static str, owner: &'static str) -> Result<Address, WireError> {
    Err(WireError::Misplaced { field, owner })
}

impl From<Vec<usize>> for Numbers {
    fn from(numbers: Vec<usize>) -> Self {
        match numbers.as_slice() {
            &[number] => Self::One(number),
            _ => Self::Path(numbers),
        }
    }
}

impl From<Numbers> for Vec<usize> {
    fn from(numbers: Numbers) -> Self {
        match numbers {
            Numbers::One(number) => vec![number],
            Numbers::Path(numbers) => numbers,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn read(value: &Value) -> Result<Address, String> {
        serde_json::from_value(value.clone()).map_err(|error| error.to_string())
    }

    #[test]
    fn forms() {
        let section = |path: &[&str], ordinal, part| {
            let path = path.iter().map(|&title| title.to_owned()).collect();
            Address::Section { path, ordinal, part }
        };
        let (literal, regex) = (Query::literal("a").expect("fine"), Query::regex("a").expect("fine"));
        for (address, form) in [
            (Address::Lines { start: 3, end: 5 }, json!({"lines": [3, 5]})),
            (Address::FrontMatter, json!({"front_matter": true})),
            (section(&["A / B", "::"], None, None), json!({"section": ["A / B", "::"]})),
            (section(&[], None, Some(Part::Fence(1))), json!({"section": [], "fence": 1})),
            (
                section(&["A"], Some(2), Some(Part::Item(vec![1]))),
                json!({"section": ["A"], "ordinal": 2, "item": 1}),
            ),
            (section(&["A"], None, Some(Part::Item(vec![2, 1]))), json!({"section": ["A"], "item": [2, 1]})),
            (section(&["A"], None, Some(Part::Item(vec![]))), json!({"section": ["A"], "item": []})),
            (Address::Hit { query: literal, ordinal: None }, json!({"grep": "a"})),
            (
                Address::Hit { query: regex, ordinal: Some(1) },
                json!({"grep": "a", "regex": true, "ordinal": 1}),
            ),
        ] {
            assert_eq!(serde_json::to_value(&address).expect("it is JSON"), form);
            assert_eq!(read(&form), Ok(address));
        }
        assert_ne!(read(&json!({"grep": "a", "regex": false})), read(&json!({"grep": "a", "regex": true})));
        assert_eq!(
            read(&json!({"section": ["A"], "item": [2]})),
            read(&json!({"section": ["A"], "item": 2}))
        );
        assert_eq!(read(&json!({"section": ["A"], "item": null})), read(&json!({"section": ["A"]})));
    }

    #[test]
    fn what_is_no_address() {
        for (form, message) in [
            (json!({}), "name one"),
            (json!({"lines": [1, 1], "section": ["A"]}), "name one"),
            (json!({"front_matter": false}), "name one"),
            (json!({"front_matter": false, "section": ["A"]}), "name one"),
            (json!({"lines": [1, 1], "item": 4}), "an item"),
            (json!({"lines": [1, 1], "ordinal": 4}), "an ordinal"),
            (json!({"front_matter": true, "fence": 1}), "an item"),
            (json!({"section": ["A"], "item": 1, "fence": 1}), "name an item"),
            (json!({"section": ["A"], "regex": true}), "regex belongs"),
            (json!({"grep": ""}), "grep: "),
            (json!({"grep": "(", "regex": true}), "grep: "),
            (json!({"section": "A"}), "invalid type"),
            (json!({"lines": [1]}), "invalid length"),
            (json!({"section": ["A"], "item": -1}), "data did not match"),
        ] {
            let error = read(&form).expect_err("it is no address");
            assert!(error.starts_with(message), "{form}: {error}");
        }
    }
}
