//! Requests and answers, as they are sent.

use std::error::Error as _;

use axum::extract::ws::Utf8Bytes;
use serde_json::{Value, json};

use crate::error::{Answer, Failure};
use crate::methods::Method;

/// Characters of a request's id.
const ID: usize = 64;

/// A request that can be understood.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: String,
    pub(crate) method: Method,
    /// An object.
    pub(crate) params: Value,
}

impl Request {
    /// Reads a frame. A refusal names the request where that much could be read.
    pub(crate) fn parse(text: &str) -> Result<Self, (Option<String>, Failure)> {
        let bad = |message: &str| Failure::new("BAD_REQUEST", message);
        let mut body: Value = match serde_json::from_str(text) {
            Ok(body) => body,
            Err(error) => {
                return Err((None, bad(&format!("the frame is no JSON ({error}): send one object a frame"))));
            }
        };
        let id = body["id"].as_str().filter(|id| (1..=ID).contains(&id.chars().count())).map(str::to_owned);
        if body["type"] != "req" {
            return Err((id, bad("the frame is no request: send type \"req\" with id, method and params")));
        }
        let Some(id) = id else {
            return Err((None, bad("a request has an id, text of 1 to 64 characters: give it one")));
        };
        let Some(name) = body["method"].as_str() else {
            return Err((Some(id), bad("a request has a method: name one")));
        };
        let Some(method) = Method::named(name) else {
            let short: String = name.chars().take(ID).collect();
            let failure = Failure::new(
                "UNKNOWN_METHOD",
                &format!("there is no method {short:?}: use a documented one"),
            );
            return Err((Some(id), failure));
        };
        let params = match body.get_mut("params").map(Value::take) {
            None | Some(Value::Null) => json!({}),
            Some(params @ Value::Object(_)) => params,
            Some(_) => return Err((Some(id), bad("params are an object: send one"))),
        };
        Ok(Self { id, method, params })
    }
}

/// An answer as it is sent.
pub(crate) fn answer(id: &str, answer: Answer) -> Utf8Bytes {
    match answer {
        Ok(result) => json!({"type": "res", "id": id, "ok": true, "result": result}).to_string().into(),
        Err(failure) => failed(Some(id), failure),
    }
}

/// The answer to what was refused, maybe before it had a name.
pub(crate) fn failed(id: Option<&str>, Failure(error): Failure) -> Utf8Bytes {
    json!({"type": "res", "id": id, "ok": false, "error": error}).to_string().into()
}

/// Whether a frame could not be read since it is too large.
pub(crate) fn is_too_large(error: &axum::Error) -> bool {
    let source = error.source().map(ToString::to_string).unwrap_or_default();
    source.contains("too long") || source.contains("too big") || source.contains("Space limit")
}

#[cfg(test)]
mod tests {
    use super::Request;

    #[test]
    fn what_is_no_request_is_refused_with_its_name_where_it_has_one() {
        let long = format!(r#"{{"type":"req","id":"{}","method":"hello"}}"#, "x".repeat(65));
        let deep = "[".repeat(10_000);
        for (text, id, code) in [
            ("", None, "BAD_REQUEST"),
            ("{", None, "BAD_REQUEST"),
            ("null", None, "BAD_REQUEST"),
            ("[]", None, "BAD_REQUEST"),
            (deep.as_str(), None, "BAD_REQUEST"),
            (r#"{"type":"res","id":"a"}"#, Some("a"), "BAD_REQUEST"),
            (r#"{"type":"req","id":1,"method":"hello"}"#, None, "BAD_REQUEST"),
            (r#"{"type":"req","id":"","method":"hello"}"#, None, "BAD_REQUEST"),
            (long.as_str(), None, "BAD_REQUEST"),
            (r#"{"type":"req","id":"a"}"#, Some("a"), "BAD_REQUEST"),
            (r#"{"type":"req","id":"a","method":"canvas.destroy"}"#, Some("a"), "UNKNOWN_METHOD"),
            (r#"{"type":"req","id":"a","method":"hello","params":[]}"#, Some("a"), "BAD_REQUEST"),
        ] {
            let (found, failure) = Request::parse(text).expect_err(text);
            assert_eq!((found.as_deref(), failure.0["code"].as_str()), (id, Some(code)), "{text}");
        }
        let request = Request::parse(r#"{"type":"req","id":"a","method":"canvas.get"}"#).unwrap();
        assert_eq!(request.params, serde_json::json!({}));
    }
}
