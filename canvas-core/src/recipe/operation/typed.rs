//! Parsed operations.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::recipe::date_math::expr::DateExprError;
use crate::recipe::date_math::parameter::DateParameter;
use crate::recipe::pointer::JsonPointer;
use crate::zone::Zone;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(super) enum Operation {
    /// Keeps the rows that compare so.
    Filter(Filter),
    /// Orders the rows.
    Sort(Sort),
    /// Keeps the first rows.
    Limit(Limit),
    /// Makes a new row of each.
    Select(Select),
    /// Makes one row of each group.
    Aggregate(Aggregate),
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Filter {
    /// Pointer to the compared value in a row.
    pub(super) path: JsonPointer,
    /// The required order of the row's value and `value`.
    pub(super) cmp: Comparison,
    /// The value to compare with, as JSON, a time expression, or `{"$literal": …}` around JSON with `$` names.
    pub(super) value: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    pub(super) fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Eq => order.is_eq(),
            Self::Ne => order.is_ne(),
            Self::Lt => order.is_lt(),
            Self::Le => order.is_le(),
            Self::Gt => order.is_gt(),
            Self::Ge => order.is_ge(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Operand {
    Date(DateParameter),
    Quoted {
        #[serde(rename = "$literal")]
        value: Value,
    },
    Plain(Value),
}

impl Operand {
    /// The member that marks an object as a literal value.
    pub(super) const LITERAL: &str = "$literal";

    pub(super) fn at(&self, now: Timestamp, zone: &Zone) -> Result<Cow<'_, Value>, DateExprError> {
        match self {
            Self::Date(date) => date.eval(now, zone).map(Cow::Owned),
            Self::Quoted { value } | Self::Plain(value) => Ok(Cow::Borrowed(value)),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Sort {
    /// Keys; a later one decides where the ones before are equal.
    #[schemars(length(min = 1, max = 16))]
    pub(super) by: Vec<SortKey>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct SortKey {
    /// Pointer to the key in a row.
    pub(super) path: JsonPointer,
    /// Default `asc`.
    #[serde(default)]
    pub(super) dir: SortDirection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum SortDirection {
    #[default]
    Asc,
    Desc,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Limit {
    /// Rows to keep at most.
    pub(super) count: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Select {
    /// Members of the new row, by name, and where their values are in the old one.
    pub(super) fields: BTreeMap<String, JsonPointer>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Aggregate {
    /// Pointers to the values by which rows are grouped, by name. If empty, all rows form one group.
    #[serde(default)]
    pub(super) by: BTreeMap<String, JsonPointer>,
    /// The computed values of each group, by name.
    #[serde(default)]
    pub(super) values: BTreeMap<String, Computed>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Computed {
    /// The function that computes the value.
    #[serde(rename = "fn")]
    pub(super) function: Function,
    /// Pointer to its input in each row. `count` does not need one.
    #[serde(default)]
    pub(super) path: JsonPointer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Function {
    Count,
    Sum,
    Min,
    Max,
    Avg,
    First,
    Last,
    Distinct,
}
