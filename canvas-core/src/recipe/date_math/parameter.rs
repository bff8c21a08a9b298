//! Parameters that are time expressions, such as `{"$date": "now-7d/d", "as": "date"}`.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::eval::DateValue;
use super::expr::{DateExpr, DateExprError};
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::zone::Zone;

/// The form in which the evaluated time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DateFormat {
    /// As a text with the zone's offset, such as `2026-01-31T00:00:00+01:00`.
    #[default]
    Rfc3339,
    /// As the date that a calendar in the zone shows, such as `2026-01-31`.
    Date,
    /// As whole seconds since 1970, rounded down.
    Unix,
    /// As whole milliseconds since 1970, rounded down.
    UnixMs,
}

/// A time expression in the place of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DateParameter {
    /// The expression, evaluated once per run.
    #[serde(rename = "$date")]
    pub expr: DateExpr,
    /// The form of the time. Default `rfc3339`.
    #[serde(rename = "as", default, skip_serializing_if = "is_default")]
    pub format: DateFormat,
}

fn is_default(format: &DateFormat) -> bool {
    *format == DateFormat::default()
}

impl DateParameter {
    /// The member that makes an object a time expression.
    pub(crate) const KEY: &str = "$date";

    /// Parses an object that has the member `$date`.
    ///
    /// # Errors
    ///
    /// Returns all faults, with their places in the object.
    pub fn parse(object: &Map<String, Value>) -> Result<Self, Vec<RecipeFault>> {
        let mut faults = Vec::new();
        if object.keys().any(|name| !matches!(name.as_str(), Self::KEY | "as")) {
            let message = "the time expression has members other than $date and as: leave them out";
            faults.push(RecipeFault::invalid("", message));
        }
        let format = match object.get("as").map(DateFormat::deserialize) {
            None => DateFormat::default(),
            Some(Ok(format)) => format,
            Some(Err(_)) => {
                let message = "as is not rfc3339, date, unix or unix_ms: choose one of them";
                faults.push(RecipeFault::invalid("/as", message));
                DateFormat::default()
            }
        };
        let expr = match object.get(Self::KEY) {
            Some(Value::String(text)) => DateExpr::parse(text).map_err(|error| error.to_string()),
            _ => Err("$date is not a text such as now-30d/d: write one".to_owned()),
        };
        match expr {
            Ok(expr) if faults.is_empty() => return Ok(Self { expr, format }),
            Ok(_) => {}
            Err(message) => faults.push(RecipeFault::new("/$date", RecipeCode::ExprInvalid, message)),
        }
        Err(faults)
    }

    /// Returns the value of the parameter at `now` in a zone.
    ///
    /// # Errors
    ///
    /// Returns [`DateExprError`] if the expression leaves the years 1 to 9999.
    pub fn eval(&self, now: Timestamp, zone: &Zone) -> Result<Value, DateExprError> {
        self.expr.eval(now, zone).map(|value| self.format.write(&value))
    }
}

impl DateFormat {
    fn write(self, value: &DateValue) -> Value {
        match self {
            Self::Rfc3339 => value.to_string().into(),
            Self::Date => value.date().into(),
            Self::Unix => value.unix().into(),
            Self::UnixMs => value.unix_ms().into(),
        }
    }
}
