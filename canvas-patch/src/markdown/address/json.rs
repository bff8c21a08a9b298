//! Serialisation of addresses as JSON.

use serde::de::{Error as _, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::marker::PhantomData;

use super::model::{Address, Column, Part, TablePart};
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
#[serde(default, deny_unknown_fields)]
struct Wire {
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<(usize, usize)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    front_matter: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    footnote: Option<String>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    paragraph: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    row: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<Column>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<bool>,
}

/// Reads a number, which JSON may write with a fraction of zero, or another value.
struct NumberOr<T>(PhantomData<T>);

/// A value that a number or something else may give.
trait Other: Sized {
    const EXPECTED: &'static str;

    fn of_number(number: usize) -> Self;

    fn of_text<E: serde::de::Error>(text: &str) -> Result<Self, E> {
        Err(E::invalid_type(Unexpected::Str(text), &Self::EXPECTED))
    }

    fn of_list<'de, A: SeqAccess<'de>>(_: A) -> Result<Self, A::Error> {
        Err(A::Error::invalid_type(Unexpected::Seq, &Self::EXPECTED))
    }
}

impl<'de, T: Other> Visitor<'de> for NumberOr<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<T, E> {
        Ok(T::of_number(usize::try_from(number).unwrap_or(usize::MAX)))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<T, E> {
        let number =
            u64::try_from(number).map_err(|_| E::invalid_value(Unexpected::Signed(number), &self))?;
        self.visit_u64(number)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<T, E> {
        let is_whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(&number);
        // Exact, because it is whole and in range.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole and in range"
        )]
        let whole = number as u64;
        if is_whole { self.visit_u64(whole) } else { Err(E::invalid_type(Unexpected::Float(number), &self)) }
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        T::of_text(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::of_list(list)
    }
}

impl Other for Column {
    const EXPECTED: &'static str = "a number from 1, or a header as a string";

    fn of_number(number: usize) -> Self {
        Self::Number(number)
    }

    fn of_text<E: serde::de::Error>(text: &str) -> Result<Self, E> {
        Ok(Self::Header(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOr(PhantomData))
    }
}

impl Other for Numbers {
    const EXPECTED: &'static str = "a number from 1, or a list of numbers";

    fn of_number(number: usize) -> Self {
        Self::One(number)
    }

    fn of_list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut numbers = Vec::new();
        while let Some(Number(number)) = list.next_element()? {
            numbers.push(number);
        }
        Ok(Self::Path(numbers))
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOr(PhantomData))
    }
}

/// A number of an item.
struct Number(usize);

impl Other for Number {
    const EXPECTED: &'static str = "a number from 1";

    fn of_number(number: usize) -> Self {
        Self(number)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberOr(PhantomData))
    }
}

/// Numbers of an item. A single number needs no brackets.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Numbers {
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
            Self::OnePlace => f.write_str(
                "name one of lines, front_matter (true), section, footnote and grep, \
                 or a part of the document: item, fence, paragraph or table",
            ),
            Self::Misplaced { field, owner } => write!(f, "{field} belongs to {owner} only"),
            Self::OnePart => f.write_str("name one of item, fence, paragraph, table and body (true)"),
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
            Address::Key(key) => Self { front_matter: Some(true), key: Some(key), ..Self::default() },
            Address::Section { path, ordinal, part } => {
                Self { section: Some(path), ordinal, ..part.map_or_else(Self::default, Self::of_part) }
            }
            Address::Part(part) => Self::of_part(part),
            Address::Footnote(label) => Self { footnote: Some(label), ..Self::default() },
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

impl Wire {
    fn of_part(part: Part) -> Self {
        let none = Self::default();
        match part {
            Part::Item(numbers) => Self { item: Some(numbers.into()), ..none },
            Part::Fence(number) => Self { fence: Some(number), ..none },
            Part::Paragraph(number) => Self { paragraph: Some(number), ..none },
            Part::Table(TablePart { table, row, column }) => Self { table: Some(table), row, column, ..none },
            Part::Body => Self { body: Some(true), ..none },
        }
    }

    /// Takes the fields of a part.
    fn part(&mut self) -> Result<Option<Part>, WireError> {
        let (row, column) = (self.row.take(), self.column.take());
        if self.table.is_none() && (row.is_some() || column.is_some()) {
            return misplaced("a row or column", "a table");
        }
        let parts = [
            self.item.take().map(|numbers| Part::Item(numbers.into())),
            self.fence.take().map(Part::Fence),
            self.paragraph.take().map(Part::Paragraph),
            self.table.take().map(|table| Part::Table(TablePart { table, row, column })),
            self.body
                .take()
                .map(|is_body| if is_body { Ok(Part::Body) } else { Err(WireError::OnePart) })
                .transpose()?,
        ];
        let mut parts = parts.into_iter().flatten();
        match (parts.next(), parts.next()) {
            (part, None) => Ok(part),
            _ => Err(WireError::OnePart),
        }
    }
}

impl TryFrom<Wire> for Address {
    type Error = WireError;

    fn try_from(mut wire: Wire) -> Result<Self, WireError> {
        let part = wire.part()?;
        let Wire { lines, front_matter, key, section, footnote, grep, regex, ordinal, .. } = wire;
        let places = [lines.is_some(), front_matter.is_some(), footnote.is_some(), grep.is_some()];
        let has_place = places.contains(&true);
        match (lines, front_matter, section, footnote, grep) {
            (.., None, _, _) if has_place && part.is_some() => {
                misplaced("a part", "a section or the document")
            }
            (.., None) if regex.is_some() => misplaced("regex", "grep"),
            (_, _, None, _, None) if ordinal.is_some() => misplaced("an ordinal", "section and grep"),
            (_, None, ..) if key.is_some() => misplaced("a key", "front_matter"),
            (Some((start, end)), None, None, None, None) => Ok(Self::Lines { start, end }),
            (None, Some(true), None, None, None) => Ok(key.map_or(Self::FrontMatter, Self::Key)),
            (None, None, Some(path), None, None) => Ok(Self::Section { path, ordinal, part }),
            (None, None, None, Some(label), None) => Ok(Self::Footnote(label)),
            (None, None, None, None, Some(query)) => {
                let query = if regex == Some(true) { Query::regex(&query) } else { Query::literal(&query) }?;
                Ok(Self::Hit { query, ordinal })
            }
            (None, None, None, None, None) => match part {
                Some(part) => Ok(Self::Part(part)),
                None => Err(WireError::OnePlace),
            },
            _ => Err(WireError::OnePlace),
        }
    }
}

fn misplaced<T>(field: &'static str, owner: &'static str) -> Result<T, WireError> {
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
            (Address::Key("a.b".into()), json!({"front_matter": true, "key": "a.b"})),
            (Address::Footnote("1".into()), json!({"footnote": "1"})),
            (Address::Part(Part::Paragraph(2)), json!({"paragraph": 2})),
            (Address::Part(Part::Body), json!({"body": true})),
            (section(&["A"], None, Some(Part::Body)), json!({"section": ["A"], "body": true})),
            (
                section(&["A"], None, Some(Part::Table(TablePart::whole(1)))),
                json!({"section": ["A"], "table": 1}),
            ),
            (
                Address::Part(Part::Table(TablePart {
                    table: 1,
                    row: Some(2),
                    column: Some(Column::Number(3)),
                })),
                json!({"table": 1, "row": 2, "column": 3}),
            ),
            (
                Address::Part(Part::Table(TablePart {
                    table: 1,
                    row: None,
                    column: Some(Column::Header("B".into())),
                })),
                json!({"table": 1, "column": "B"}),
            ),
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
            (json!({"lines": [1, 1], "item": 4}), "a part"),
            (json!({"grep": "a", "table": 4}), "a part"),
            (json!({"footnote": "a", "section": ["A"]}), "name one"),
            (json!({"section": ["A"], "row": 1}), "a row"),
            (json!({"section": ["A"], "fence": 1, "column": "b"}), "a row"),
            (json!({"section": ["A"], "key": "b"}), "a key"),
            (json!({"key": "b"}), "a key"),
            (json!({"section": ["A"], "body": false}), "name one"),
            (json!({"table": 1, "ordinal": 1}), "an ordinal"),
            (json!({"lines": [1, 1], "ordinal": 4}), "an ordinal"),
            (json!({"front_matter": true, "fence": 1}), "a part"),
            (json!({"section": ["A"], "item": 1, "fence": 1}), "name one"),
            (json!({"section": ["A"], "regex": true}), "regex belongs"),
            (json!({"grep": ""}), "grep: "),
            (json!({"grep": "(", "regex": true}), "grep: "),
            (json!({"section": "A"}), "invalid type"),
            (json!({"lines": [1]}), "invalid length"),
            (json!({"section": ["A"], "item": -1}), "invalid value: integer `-1`"),
            (json!({"section": ["A"], "item": [0.5]}), "invalid type: floating point"),
            (json!({"section": ["A"], "table": 1, "column": true}), "invalid type: boolean"),
        ] {
            let error = read(&form).expect_err("it is no address");
            assert!(error.starts_with(message), "{form}: {error}");
        }
    }
}
