//! The WebAssembly part of the JavaScript package. Texts and patches cross the border as UTF-8, and everything else as JSON
//! through the bridge.

#[cfg(feature = "engine")]
mod stored;

#[cfg(feature = "text")]
use canvas_core::document::LineSpan;
#[cfg(feature = "engine")]
use canvas_examples::bridge::Bridge;
#[cfg(feature = "text")]
use canvas_patch::{ApplyOptions, Mode, apply, build};
#[cfg(feature = "text")]
use serde_json::json;
#[cfg(feature = "text")]
use wasm_bindgen::prelude::wasm_bindgen;

#[cfg(feature = "engine")]
pub use self::stored::{HostStore, StoredEngine};

/// Answers one request about plain text.
#[cfg(feature = "text")]
#[wasm_bindgen]
#[must_use]
pub fn call_text(request: &str) -> String {
    canvas_examples::bridge::call_text(request)
}

/// Applies a patch to a text. Returns a line of JSON about the result, and then the new text. If the patch is refused, the string
/// is empty. The bridge then gives the reason.
#[cfg(feature = "text")]
#[wasm_bindgen]
#[must_use]
pub fn apply_patch(text: &[u8], patch: &[u8], is_anchored: bool) -> String {
    applied(text, patch, is_anchored).unwrap_or_default()
}

#[cfg(feature = "text")]
fn applied(text: &[u8], patch: &[u8], is_anchored: bool) -> Option<String> {
    let (text, patch) = (str::from_utf8(text).ok()?, str::from_utf8(patch).ok()?);
    let mode = if is_anchored { Mode::Anchored } else { Mode::Strict };
    let applied = apply(text, patch, &ApplyOptions { mode, ..ApplyOptions::default() }).ok()?;
    let spans: Vec<LineSpan> = applied.spans().iter().map(LineSpan::from).collect();
    let about = json!({
        "applied_hunks": applied.summary().hunks,
        "repairs": applied.repairs(),
        "spans": spans,
        "reverse": applied.inverse(),
        "summary": applied.summary().to_string(),
    });
    Some(format!("{about}\n{}", applied.text()))
}

/// Builds the patch that turns one text into the other.
#[cfg(feature = "text")]
#[wasm_bindgen]
#[must_use]
pub fn build_patch(before: &[u8], after: &[u8], context: usize) -> String {
    match (str::from_utf8(before), str::from_utf8(after)) {
        (Ok(before), Ok(after)) => build(before, after, context),
        // JavaScript encodes no other bytes.
        _ => String::new(),
    }
}

/// An engine behind its JSON interface. JavaScript frees it.
#[cfg(feature = "engine")]
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Engine(Bridge);

#[cfg(feature = "engine")]
#[wasm_bindgen]
impl Engine {
    /// An engine without canvases.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers one request.
    pub fn call(&mut self, request: &str) -> String {
        self.0.call(request)
    }
}
