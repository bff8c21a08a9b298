//! Reads messages of clients, and names the faults of the others.
//!
//! * An error names the member that is missing or has the wrong kind.
//! * A message without an id is a notification if its method is named like one. Any other is a request that lacks its id.
//! * An array is a batch. Only the transport knows whether its client may send one.

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, GetMeta as _,
    JsonRpcMessage, ProtocolVersion, RequestId, RequestOptionalParam, ServerJsonRpcMessage,
};
use serde::Deserialize as _;
use serde_json::Value;

use crate::params;

/// Messages that one batch may have.
pub(crate) const MAX_BATCH: usize = 100;

/// A line, or the body of a request.
#[derive(Debug)]
pub(crate) enum Incoming {
    One(Box<ClientJsonRpcMessage>),
    Batch(Vec<Value>),
}

/// The error that answers a message, and the id of that message if it could be read.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) error: ErrorData,
    pub(crate) id: Option<RequestId>,
}

impl Fault {
    pub(crate) fn invalid(message: impl Into<String>, id: Option<RequestId>) -> Self {
        Self { error: ErrorData::invalid_request(message.into(), None), id }
    }

    /// Refuses a request before `initialize`.
    pub(crate) fn not_begun(id: RequestId) -> Self {
        let message =
            "the client has not begun: send initialize first, or name the protocol's version in _meta";
        Self::invalid(message, Some(id))
    }

    /// Refuses a request whose id another request still has.
    pub(crate) fn same_id(id: RequestId) -> Self {
        let message = format!(
            "the id {} is that of a request under way: give each request an id of its own",
            shown(&id.to_string())
        );
        Self::invalid(message, Some(id))
    }
}

impl From<Fault> for ServerJsonRpcMessage {
    fn from(fault: Fault) -> Self {
        Self::error(fault.error, fault.id)
    }
}

/// Removes whitespace and a byte order mark around a message.
pub(crate) fn trim(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.trim_ascii();
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Reads a line or a body.
///
/// # Errors
///
/// If it is neither a message nor a batch.
pub(crate) fn read(bytes: &[u8]) -> Result<Incoming, Fault> {
    if let Ok(message) = serde_json::from_slice(bytes) {
        return judge(message, || serde_json::from_slice(bytes).unwrap_or_default()).map(Incoming::One);
    }
    match serde_json::from_slice(bytes) {
        Ok(Value::Array(batch)) => Ok(Incoming::Batch(batch)),
        Ok(value) => Err(fault(&value)),
        Err(error) => {
            let message = format!("not JSON ({error}): send each message whole");
            Err(Fault { error: ErrorData::new(ErrorCode::PARSE_ERROR, message, None), id: None })
        }
    }
}

/// Reads a message of a batch.
///
/// # Errors
///
/// If it is not a message, or `initialize`, which the protocol keeps out of batches.
pub(crate) fn of_batch(value: &Value) -> Result<Box<ClientJsonRpcMessage>, Fault> {
    let message = Box::<ClientJsonRpcMessage>::deserialize(value).map_err(|_| fault(value))?;
    let message = judge(message, || value.clone())?;
    match &*message {
        JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::InitializeRequest(_)) =>
        {
            Err(Fault::invalid(
                "initialize may not be part of a batch: send it alone",
                Some(request.id.clone()),
            ))
        }
        _ => Ok(message),
    }
}

/// Checks that a client of this version may send a batch of this length.
///
/// # Errors
///
/// If the version has no batches, or the batch is empty or too long.
pub(crate) fn check_batch(version: Option<&ProtocolVersion>, messages: usize) -> Result<(), Fault> {
    let message = match version {
        Some(version) if *version == ProtocolVersion::V_2025_03_26 => match messages {
            0 => "the batch is empty: send at least one message".to_owned(),
            1..=MAX_BATCH => return Ok(()),
            _ => format!("the batch has {messages} messages and may have {MAX_BATCH}: split it"),
        },
        Some(version) => format!(
            "version {version} has no batches: send the messages one by one, or initialize with 2025-03-26"
        ),
        None => "only a session of 2025-03-26 has batches: send initialize first, by itself".into(),
    };
    Err(Fault::invalid(message, None))
}

/// Refuses messages that the service would answer as if they were others.
fn judge(
    message: Box<ClientJsonRpcMessage>,
    value: impl FnOnce() -> Value,
) -> Result<Box<ClientJsonRpcMessage>, Fault> {
    match &*message {
        JsonRpcMessage::Request(request) => {
            let checked = match &request.request {
                // The service never sees this one, because only a valid `initialize` begins a session.
                ClientRequest::CustomRequest(custom)
                    if custom.method == "initialize" && custom.get_meta().protocol_version().is_none() =>
                {
                    Err(params::fault("initialize", custom.params.as_ref()))
                }
                // Invalid parameters are read as `None`, which would return the first page.
                ClientRequest::ListToolsRequest(RequestOptionalParam { params: None, .. })
                | ClientRequest::ListPromptsRequest(RequestOptionalParam { params: None, .. })
                | ClientRequest::ListResourcesRequest(RequestOptionalParam { params: None, .. })
                | ClientRequest::ListResourceTemplatesRequest(RequestOptionalParam {
                    params: None, ..
                }) => params::check(request.request.method(), value().get("params")),
                _ => Ok(()),
            };
            checked.map_err(|error| Fault { error, id: Some(request.id.clone()) })?;
        }
        JsonRpcMessage::Notification(notification) => {
            if let ClientNotification::CustomNotification(custom) = &notification.notification
                && !is_notification(&custom.method)
            {
                return Err(Fault::invalid(no_id(&custom.method), None));
            }
        }
        _ => {}
    }
    Ok(message)
}

fn is_notification(method: &str) -> bool {
    method.starts_with("notifications/")
}

fn no_id(method: &str) -> String {
    format!("`id` is missing: {} is a request, and needs one", shown(method))
}

/// Names the fault of JSON that is not a message.
fn fault(value: &Value) -> Fault {
    let Value::Object(members) = value else {
        return Fault::invalid(format!("a message is an object, and this is {}", params::kind(value)), None);
    };
    let id = members.get("id").and_then(|id| RequestId::deserialize(id).ok());
    let has = |member| members.contains_key(member);
    let message = match (members.get("jsonrpc"), members.get("id"), members.get("method")) {
        (_, Some(other), _) if id.is_none() => format!(
            "`id` is {}: it is a string, or a whole number of 64 bits",
            if other.is_number() { "another number" } else { params::kind(other) }
        ),
        (None, ..) => "`jsonrpc` is missing: it is \"2.0\"".into(),
        (Some(version), ..) if version != "2.0" => "`jsonrpc` is another value: it is \"2.0\"".into(),
        (.., Some(method)) if !method.is_string() => {
            format!("`method` is {}: it is a string", params::kind(method))
        }
        (.., Some(_)) if has("result") || has("error") => {
            "a message with `method` has neither `result` nor `error`".into()
        }
        (.., None) if has("result") && has("error") => {
            "an answer has `result` or `error`, and not both".into()
        }
        (.., None) if has("error") => {
            "`error` has a whole number as `code`, and a string as `message`".into()
        }
        (_, None, None) if has("result") => "`id` is missing: an answer has that of its request".into(),
        (.., None) if !has("result") => "`method` is missing: a request and a notification have one".into(),
        (_, None, Some(Value::String(method))) if !is_notification(method) => no_id(method),
        (.., Some(Value::String(method))) if ClientJsonRpcMessage::deserialize(value).is_err() => {
            return Fault { error: params::fault(method, members.get("params")), id };
        }
        _ => "the message has a member twice".into(),
    };
    Fault::invalid(message, id)
}

/// Quotes a text of the client, cut to fit an error.
fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(100).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_keep_the_id_that_could_be_read() {
        for (text, code, id) in [
            ("", ErrorCode::PARSE_ERROR, None),
            ("{", ErrorCode::PARSE_ERROR, None),
            ("no JSON", ErrorCode::PARSE_ERROR, None),
            ("7", ErrorCode::INVALID_REQUEST, None),
            (r#"{"jsonrpc":"2.0","method":7.5,"params":[]}"#, ErrorCode::INVALID_REQUEST, None),
            (
                r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
                ErrorCode::INVALID_REQUEST,
                Some(RequestId::Number(3)),
            ),
            (r#"{"id":"a"}"#, ErrorCode::INVALID_REQUEST, Some(RequestId::String("a".into()))),
        ] {
            let fault = read(text.as_bytes()).expect_err(text);
            assert_eq!((fault.error.code, fault.id), (code, id), "{text}");
        }
    }

    #[test]
    fn whitespace_and_byte_order_mark_are_trimmed() {
        for (text, trimmed) in [(" \r", ""), ("\u{feff}", ""), (" \u{feff}{}\r\n", "{}")] {
            assert_eq!(trim(text.as_bytes()), trimmed.as_bytes(), "{text:?}");
        }
    }
}
