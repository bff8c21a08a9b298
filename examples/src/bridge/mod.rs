//! The whole engine behind one function: JSON in, JSON out.
//!
//! Bindings for other languages wrap [`Bridge::call`]; the `bridge` program reads requests from standard input. The
//! only clock is the `now` of the requests. Everything lives in memory, unless `store.open` comes first.

#[cfg(feature = "board")]
mod board;
#[cfg(feature = "board")]
mod data;
mod directives;
mod documents;
mod faces;
mod history;
mod native;
mod operations;
mod proposals;
#[cfg(feature = "providers")]
mod providers;
#[cfg(feature = "recipe")]
mod recipe;
mod request;
mod store;
#[cfg(feature = "surface")]
mod surface;
mod text;

use canvas_core::PersonId;
use canvas_core::json::exact_json;
use serde_json::{Value, json};

use documents::Documents;
use operations::{Answer, OPERATIONS, Operation, TEXT, feature_of};
use request::{BridgeError, Request, left_out};

/// The engine with its canvases.
#[derive(Debug, Default)]
pub struct Bridge {
    documents: Documents,
}

impl Bridge {
    /// A bridge without canvases.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers one request. Whatever it is, the answer is one line of JSON.
    pub fn call(&mut self, request: &str) -> String {
        answer(request, |body| self.dispatch(body))
    }

    /// The result, as JSON.
    fn dispatch(&mut self, body: &Value) -> Result<String, BridgeError> {
        let (operation, request) = operation_of(body, OPERATIONS)?;
        if request.has("canvas") && request.has("now") {
            self.documents.now(&request)?;
        }
        let may_name = operation.fields.contains(&"person?");
        let person: Option<PersonId> = if may_name { request.field("person")? } else { None };
        // A canvas without named people keeps its format.
        self.documents.person = person.filter(|person| *person != PersonId::default());
        match operation.answer {
            Answer::Text(answer) => answer(&request).map(|answer| answer.to_string()),
            Answer::Value(answer) => answer(&mut self.documents, &request).map(|answer| answer.to_string()),
            #[cfg(feature = "board")]
            Answer::Written(answer) => answer(&self.documents, &request),
        }
    }
}

/// Answers one request about plain text, which needs no bridge. Programs that call this alone are small.
pub fn call_text(request: &str) -> String {
    answer(request, |body| {
        let (operation, request) = operation_of(body, &[TEXT])?;
        match operation.answer {
            Answer::Text(answer) => answer(&request).map(|answer| answer.to_string()),
            _ => Err(unknown(operation.name)),
        }
    })
}

/// Reads a request, and writes the answer of `dispatch` with the request's id.
fn answer(request: &str, dispatch: impl FnOnce(&Value) -> Result<String, BridgeError>) -> String {
    let (id, result) = match exact_json(request) {
        Ok(body) => (body.get("id").cloned().unwrap_or(Value::Null), dispatch(&body)),
        Err(e) => {
            let message = format!("the line is no JSON as it should be ({e}): send one JSON object a line");
            (Value::Null, Err(BridgeError::new("BAD_REQUEST", message)))
        }
    };
    match result {
        Ok(result) => format!(r#"{{"id":{id},"ok":true,"result":{result}}}"#),
        Err(error) => json!({"id": id, "ok": false, "error": error.to_json()}).to_string(),
    }
}

/// The operation that a request names, and the request with its fields checked.
fn operation_of<'a, 'o>(
    body: &'a Value,
    operations: &'o [&[Operation]],
) -> Result<(&'o Operation, Request<'a>), BridgeError> {
    let name = Request::new(body, &["op"]).text("op")?;
    let Some(operation) = operations.iter().copied().flatten().find(|operation| operation.name == name)
    else {
        return Err(feature_of(name).map_or_else(|| unknown(name), left_out));
    };
    let request = Request::new(body, operation.fields);
    request.check_fields()?;
    Ok((operation, request))
}

fn unknown(name: &str) -> BridgeError {
    BridgeError::new("BAD_REQUEST", format!("there is no operation {name:?}: see the table of operations"))
}

/// The JSON Schemas of requests, by the name of the operation.
pub fn request_schemas() -> impl Iterator<Item = (&'static str, Value)> {
    OPERATIONS.iter().copied().flatten().map(|operation| (operation.name, operation.schema()))
}
