//! Time expressions, and the errors of parsing and evaluating them.

use std::borrow::Cow;
use std::fmt;

use jiff::civil::{Date, DateTime};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::wording::{NAME, clip};

/// A time expression, such as `now-30d/d`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateExpr {
    pub(super) text: Box<str>,
    pub(super) anchor: Anchor,
    pub(super) steps: Vec<Step>,
}

/// Instant or date at which an expression starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Now,
    /// Time in UTC.
    Instant(DateTime),
    Day(Date),
}

/// A step and its column in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) column: usize,
    pub(super) change: Change,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Add(i64, Unit),
    Floor(Unit),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    pub(super) const ALL: [(u8, Self); 8] = [
        (b's', Self::Second),
        (b'm', Self::Minute),
        (b'h', Self::Hour),
        (b'd', Self::Day),
        (b'w', Self::Week),
        (b'M', Self::Month),
        (b'Q', Self::Quarter),
        (b'y', Self::Year),
    ];

    /// Length in seconds. Months, quarters and years have the mean length of the calendar.
    pub(super) const fn seconds(self) -> i64 {
        match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
            Self::Week => 604_800,
            Self::Month => 2_629_746,
            Self::Quarter => 7_889_238,
            Self::Year => 31_556_952,
        }
    }
}

impl DateExpr {
    /// Maximum number of steps in an expression.
    pub const STEPS: usize = 8;
    /// Largest number that a step may add or subtract.
    pub const COUNT: u32 = 1_000_000;

    /// Returns the original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for DateExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<DateExpr> for String {
    fn from(expr: DateExpr) -> Self {
        expr.text.into()
    }
}

impl JsonSchema for DateExpr {
    fn schema_name() -> Cow<'static, str> {
        "DateExpr".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "now, or a date and ||, then at most 8 steps: + or - with a number and a unit, or / with a \
                unit to round down. Units: s m h d w M Q y. Examples: now-30d/d, 2026-01-31||+1M",
            "pattern": r"^(now|\d{4}-\d\d-\d\d([Tt].+)?\|\|)([+-]\d{1,7}[smhdwMQy]|/[smhdwMQy]){0,8}$",
        })
    }
}

/// Error returned if a text is not a time expression, or if its result is out of range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column} of \"{expr}\": {problem}")]
pub struct DateExprError {
    expr: String,
    column: usize,
    problem: Problem,
}

impl CodedError for DateExprError {
    fn code(&self) -> &'static str {
        "EXPR_INVALID"
    }
}

impl DateExprError {
    pub(super) fn new(expr: &str, column: usize, problem: Problem) -> Self {
        Self { expr: clip(expr, NAME), column, problem }
    }

    /// Returns the column of the fault, in characters from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Problem {
    #[error("the expression begins neither with now nor with a date and ||: write now-7d or 2026-01-31||+1M")]
    Anchor,
    #[error("there is no || after the date: write it after YYYY-MM-DD, or after a time with its offset")]
    Bars,
    #[error("the calendar has no such date: correct it")]
    NoDate,
    #[error("the time is not hh:mm:ss with Z or an offset, such as 2026-01-31T09:30:00+01:00: correct it")]
    Time,
    #[error("the step begins with neither +, - nor /: write +1d, -30d or /d, without spaces")]
    Sign,
    #[error("there is no number from 0 to {} between sign and unit: write one, as in +1d", DateExpr::COUNT)]
    Count,
    #[error("this is no unit: use one of s m h d w M Q y (m is minutes, M is months)")]
    Unit,
    #[error("the expression has more than {} steps: join some", DateExpr::STEPS)]
    Steps,
    #[error("this leads out of the years 1 to 9999: use a smaller number or another date")]
    Years,
}
