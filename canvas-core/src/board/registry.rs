//! Types of components (specs 002 §4).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A fault of a config or a binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidationError {
    /// Where, as a JSON Pointer (RFC 6901) into what was checked.
    pub path: String,
    /// What is wrong there.
    pub message: String,
    /// The keyword of JSON Schema that it breaks.
    pub code: String,
}
