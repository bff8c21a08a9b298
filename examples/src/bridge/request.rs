//! Reads requests, and reports what is wrong with them.

use std::borrow::Cow;

use canvas_core::lease::Timestamp;
use canvas_core::store::StoreError;
use canvas_core::text::ApplyError;
use canvas_core::{CodedError, EngineError, NameError, Refusal};
use canvas_tools::SessionError;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::operations::EVERYWHERE;

/// A request's fields, read as they are needed.
pub(super) struct Request<'a> {
    body: &'a Value,
    /// The fields that its operation reads, beside [`EVERYWHERE`].
    fields: &'static [&'static str],
}

impl<'a> Request<'a> {
    pub(super) fn new(body: &'a Value, fields: &'static [&'static str]) -> Self {
        Self { body, fields }
    }

    /// Refuses a request without a field that the operation needs, and fields that it does not read: one that is misspelt
    /// would have no effect.
    pub(super) fn check_fields(&self) -> Result<(), BridgeError> {
        let unknown: Vec<_> = self
            .body
            .as_object()
            .into_iter()
            .flat_map(Map::keys)
            .filter(|name| !self.is_known(name))
            .map(|name| format!("{name:?}"))
            .collect();
        if unknown.is_empty() {
            let mut needed = self.fields.iter().filter(|field| !field.ends_with('?'));
            return match needed.find(|field| self.body.get(**field).is_none()) {
                Some(field) => Err(Self::unread(field, "it is missing")),
                None => Ok(()),
            };
        }
        let (unknown, known) = (unknown.join(", "), self.fields.join(", "));
        let known = if known.is_empty() { "none of its own".to_owned() } else { known };
        let message = format!("unknown fields {unknown}: leave them out; the operation has {known}");
        Err(BridgeError::new("BAD_REQUEST", message))
    }

    fn is_known(&self, name: &str) -> bool {
        let mut own = self.fields.iter().map(|field| field.strip_suffix('?').unwrap_or(field));
        own.any(|field| field == name) || EVERYWHERE.contains(&name)
    }

    /// A field as any type that JSON can hold.
    pub(super) fn field<T: Deserialize<'a>>(&self, name: &str) -> Result<T, BridgeError> {
        debug_assert!(self.is_known(name), "the table of operations leaves {name} out");
        let value = self.body.get(name);
        T::deserialize(value.unwrap_or(&Value::Null)).map_err(|e| {
            let what = if value.is_some() { e.to_string() } else { "it is missing".to_owned() };
            Self::unread(name, &what)
        })
    }

    fn unread(name: &str, what: &str) -> BridgeError {
        BridgeError::new("BAD_REQUEST", format!("field {name}: {what}: send it as the operation says"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.body.get(name).is_some_and(|value| !value.is_null())
    }

    pub(super) fn text(&self, name: &str) -> Result<&'a str, BridgeError> {
        self.field(name)
    }

    pub(super) fn now(&self) -> Result<Timestamp, BridgeError> {
        self.field("now")
    }
}

/// An error reply.
#[derive(Debug)]
pub(super) struct BridgeError {
    code: Cow<'static, str>,
    message: String,
    details: Map<String, Value>,
}

impl BridgeError {
    pub(super) fn new(code: impl Into<Cow<'static, str>>, message: String) -> Self {
        Self { code: code.into(), message, details: Map::new() }
    }

    /// An error with its reason, its place, and whether the same request can succeed later, as far as it has them.
    pub(super) fn coded(error: &impl CodedError, message: String) -> Self {
        let mut coded = Self::new(error.code(), message);
        if let Some(reason) = error.reason() {
            coded = coded.with("reason", reason.into());
        }
        if let Some(place) = error.place() {
            coded = coded.with("place", place.into());
        }
        if error.is_retryable() { coded.with("retryable", true.into()) } else { coded }
    }

    /// An error that is JSON already: an object with a code, a message and more.
    #[cfg(any(feature = "board", feature = "surface"))]
    pub(super) fn of(error: &impl serde::Serialize) -> Self {
        let mut details = match json!(error) {
            Value::Object(details) => details,
            _ => Map::new(),
        };
        let mut text = |name| details.remove(name).and_then(|text| text.as_str().map(str::to_owned));
        let (code, message) = (text("code").unwrap_or_default(), text("message").unwrap_or_default());
        Self { code: code.into(), message, details }
    }

    pub(super) fn with(mut self, name: &str, value: Value) -> Self {
        self.details.insert(name.into(), value);
        self
    }

    pub(super) fn to_json(&self) -> Value {
        let mut error = self.details.clone();
        error.insert("code".into(), self.code.as_ref().into());
        error.insert("message".into(), self.message.clone().into());
        Value::Object(error)
    }
}

impl From<ApplyError> for BridgeError {
    fn from(error: ApplyError) -> Self {
        Self::new(ApplyError::CODE, error.to_string())
            .with("reason", error.reason().code().into())
            .with("conflicts", json!(error.conflicts()))
            .with("remedy", json!(error.suggestion()))
    }
}

macro_rules! plain_errors {
    ($($error:ty),+) => {$(
        impl From<$error> for BridgeError {
            fn from(error: $error) -> Self {
                Self::coded(&error, error.message())
            }
        }
    )+};
}
plain_errors!(EngineError, StoreError, SessionError);

impl From<Refusal<'_>> for BridgeError {
    fn from(refusal: Refusal<'_>) -> Self {
        let error = Self::coded(&refusal, refusal.to_string());
        match refusal {
            Refusal::StaleEdit(stale) => error
                .with("revision_id", json!(stale.current))
                .with("changes", json!(stale.changes))
                .with("markdown", stale.markdown.as_str().into()),
            _ => error,
        }
    }
}

impl From<NameError> for BridgeError {
    fn from(error: NameError) -> Self {
        Self::new("BAD_REQUEST", error.to_string())
    }
}

/// The error for what a feature has that is left out.
pub(super) fn left_out(feature: &str) -> BridgeError {
    let message = format!("this bridge is built without {feature}: build it with the feature {feature}");
    BridgeError::new("NOT_SUPPORTED", message)
}
