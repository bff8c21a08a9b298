//! Lists of operations, parsed and applied.

use std::borrow::Cow;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::copy::Copied;
use super::typed::{Operand, Operation};
use super::{aggregate, limits, parse, rows};
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::zone::Zone;

/// Operations, done one after the other.
#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Operations(#[schemars(length(max = 16))] Vec<Operation>);

impl Operations {
    /// The version of the operations' semantics.
    pub const CATALOGUE: u32 = 1;
    /// Maximum number of operations in a list.
    pub const MOST: usize = limits::OPERATIONS;
    /// Maximum bytes that one run may copy into new rows, so that nested rows do not grow without limit.
    pub const COPIED_BYTES: usize = limits::COPIED_BYTES;

    /// Parses a list of operations.
    ///
    /// # Errors
    ///
    /// Returns all faults with their places in the list. If there are very many, only the first ones are returned.
    pub fn parse(list: &Value) -> Result<Self, Vec<RecipeFault>> {
        parse::parse(list).map(Self)
    }

    /// Returns whether the list is empty, so that it changes no data.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the operations depend on the time.
    pub fn uses_now(&self) -> bool {
        self.0.iter().any(|operation| match operation {
            Operation::Filter(filter) => matches!(filter.value, Operand::Date(_)),
            _ => false,
        })
    }

    /// Applies the operations to a value. Rows of a borrowed value are copied only if they are in the result.
    ///
    /// `now` and the zone apply to time expressions. Sorts and groups take n log n comparisons.
    ///
    /// # Errors
    ///
    /// Returns `MAPPING_FAILED` if the value is not a list, a sum is not a number, or too much would be copied. Returns
    /// `EXPR_INVALID` if a time expression leaves the years 1 to 9999. Places are relative to the list of operations.
    pub fn apply(&self, value: Cow<'_, Value>, now: Timestamp, zone: &Zone) -> Result<Value, RecipeFault> {
        if self.is_empty() {
            return Ok(value.into_owned());
        }
        let mut rows = rows::rows(value)?;
        let mut copied = Copied::default();
        for (index, operation) in self.0.iter().enumerate() {
            let place = format!("/{index}");
            rows = match operation {
                Operation::Filter(filter) => {
                    let value = filter.value.at(now, zone).map_err(|error| {
                        RecipeFault::new("/value/$date", RecipeCode::ExprInvalid, error.to_string())
                    });
                    value.map(|value| rows::filter(rows, filter, &value))
                }
                Operation::Sort(sort) => Ok(rows::sort(rows, &sort.by)),
                Operation::Limit(limit) => Ok(rows::limit(rows, limit.count)),
                Operation::Select(select) => rows::select(&rows, &select.fields, &mut copied),
                Operation::Aggregate(aggregate) => aggregate::aggregate(&rows, aggregate, &mut copied),
            }
            .map_err(|fault| fault.within(&place))?;
        }
        Ok(rows.into_iter().map(Cow::into_owned).collect())
    }
}

impl<'de> Deserialize<'de> for Operations {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = Value::deserialize(deserializer)?;
        Self::parse(&list).map_err(|faults| {
            let RecipeFault { place, message, .. } = &faults[0];
            D::Error::custom(format_args!("operations{place}: {message}"))
        })
    }
}
