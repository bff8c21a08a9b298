//! The WebAssembly part of the JavaScript package. Everything crosses the border as JSON, through the bridge.

#[cfg(feature = "engine")]
mod stored;

#[cfg(feature = "engine")]
use canvas_examples::bridge::Bridge;
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
