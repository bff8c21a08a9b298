//! A single order over all JSON values.

use std::cmp::Ordering;

use serde_json::{Map, Number, Value};

/// A value in the form used for comparison.
#[derive(Debug, Clone, Copy)]
pub(super) enum Key<'v> {
    Null,
    Bool(bool),
    Number(Exact),
    Text(&'v str),
    List(&'v [Value]),
    Object(&'v Map<String, Value>),
}

impl<'v> Key<'v> {
    pub(super) fn of(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => Self::Number(Exact::of(number)),
            Value::String(text) => Self::Text(text),
            Value::Array(items) => Self::List(items),
            Value::Object(members) => Self::Object(members),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::Text(_) => 3,
            Self::List(_) => 4,
            Self::Object(_) => 5,
        }
    }
}

impl Ord for Key<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => one.cmp(two),
            (Self::Number(one), Self::Number(two)) => one.cmp(two),
            // Bytes have the same order as code points.
            (Self::Text(one), Self::Text(two)) => one.cmp(two),
            (Self::List(one), Self::List(two)) => one.iter().map(Key::of).cmp(two.iter().map(Key::of)),
            (Self::Object(one), Self::Object(two)) => members(one).cmp(&members(two)),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

/// Sorts the members by name, because the map itself is sorted only if no other crate enables another order.
fn members(object: &Map<String, Value>) -> Vec<(&str, Key<'_>)> {
    let mut members: Vec<_> = object.iter().map(|(name, value)| (name.as_str(), Key::of(value))).collect();
    members.sort_unstable_by_key(|(name, _)| *name);
    members
}

impl PartialOrd for Key<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Key<'_> {}

/// A number as its nearest double and the difference to the integer, if no double holds it. All integers of 64 bits and
/// all doubles therefore compare exactly.
#[derive(Debug, Clone, Copy)]
pub(super) struct Exact {
    double: f64,
    rest: i16,
}

impl Exact {
    fn of(number: &Number) -> Self {
        // The nearest double of a 64-bit integer differs by at most 1024.
        match integer(number) {
            Some(integer) => {
                let double = integer as f64;
                Self { double, rest: (integer - double as i128) as i16 }
            }
            None => Self { double: number.as_f64().unwrap_or_default(), rest: 0 },
        }
    }

    fn cmp(&self, other: &Self) -> Ordering {
        // A JSON number is never NaN.
        let doubles = self.double.partial_cmp(&other.double).unwrap_or(Ordering::Equal);
        doubles.then_with(|| self.rest.cmp(&other.rest))
    }
}

/// Returns a number written as a 64-bit integer.
pub(super) fn integer(number: &Number) -> Option<i128> {
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}
