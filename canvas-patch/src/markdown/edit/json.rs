//! Serialisation of edits as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::model::{Destination, ItemChange, MatchCount, SectionPath, StructureEdit, TableChange};
use crate::markdown::address::{Address, Numbers};
use crate::markdown::front_matter::YamlValue;
use crate::text::grep::{GrepError, Query, QuerySource};

impl Serialize for StructureEdit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire::from(self.clone()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for StructureEdit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Wire::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}

/// An edit, with the fields of every form of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Wire {
    Move(Move),
    Delete(Address),
    Shift(Shift),
    Rename(Rename),
    Table(Table),
    FrontMatter(FrontMatter),
    Item(Item),
    Renumber(Renumber),
    ReplaceAll(ReplaceAll),
}

/// The fields that a form does not have.
type Rest = BTreeMap<String, IgnoredAny>;

#[derive(Serialize, Deserialize)]
struct Move {
    from: Address,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shift: Option<i8>,
    #[serde(flatten)]
    to: Destination,
    #[serde(flatten, skip_serializing)]
    rest: Rest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shift {
    section: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ordinal: Option<usize>,
    by: i8,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rename {
    section: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ordinal: Option<usize>,
    title: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    links: bool,
}

#[derive(Serialize, Deserialize)]
struct Table {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    section: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ordinal: Option<usize>,
    table: usize,
    #[serde(flatten)]
    change: TableChange,
    #[serde(flatten, skip_serializing)]
    rest: Rest,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    key: String,
    /// Present with `null` too, which is a value.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    value: Option<YamlValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    remove: Option<bool>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<YamlValue>, D::Error> {
    YamlValue::deserialize(deserializer).map(Some)
}

#[derive(Serialize, Deserialize)]
struct Item {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    section: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ordinal: Option<usize>,
    item: Numbers,
    #[serde(flatten)]
    change: WireItemChange,
    #[serde(flatten, skip_serializing)]
    rest: Rest,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WireItemChange {
    Check(bool),
    InsertAfter(String),
    Remove(bool),
    MoveTo(Numbers),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Renumber {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    section: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ordinal: Option<usize>,
    list: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReplaceAll {
    find: String,
    with: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    regex: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<usize>,
}

#[derive(Debug)]
enum WireError {
    Unknown(String),
    ValueOrRemove,
    Ordinal,
    Remove,
    Count,
    Query(GrepError),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(field) => write!(f, "unknown field `{field}`, or a second change in one edit"),
            Self::ValueOrRemove => f.write_str("give either a value or remove (true)"),
            Self::Ordinal => f.write_str("an ordinal belongs to a section only"),
            Self::Remove => f.write_str("remove is true or left out"),
            Self::Count => f.write_str("give either a count or lines"),
            Self::Query(error) => write!(f, "find: {error}"),
        }
    }
}

impl From<GrepError> for WireError {
    fn from(error: GrepError) -> Self {
        Self::Query(error)
    }
}

fn check_rest(rest: &Rest) -> Result<(), WireError> {
    rest.keys().next().map_or(Ok(()), |field| Err(WireError::Unknown(field.clone())))
}

fn optional(path: Option<Vec<String>>, ordinal: Option<usize>) -> Result<Option<SectionPath>, WireError> {
    match (path, ordinal) {
        (None, Some(_)) => Err(WireError::Ordinal),
        (path, ordinal) => Ok(path.map(|path| SectionPath { path, ordinal })),
    }
}

fn fields(section: Option<SectionPath>) -> (Option<Vec<String>>, Option<usize>) {
    section.map_or((None, None), |section| (Some(section.path), section.ordinal))
}

impl TryFrom<Wire> for StructureEdit {
    type Error = WireError;

    fn try_from(wire: Wire) -> Result<Self, WireError> {
        Ok(match wire {
            Wire::Move(Move { from, shift, to, rest }) => {
                check_rest(&rest)?;
                Self::Move { from, to, shift }
            }
            Wire::Delete(at) => Self::Delete { at },
            Wire::Shift(Shift { section, ordinal, by }) => {
                Self::Shift { section: SectionPath { path: section, ordinal }, by }
            }
            Wire::Rename(Rename { section, ordinal, title, links }) => {
                Self::Rename { section: SectionPath { path: section, ordinal }, title, links }
            }
            Wire::Table(Table { section, ordinal, table, change, rest }) => {
                check_rest(&rest)?;
                Self::Table { section: optional(section, ordinal)?, table, change }
            }
            Wire::FrontMatter(FrontMatter { key, value, remove }) => match (&value, remove) {
                (Some(_), None) | (None, Some(true)) => Self::FrontMatter { key, value },
                _ => return Err(WireError::ValueOrRemove),
            },
            Wire::Item(Item { section, ordinal, item, change, rest }) => {
                check_rest(&rest)?;
                let change = match change {
                    WireItemChange::Check(is_done) => ItemChange::Check(is_done),
                    WireItemChange::InsertAfter(text) => ItemChange::InsertAfter(text),
                    WireItemChange::Remove(true) => ItemChange::Remove,
                    WireItemChange::Remove(false) => return Err(WireError::Remove),
                    WireItemChange::MoveTo(numbers) => ItemChange::MoveTo(numbers.into()),
                };
                Self::Item { section: optional(section, ordinal)?, item: item.into(), change }
            }
            Wire::Renumber(Renumber { section, ordinal, list }) => {
                Self::Renumber { section: optional(section, ordinal)?, list }
            }
            Wire::ReplaceAll(ReplaceAll { find, with, regex, count, lines }) => {
                let count = match (count, lines) {
                    (Some(matches), None) => MatchCount::Matches(matches),
                    (None, Some(lines)) => MatchCount::Lines(lines),
                    _ => return Err(WireError::Count),
                };
                let query = if regex { Query::regex(&find) } else { Query::literal(&find) }?;
                Self::ReplaceAll { query, with, count }
            }
        })
    }
}

impl From<StructureEdit> for Wire {
    fn from(edit: StructureEdit) -> Self {
        let rest = Rest::new();
        match edit {
            StructureEdit::Move { from, to, shift } => Self::Move(Move { from, shift, to, rest }),
            StructureEdit::Delete { at } => Self::Delete(at),
            StructureEdit::Shift { section: SectionPath { path, ordinal }, by } => {
                Self::Shift(Shift { section: path, ordinal, by })
            }
            StructureEdit::Rename { section: SectionPath { path, ordinal }, title, links } => {
                Self::Rename(Rename { section: path, ordinal, title, links })
            }
            StructureEdit::Table { section, table, change } => {
                let (section, ordinal) = fields(section);
                Self::Table(Table { section, ordinal, table, change, rest })
            }
            StructureEdit::FrontMatter { key, value } => {
                let remove = value.is_none().then_some(true);
                Self::FrontMatter(FrontMatter { key, value, remove })
            }
            StructureEdit::Item { section, item, change } => {
                let (section, ordinal) = fields(section);
                let change = match change {
                    ItemChange::Check(is_done) => WireItemChange::Check(is_done),
                    ItemChange::InsertAfter(text) => WireItemChange::InsertAfter(text),
                    ItemChange::Remove => WireItemChange::Remove(true),
                    ItemChange::MoveTo(numbers) => WireItemChange::MoveTo(numbers.into()),
                };
                Self::Item(Item { section, ordinal, item: item.into(), change, rest })
            }
            StructureEdit::Renumber { section, list } => {
                let (section, ordinal) = fields(section);
                Self::Renumber(Renumber { section, ordinal, list })
            }
            StructureEdit::ReplaceAll { query, with, count } => {
                let (find, regex) = match query.source() {
                    QuerySource::Literal(literal) => (literal.to_owned(), false),
                    QuerySource::Regex(pattern) => (pattern.to_owned(), true),
                };
                let (count, lines) = match count {
                    MatchCount::Matches(matches) => (Some(matches), None),
                    MatchCount::Lines(lines) => (None, Some(lines)),
                };
                Self::ReplaceAll(ReplaceAll { find, with, regex, count, lines })
            }
        }
    }
}
