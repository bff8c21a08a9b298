//! Sources of values for placeholders.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::canonical::{CanonicalError, canonical_json};
use crate::model::error::CodedError;
use crate::surface::state::path::{StatePath, StatePathError};
use crate::surface::state::value::{StateValue, index};
use crate::surface::template::now::rfc3339;

/// The values with which templates are resolved.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// State for placeholders that begin with `state.`.
    pub state: &'a StateValue,
    /// Input of the request, for placeholders that begin with `input.`.
    pub input: &'a Value,
    /// Time of the plan, for `runtime.now`.
    pub now: Timestamp,
}

/// Names a value of the state or the input: `state.service`, `input.steps.0`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum ValuePath {
    /// A path into the state.
    State(StatePath),
    /// A path into the input.
    Input(StatePath),
}

/// Error returned if a text does not name a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValuePathError {
    /// The text begins with neither of the roots.
    #[error("the value's path begins neither with state nor with input: name it as state.a.b or input.a")]
    Root,
    /// The text after the root is not a path.
    #[error(transparent)]
    Path(#[from] StatePathError),
}

impl CodedError for ValuePathError {
    fn code(&self) -> &'static str {
        "TEMPLATE_INVALID"
    }
}

impl FromStr for ValuePath {
    type Err = ValuePathError;

    fn from_str(text: &str) -> Result<Self, ValuePathError> {
        match text.split_once('.') {
            Some(("state", path)) => Ok(Self::State(StatePath::new(path)?)),
            Some(("input", path)) => Ok(Self::Input(StatePath::new(path)?)),
            _ => Err(ValuePathError::Root),
        }
    }
}

impl TryFrom<String> for ValuePath {
    type Error = ValuePathError;

    fn try_from(text: String) -> Result<Self, ValuePathError> {
        text.parse()
    }
}

impl From<ValuePath> for String {
    fn from(path: ValuePath) -> Self {
        path.to_string()
    }
}

impl fmt::Display for ValuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(path) => write!(f, "state.{path}"),
            Self::Input(path) => write!(f, "input.{path}"),
        }
    }
}

impl ValuePath {
    /// Returns the value in a scope, or `None` if it is missing or null.
    pub(super) fn find<'a>(&self, scope: &Scope<'a>) -> Option<Found<'a>> {
        match self {
            Self::State(path) => {
                path.of(scope.state).filter(|value| **value != StateValue::Null).map(Found::State)
            }
            Self::Input(path) => {
                let mut value = scope.input;
                for name in path.names() {
                    value = match value {
                        Value::Object(members) => members.get(name)?,
                        Value::Array(items) => items.get(index(name)?)?,
                        _ => return None,
                    };
                }
                (!value.is_null()).then_some(Found::Json(value))
            }
        }
    }
}

/// The source of a placeholder's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    Path(ValuePath),
    Now,
    Literal(Box<str>),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => path.fmt(f),
            Self::Now => f.write_str("runtime.now"),
            Self::Literal(_) => f.write_str("the template"),
        }
    }
}

/// A value from the state or from the input.
#[derive(Debug, Clone, Copy)]
pub(super) enum Found<'a> {
    State(&'a StateValue),
    Json(&'a Value),
}

impl Source {
    /// Returns the value as text. Strings are verbatim, numbers and booleans are JSON, and lists and objects are
    /// canonical JSON. A missing value and null are empty.
    ///
    /// # Errors
    ///
    /// Fails if a list or an object contains a number that canonical JSON does not allow.
    pub(super) fn text<'a>(&'a self, scope: &Scope<'a>) -> Result<Cow<'a, str>, CanonicalError> {
        let found = match self {
            Self::Literal(text) => return Ok(Cow::Borrowed(text)),
            Self::Now => return Ok(Cow::Owned(rfc3339(scope.now))),
            Self::Path(path) => path.find(scope),
        };
        Ok(match found {
            None => Cow::Borrowed(""),
            Some(Found::State(StateValue::Text(text))) => Cow::Borrowed(text),
            Some(Found::State(StateValue::Number(number))) => Cow::Owned(number.to_string()),
            Some(Found::State(value)) => Cow::Owned(canonical_json(&value.to_value())?),
            Some(Found::Json(Value::String(text))) => Cow::Borrowed(text),
            Some(Found::Json(Value::Number(number))) => Cow::Owned(number.to_string()),
            Some(Found::Json(value)) => Cow::Owned(canonical_json(value)?),
        })
    }

    /// Returns the value with its type. A missing value is null.
    pub(super) fn value(&self, scope: &Scope<'_>) -> Value {
        match self {
            Self::Literal(text) => Value::from(text.as_ref()),
            Self::Now => rfc3339(scope.now).into(),
            Self::Path(path) => match path.find(scope) {
                None => Value::Null,
                Some(Found::State(value)) => value.to_value(),
                Some(Found::Json(value)) => value.clone(),
            },
        }
    }
}
