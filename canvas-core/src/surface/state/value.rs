//! JSON values that share their unchanged parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::{SerializeMap as _, SerializeSeq as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Number, Value};

/// A JSON value. Clones share its parts, and a change only copies the path to the changed place.
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
    /// An object. Its members are sorted by name.
    Object(Arc<BTreeMap<Arc<str>, Self>>),
}

impl StateValue {
    /// Returns a member by its name, or an item by its index, written without leading zeros.
    pub fn child(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(name),
            Self::List(items) => items.get(index(name)?),
            _ => None,
        }
    }

    /// Returns a mutable member or item. The path to it is copied if it is shared.
    pub(crate) fn child_mut(&mut self, name: &str) -> Option<&mut Self> {
        match self {
            Self::Object(members) if members.contains_key(name) => Arc::make_mut(members).get_mut(name),
            Self::List(items) => {
                let index = index(name).filter(|index| *index < items.len())?;
                Arc::make_mut(items).get_mut(index)
            }
            _ => None,
        }
    }

    /// Returns the JSON with sorted members and without white space. Equal values have equal texts.
    pub fn to_json(&self) -> String {
        json_text(self, 128)
    }

    /// Returns the size of [`StateValue::to_json`] in bytes. Linear in the value.
    pub fn json_bytes(&self) -> usize {
        json_bytes(self)
    }

    /// Returns the maximum nesting of lists and objects, which is 0 for other values. Linear in the value.
    pub fn depth(&self) -> usize {
        match self {
            Self::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or(0),
            Self::Object(members) => 1 + members.values().map(Self::depth).max().unwrap_or(0),
            _ => 0,
        }
    }

    /// Converts to a value of serde_json. Linear in the value.
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

/// Returns the JSON of a value. `bytes` is its approximate size.
pub(crate) fn json_text<T: Serialize + ?Sized>(value: &T, bytes: usize) -> String {
    let mut json = Vec::with_capacity(bytes);
    serde_json::to_writer(&mut json, value).expect("a vector takes everything, and names are text");
    String::from_utf8(json).expect("JSON is UTF-8")
}

/// Returns the size of a value's JSON in bytes, without building it.
pub(crate) fn json_bytes<T: Serialize + ?Sized>(value: &T) -> usize {
    struct Count(usize);

    impl std::io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    serde_json::to_writer(&mut count, value).expect("a count takes everything, and names are text");
    count.0
}

/// Parses the index of an item. Returns `None` if the text is not one.
pub(crate) fn index(name: &str) -> Option<usize> {
    let is_plain = name.bytes().all(|b| b.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    is_plain.then(|| name.parse().ok()).flatten()
}

impl From<Value> for StateValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            // The two zeros are equal, so that only one of them may be kept.
            Value::Number(number) if number.is_f64() && number.as_f64() == Some(0.0) => {
                Self::Number(Number::from_f64(0.0).expect("zero is a number of JSON"))
            }
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text.into()),
            Value::Array(items) => Self::List(Arc::new(items.into_iter().map(Self::from).collect())),
            Value::Object(members) => Self::Object(Arc::new(
                members.into_iter().map(|(name, value)| (name.into(), Self::from(value))).collect(),
            )),
        }
    }
}

impl schemars::JsonSchema for StateValue {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StateValue".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Value::json_schema(generator)
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
