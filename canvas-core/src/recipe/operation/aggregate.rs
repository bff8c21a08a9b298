//! Groups of rows, and the computation of their values.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::copy::Copied;
use super::order::Key;
use super::rows::{Rows, kind, read};
use super::sum::Sum;
use super::typed::{Aggregate, Computed, Function};
use crate::model::json_pointer::join_pointer;
use crate::recipe::error::{RecipeCode, RecipeFault};

/// One group, with the common values of its rows and the state of its computations.
struct Group<'r> {
    common: Vec<&'r Value>,
    states: Vec<State<'r>>,
}

enum State<'r> {
    Count(u64),
    Sum(Sum),
    Average(Sum),
    /// The best value of the rows so far.
    Kept(Option<&'r Value>),
    Distinct(BTreeSet<Key<'r>>, Vec<&'r Value>),
}

pub(super) fn aggregate<'v>(
    rows: &[Cow<'_, Value>],
    aggregate: &Aggregate,
    copied: &mut Copied,
) -> Result<Rows<'v>, RecipeFault> {
    let mut groups = Vec::new();
    let mut numbers = BTreeMap::new();
    if aggregate.by.is_empty() {
        numbers.insert(Vec::new(), 0);
        groups.push(Group::new(aggregate, Vec::new()));
    }
    for (number, row) in rows.iter().enumerate() {
        let common = || aggregate.by.values().map(|path| read(path, row));
        let group = *numbers.entry(common().map(Key::of).collect()).or_insert_with(|| {
            groups.push(Group::new(aggregate, common().collect()));
            groups.len() - 1
        });
        for ((name, computed), state) in aggregate.values.iter().zip(&mut groups[group].states) {
            state.add(computed, read(&computed.path, row)).map_err(|value| {
                let path = &computed.path;
                let message = format!(
                    "row {number} has {} at \"{path}\", and only numbers are added: filter such rows out",
                    kind(value)
                );
                failed(name, message)
            })?;
        }
    }
    groups.into_iter().map(|group| group.row(aggregate, copied).map(Cow::Owned)).collect()
}

fn failed(name: &str, message: impl Into<String>) -> RecipeFault {
    RecipeFault::new(join_pointer("/values", name), RecipeCode::MappingFailed, message)
}

impl<'r> Group<'r> {
    fn new(aggregate: &Aggregate, common: Vec<&'r Value>) -> Self {
        let states = aggregate.values.values().map(|computed| State::new(computed.function));
        Self { common, states: states.collect() }
    }

    fn row(self, aggregate: &Aggregate, copied: &mut Copied) -> Result<Value, RecipeFault> {
        let mut row = Map::new();
        for (name, value) in aggregate.by.keys().zip(self.common) {
            copied.add(name.len())?;
            row.insert(name.clone(), copied.copy(value)?);
        }
        for (name, state) in aggregate.values.keys().zip(self.states) {
            copied.add(name.len() + size_of::<Value>())?;
            let value = state.value(copied)?;
            let too_large = "no number of 64 bits is this sum: aggregate fewer rows or smaller numbers";
            row.insert(name.clone(), value.ok_or_else(|| failed(name, too_large))?);
        }
        Ok(Value::Object(row))
    }
}

impl<'r> State<'r> {
    fn new(function: Function) -> Self {
        match function {
            Function::Count => Self::Count(0),
            Function::Sum => Self::Sum(Sum::ZERO),
            Function::Avg => Self::Average(Sum::ZERO),
            Function::Min | Function::Max | Function::First | Function::Last => Self::Kept(None),
            Function::Distinct => Self::Distinct(BTreeSet::new(), Vec::new()),
        }
    }

    /// Adds a value. Returns the value as an error if it cannot be added.
    fn add(&mut self, computed: &Computed, value: &'r Value) -> Result<(), &'r Value> {
        match self {
            Self::Count(count) => *count += 1,
            Self::Sum(sum) | Self::Average(sum) => match value {
                Value::Null => {}
                Value::Number(number) => sum.add(number),
                other => return Err(other),
            },
            Self::Kept(kept) => {
                if is_better(computed.function, value, *kept) {
                    *kept = Some(value);
                }
            }
            Self::Distinct(seen, values) => {
                if seen.insert(Key::of(value)) {
                    values.push(value);
                }
            }
        }
        Ok(())
    }

    fn value(self, copied: &mut Copied) -> Result<Option<Value>, RecipeFault> {
        Ok(match self {
            Self::Count(count) => Some(count.into()),
            Self::Sum(sum) => sum.total(),
            Self::Average(sum) => sum.average(),
            Self::Kept(kept) => Some(copied.copy(kept.unwrap_or(&Value::Null))?),
            Self::Distinct(_, values) => {
                Some(values.into_iter().map(|value| copied.copy(value)).collect::<Result<_, _>>()?)
            }
        })
    }
}

/// Whether a value replaces the one kept so far.
fn is_better(function: Function, value: &Value, kept: Option<&Value>) -> bool {
    let compare = |kept| Key::of(value).cmp(&Key::of(kept));
    match function {
        Function::Min => !value.is_null() && kept.is_none_or(|kept| compare(kept).is_lt()),
        Function::Max => !value.is_null() && kept.is_none_or(|kept| compare(kept).is_gt()),
        Function::Last => true,
        _ => kept.is_none(),
    }
}
