//! Sorting, and the operations that look at one row at a time.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::mem;

use serde_json::{Map, Value};

use super::copy::Copied;
use super::order::Key;
use super::typed::{Filter, SortDirection, SortKey};
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::pointer::JsonPointer;

pub(super) type Rows<'v> = Vec<Cow<'v, Value>>;

pub(super) fn rows(value: Cow<'_, Value>) -> Result<Rows<'_>, RecipeFault> {
    match value {
        Cow::Borrowed(Value::Array(items)) => Ok(items.iter().map(Cow::Borrowed).collect()),
        Cow::Owned(Value::Array(items)) => Ok(items.into_iter().map(Cow::Owned).collect()),
        other => {
            let message = format!("operations take a list, and this is {}: point at a list", kind(&other));
            Err(RecipeFault::new("/0", RecipeCode::MappingFailed, message))
        }
    }
}

/// Names the kind of a value, for a message.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

pub(super) fn read<'v>(path: &JsonPointer, row: &'v Value) -> &'v Value {
    path.of(row).unwrap_or(&Value::Null)
}

pub(super) fn filter<'v>(mut rows: Rows<'v>, filter: &Filter, value: &Value) -> Rows<'v> {
    let right = Key::of(value);
    rows.retain(|row| filter.cmp.holds(Key::of(read(&filter.path, row)).cmp(&right)));
    rows
}

pub(super) fn limit(mut rows: Rows<'_>, count: u64) -> Rows<'_> {
    rows.truncate(usize::try_from(count).unwrap_or(usize::MAX));
    rows
}

pub(super) fn sort<'v>(mut rows: Rows<'v>, by: &[SortKey]) -> Rows<'v> {
    let Some((first, others)) = by.split_first() else { return rows };
    // Each path is followed once for each row. The first key, which usually decides, is kept with the number of its
    // row.
    let rest: Vec<Key<'_>> =
        rows.iter().flat_map(|row| others.iter().map(|key| Key::of(read(&key.path, row)))).collect();
    let rest_of = |row: usize| &rest[row * others.len()..][..others.len()];
    let mut order: Vec<_> =
        rows.iter().enumerate().map(|(number, row)| (Key::of(read(&first.path, row)), number)).collect();
    order.sort_by(|(one, row_one), (two, row_two)| {
        first.dir.apply(one.cmp(two)).then_with(|| {
            let pairs = rest_of(*row_one).iter().zip(rest_of(*row_two));
            let mut orders = others.iter().zip(pairs).map(|(key, (one, two))| key.dir.apply(one.cmp(two)));
            orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        })
    });
    let order: Vec<usize> = order.into_iter().map(|(_, number)| number).collect();
    order.into_iter().map(|number| mem::replace(&mut rows[number], Cow::Owned(Value::Null))).collect()
}

impl SortDirection {
    fn apply(self, order: Ordering) -> Ordering {
        match self {
            Self::Asc => order,
            Self::Desc => order.reverse(),
        }
    }
}

pub(super) fn select<'v>(
    rows: &[Cow<'_, Value>],
    fields: &BTreeMap<String, JsonPointer>,
    copied: &mut Copied,
) -> Result<Rows<'v>, RecipeFault> {
    let select = |row: &Cow<'_, Value>| {
        let mut selected = Map::new();
        for (name, path) in fields {
            copied.add(name.len())?;
            selected.insert(name.clone(), copied.copy(read(path, row))?);
        }
        Ok(Cow::Owned(Value::Object(selected)))
    };
    rows.iter().map(select).collect()
}
