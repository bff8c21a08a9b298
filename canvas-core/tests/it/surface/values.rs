//! What values become where they end up, and which may not go there.

use canvas_core::lease::Timestamp;
use canvas_core::surface::{Scope, StateValue, SurfaceCode};
use serde_json::{Value, json};

use crate::surface::world::template;

/// Rows of sink, template, state, and the text or the refusal.
const TABLE: &str = include_str!("values.json");

#[test]
fn values_are_written_or_refused() {
    let rows: Vec<(String, String, Value, String)> = serde_json::from_str(TABLE).unwrap();
    let mut wrong = Vec::new();
    for (sink, text, state, expected) in &rows {
        let template = template(sink, text).unwrap();
        let values = StateValue::from(state.clone());
        let scope = Scope { state: &values, input: &Value::Null, now: Timestamp::from_millis(0) };
        let found = match template.resolve(&scope) {
            Ok(value) => value.as_str().unwrap().to_owned(),
            Err(fault) => {
                let is_number = fault.message.contains("double");
                let expected =
                    if is_number { SurfaceCode::ArgumentsRefused } else { SurfaceCode::ValueRefused };
                assert_eq!((fault.code, fault.place.as_str()), (expected, "/args"), "{fault}");
                format!("refused: {fault}")
            }
        };
        if found != *expected {
            wrong.push(json!([sink, text, state, found]).to_string());
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join(",\n"));
}
