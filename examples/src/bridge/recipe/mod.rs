//! Recipes: time expressions, operations on data, and `replays` of what canvases have.

pub(super) mod replays;

use std::borrow::Cow;

use canvas_core::lease::Timestamp;
use canvas_core::recipe::{DateExpr, DateExprError, Operations, RecipeFault};
use canvas_core::{CodedError as _, Zone};
use serde_json::{Value, json};

use super::request::{BridgeError, Request};

pub(super) fn eval(request: &Request<'_>) -> Result<Value, BridgeError> {
    let expr = DateExpr::parse(request.text("expr")?).map_err(refused_expr)?;
    let value = expr.eval(request.now()?, &zone(request)?).map_err(refused_expr)?;
    Ok(json!({"value": value.to_string()}))
}

pub(super) fn apply(request: &Request<'_>) -> Result<Value, BridgeError> {
    let operations: Value = request.field("ops")?;
    let operations = Operations::parse(&operations).map_err(|faults| refused(&faults))?;
    let value = Cow::Owned(request.field("value")?);
    // Only time expressions ask what time it is.
    let now = if operations.uses_now() { request.now()? } else { Timestamp::from_millis(0) };
    let value = operations.apply(value, now, &zone(request)?).map_err(|fault| refused(&[fault]))?;
    Ok(json!({"value": value}))
}

fn zone(request: &Request<'_>) -> Result<Zone, BridgeError> {
    let name = request.field::<Option<&str>>("timezone")?;
    Ok(name.map_or(Ok(Zone::UTC), Zone::new)?)
}

fn refused_expr(error: DateExprError) -> BridgeError {
    BridgeError::new(error.code(), error.to_string()).with("column", error.column().into())
}

/// The first fault, with all of them.
fn refused(faults: &[RecipeFault]) -> BridgeError {
    let first = &faults[0];
    BridgeError::new(first.code.code(), first.message.clone())
        .with("place", first.place.as_str().into())
        .with("errors", json!(faults))
}
