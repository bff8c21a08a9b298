//! Names the faults of a request's parameters.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::Value;

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Object,
}

use Kind::{Object, Text};

/// A JSON Pointer into the parameters, the kind of the value there, and whether it is required.
type Member = (&'static str, Kind, bool);

const REQUIRED: bool = true;
const OPTIONAL: bool = false;

const LIST: &[Member] = &[("/cursor", Text, OPTIONAL)];
const RESOURCE: &[Member] = &[("/uri", Text, REQUIRED)];
const NAMED: &[Member] = &[("/name", Text, REQUIRED), ("/arguments", Object, OPTIONAL)];

/// The methods that this server answers, with the members of their parameters. `logging/setLevel` is none of them: this server
/// sends no log messages.
const METHODS: [(&str, &[Member]); 14] = [
    (
        "initialize",
        &[
            ("/protocolVersion", Text, REQUIRED),
            ("/capabilities", Object, REQUIRED),
            ("/capabilities/experimental", Object, OPTIONAL),
            ("/capabilities/extensions", Object, OPTIONAL),
            ("/capabilities/elicitation", Object, OPTIONAL),
            ("/capabilities/roots", Object, OPTIONAL),
            ("/capabilities/sampling", Object, OPTIONAL),
            ("/clientInfo", Object, REQUIRED),
            ("/clientInfo/name", Text, REQUIRED),
            ("/clientInfo/version", Text, REQUIRED),
        ],
    ),
    ("ping", &[]),
    ("server/discover", &[]),
    ("tools/list", LIST),
    ("tools/call", NAMED),
    ("resources/list", LIST),
    ("resources/templates/list", LIST),
    ("resources/read", RESOURCE),
    ("resources/subscribe", RESOURCE),
    ("resources/unsubscribe", RESOURCE),
    ("subscriptions/listen", &[("/notifications", Object, REQUIRED)]),
    ("prompts/list", LIST),
    ("prompts/get", NAMED),
    (
        "completion/complete",
        &[
            ("/ref", Object, REQUIRED),
            ("/ref/type", Text, REQUIRED),
            ("/argument", Object, REQUIRED),
            ("/argument/name", Text, REQUIRED),
            ("/argument/value", Text, REQUIRED),
            ("/context", Object, OPTIONAL),
        ],
    ),
];

/// Returns the error of a request whose parameters could not be read, or whose method is unknown.
pub(crate) fn fault(method: &str, params: Option<&Value>) -> ErrorData {
    let Some(members) = members(method) else { return no_method(method) };
    let message = wrong(method, members, params)
        .unwrap_or_else(|| format!("the parameters are not those of {method}: see the protocol's schema"));
    ErrorData::invalid_params(message, None)
}

/// Checks the members of a known method's parameters.
///
/// # Errors
///
/// If one is missing or has the wrong kind.
pub(crate) fn check(method: &str, params: Option<&Value>) -> Result<(), ErrorData> {
    match members(method).and_then(|members| wrong(method, members, params)) {
        Some(message) => Err(ErrorData::invalid_params(message, None)),
        None => Ok(()),
    }
}

fn members(method: &str) -> Option<&'static [Member]> {
    METHODS.iter().find(|(name, _)| *name == method).map(|(_, members)| *members)
}

/// Returns the error of an unknown method.
pub(crate) fn no_method(method: &str) -> ErrorData {
    let method: String = method.chars().take(100).collect();
    let message = format!("there is no method {method:?}: see the capabilities, and the protocol's schema");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

fn wrong(method: &str, members: &[Member], params: Option<&Value>) -> Option<String> {
    let params = match params {
        Some(params @ Value::Object(_)) => params,
        None | Some(Value::Null) if members.iter().all(|(_, _, is_required)| !is_required) => return None,
        None => return Some(format!("`params` is missing: {method} takes an object there")),
        Some(params) => return Some(format!("`params` is {}: {method} takes an object there", kind(params))),
    };
    members.iter().chain(&[("/_meta", Object, OPTIONAL)]).find_map(|(pointer, wanted, is_required)| {
        let (is_right, noun): (fn(&Value) -> bool, _) = match wanted {
            Text => (Value::is_string, "a string"),
            Object => (Value::is_object, "an object"),
        };
        let found = match params.pointer(pointer) {
            None if *is_required => "missing",
            Some(Value::Null) if !is_required => return None,
            Some(value) if !is_right(value) => kind(value),
            _ => return None,
        };
        let member = pointer[1..].replace('/', ".");
        Some(format!("`{member}` is {found}: {method} takes {noun} there"))
    })
}

/// Names the kind of a value, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
