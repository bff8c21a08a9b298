//! One call of a dialect, and what becomes of it.

use canvas_tools::native::{Dialect, NativeError, NativeOptions, apply_native};
use serde_json::Value;

pub(crate) const PATH: &str = "plan.md";

/// A call on a text leads to the other text, or is refused for the reason. The repairs are returned by their codes.
#[track_caller]
pub(crate) fn check(
    dialect: Dialect,
    text: &str,
    call: &Value,
    expected: Result<&str, &str>,
) -> Vec<&'static str> {
    let options = NativeOptions { path: PATH, ..NativeOptions::default() };
    let outcome = apply_native(dialect, text, call, &options);
    let seen = match &outcome {
        Ok(edit) => {
            assert_eq!(edit.delta.apply(text).as_deref(), Ok(&*edit.text), "{call}");
            Ok(&*edit.text)
        }
        Err(error) => Err(error.conflicts()[0].reason.code()),
    };
    let words = outcome.as_ref().err().map(NativeError::to_string).unwrap_or_default();
    assert!(
        seen == expected,
        "{dialect} {:.300} on {text:.300?} gives {seen:.300?}, not {expected:.300?}: {words:.900}",
        call.to_string()
    );
    let repairs = outcome.map(|edit| edit.repairs).unwrap_or_default();
    repairs.iter().map(|repair| repair.kind.code()).collect()
}
