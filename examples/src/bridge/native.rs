//! Operations on native dialects.

use canvas_core::CodedError as _;
use canvas_core::text::build as build_patch;
use canvas_tools::native::{Dialect, NativeError, NativeOptions, RenderOptions, apply_native, render_native};
use canvas_tools::{NativeTools, ToolCall};
use serde_json::{Value, json};

use super::documents::{Documents, Offered};
use super::faces::join;
use super::request::{BridgeError, Request};

pub(super) fn apply(request: &Request<'_>) -> Result<Value, BridgeError> {
    let (text, call) = (request.text("text")?, request.field::<Value>("call")?);
    let dialect = dialect(request)?;
    let options = NativeOptions { path: path(request)?, ..NativeOptions::default() };
    let edit = apply_native(dialect, text, &call, &options)?;
    Ok(json!({
        "reverse": build_patch(&edit.text, text, 3),
        "text": edit.text,
        "repairs": edit.repairs,
        "message": edit.message,
    }))
}

pub(super) fn render(request: &Request<'_>) -> Result<Value, BridgeError> {
    let (before, after) = (request.text("before")?, request.text("after")?);
    let context = request.field::<Option<usize>>("context")?;
    let options = RenderOptions {
        context: context.unwrap_or_else(|| RenderOptions::default().context),
        unique: request.field::<Option<bool>>("unique")?.unwrap_or(true),
    };
    let calls = render_native(before, after, dialect(request)?, path(request)?, &options)
        .map_err(|error| BridgeError::new(error.code(), error.to_string()))?;
    Ok(json!({"calls": calls}))
}

/// A call of the dialect's tool on a canvas, and the reply as that model gets it.
pub(super) async fn call(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let dialect = dialect(request)?;
    let now = documents.now(request)?;
    let session = documents.session(request, now).await?;
    let name = request.field::<Option<&str>>("name")?.unwrap_or_else(|| dialect.tool_names()[0]);
    let call = ToolCall {
        id: request.text("call_id")?.to_owned(),
        name: name.to_owned(),
        arguments: request.field::<Option<Value>>("arguments")?.unwrap_or(Value::Null),
    };
    let native = NativeTools { path: path(request)?.to_owned(), ..NativeTools::new(dialect) };
    let reply = documents
        .run(&session, &call, now, Offered::Only { tools: &join(vec![Box::new(native)]), is_extended: false })
        .await?;
    let mut result = json!({
        "ok": reply.is_ok(),
        "text": NativeTools::text_of(&reply),
        "is_error": !reply.is_ok(),
        "revision_id": reply.revision_id(),
    });
    if let Some(proposed) = reply.body().get("proposed") {
        result["proposed"] = proposed.clone();
    }
    if let Some(code) = reply.code() {
        result["code"] = code.into();
    }
    Ok(result)
}

/// The dialect of a request.
pub(super) fn dialect(request: &Request<'_>) -> Result<Dialect, BridgeError> {
    let name = request.text("dialect")?;
    Dialect::from_code(name).ok_or_else(|| {
        let known = Dialect::ALL.map(Dialect::code).join(", ");
        BridgeError::new("BAD_REQUEST", format!("there is no dialect {name:?}: send one of {known}"))
    })
}

pub(super) fn path<'a>(request: &Request<'a>) -> Result<&'a str, BridgeError> {
    Ok(request.field::<Option<&str>>("path")?.unwrap_or_else(|| NativeOptions::default().path))
}

impl From<NativeError> for BridgeError {
    fn from(error: NativeError) -> Self {
        Self::new(error.code(), error.to_string())
            .with("reason", error.reason().into())
            .with("conflicts", json!(error.conflicts()))
    }
}
