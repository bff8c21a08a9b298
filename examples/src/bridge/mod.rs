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
mod versions;

use std::sync::Arc;

use canvas_core::PersonId;
use canvas_core::json::exact_json;
use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::testing::block_on;
use serde_json::{Value, json};

use documents::Documents;
use operations::{Answer, OPERATIONS, Operation, TEXT, feature_of};
use request::{BridgeError, Request, left_out};

/// Reads the clock that the requests of a bridge set.
pub type BridgeClock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

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

    /// A bridge on a store of the host, which gets the clock that requests set. `run` begins the ids of the bridge's own
    /// calls. Take another one for each bridge, because the store may have the calls of earlier ones.
    pub fn with_store<S: Store>(run: &str, open: impl FnOnce(BridgeClock) -> S) -> Self {
        Self { documents: Documents::with_store(run, open) }
    }

    /// Answers one request. Whatever it is, the answer is one line of JSON.
    pub fn call(&mut self, request: &str) -> String {
        block_on(self.call_async(request))
    }

    /// Like [`Bridge::call`], for stores that are not ready at once. If the future is dropped, the operation may have been
    /// committed or not.
    pub async fn call_async(&mut self, request: &str) -> String {
        match parsed(request) {
            Ok(body) => answer(&body, self.dispatch(&body).await),
            Err(error) => answer(&Value::Null, Err(error)),
        }
    }

    /// The result, as JSON.
    async fn dispatch(&mut self, body: &Value) -> Result<String, BridgeError> {
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
            Answer::Stored(answer) => answer(&mut self.documents, &request).await,
        }
    }
}

/// Answers one request about plain text, which needs no bridge. Programs that call this alone are small.
pub fn call_text(request: &str) -> String {
    let dispatch = |body: &Value| {
        let (operation, request) = operation_of(body, &[TEXT])?;
        match operation.answer {
            Answer::Text(answer) => answer(&request).map(|answer| answer.to_string()),
            _ => Err(unknown(operation.name)),
        }
    };
    match parsed(request) {
        Ok(body) => answer(&body, dispatch(&body)),
        Err(error) => answer(&Value::Null, Err(error)),
    }
}

fn parsed(request: &str) -> Result<Value, BridgeError> {
    exact_json(request).map_err(|e| {
        let message = format!("the line is no JSON as it should be ({e}): send one JSON object a line");
        BridgeError::new("BAD_REQUEST", message)
    })
}

/// Writes the answer to a request, with its id.
fn answer(request: &Value, result: Result<String, BridgeError>) -> String {
    let id = request.get("id").unwrap_or(&Value::Null);
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
