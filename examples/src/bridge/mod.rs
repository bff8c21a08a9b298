//! The whole engine behind one function: JSON in, JSON out.
//!
//! Bindings for other languages wrap [`Bridge::call`]; the `bridge` program reads requests from standard input. The
//! only clock is the `now` of the requests. Everything lives in memory, unless `store.open` comes first.

mod board;
mod data;
mod directives;
mod documents;
mod history;
mod native;
mod operations;
mod proposals;
mod providers;
mod recipe;
mod request;
mod store;
mod surface;
mod text;

use canvas_core::PersonId;
use canvas_core::json::exact_json;
use serde_json::{Value, json};

use documents::Documents;
use operations::{Answer, OPERATIONS};
use request::{BridgeError, Request};

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
        let parsed = exact_json(request);
        let (id, result) = match parsed {
            Ok(body) => {
                let id = body.get("id").cloned().unwrap_or(Value::Null);
                (id, self.dispatch(&body))
            }
            Err(e) => {
                let message =
                    format!("the line is no JSON as it should be ({e}): send one JSON object a line");
                (Value::Null, Err(BridgeError::new("BAD_REQUEST", message)))
            }
        };
        match result {
            Ok(result) => format!(r#"{{"id":{id},"ok":true,"result":{result}}}"#),
            Err(error) => json!({"id": id, "ok": false, "error": error.to_json()}).to_string(),
        }
    }

    /// The result, as JSON.
    fn dispatch(&mut self, body: &Value) -> Result<String, BridgeError> {
        let name = Request::new(body, &["op"]).text("op")?;
        let Some(operation) = OPERATIONS.iter().find(|operation| operation.name == name) else {
            let message = format!("there is no operation {name:?}: see the table of operations");
            return Err(BridgeError::new("BAD_REQUEST", message));
        };
        let request = Request::new(body, operation.fields);
        request.check_fields()?;
        if request.has("canvas") && request.has("now") {
            self.documents.now(&request)?;
        }
        let may_name = operation.fields.contains(&"person?");
        let person: Option<PersonId> = if may_name { request.field("person")? } else { None };
        // A canvas without named people keeps its format.
        self.documents.person = person.filter(|person| *person != PersonId::default());
        match operation.answer {
            Answer::Value(answer) => answer(&mut self.documents, &request).map(|answer| answer.to_string()),
            Answer::Written(answer) => answer(&self.documents, &request),
        }
    }
}

/// The JSON Schemas of requests, by the name of the operation.
pub fn request_schemas() -> impl Iterator<Item = (&'static str, Value)> {
    OPERATIONS.iter().map(|operation| (operation.name, operation.schema()))
}

fn not_supported(what: &str) -> BridgeError {
    BridgeError::new("NOT_SUPPORTED", format!("{what} is not built yet: leave it out"))
}
