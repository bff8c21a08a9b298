//! JSON values that share what a change leaves alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// A JSON value. Clones share its parts, and a change copies only the way to the place that it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateValue {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    Text(Arc<str>),
    /// A list.
    List(Arc<Vec<Self>>),
    /// An object. Its members have the order of their names.
    Object(Arc<BTreeMap<Arc<str>, Self>>),
}

impl StateValue {
    /// A member by its name, or an item by its number, which is written without leading zeros.
    pub fn child(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            Self::List(items) => items.get(index(name)?),
            _ => None,
        }
    }

    /// As a value of serde_json. Linear in the value.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.as_ref().to_owned()),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(members) => Value::Object(
                members.iter().map(|(name, value)| (name.as_ref().to_owned(), value.to_value())).collect(),
            ),
        }
    }
}

/// The number of an item; `None` where a text is none.
pub(crate) fn index(name: &str) -> Option<usize> {
    let is_plain = name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    is_plain.then(|| name.parse().ok()).flatten()
}

impl From<Value> for StateValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(Arc::new(items.into_iter().map(Self::from).collect())),
            Value::Object(members) => Self::Object(Arc::new(
                members.into_iter().map(|(name, value)| (name.into(), Self::from(value))).collect(),
            )),
        }
    }
}

impl Serialize for StateValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items.iter() {
                    list.serialize_element(item)?;
                }
                list.end()
            }
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members.iter() {
                    map.serialize_entry(name.as_ref(), value)?;
                }
                map.end()
            }
        }
    }
}

impl<'de> Deserialize<'de> for StateValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self::from)
    }
}
