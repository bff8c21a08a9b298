//! Whose doing something is.

use serde::{Deserialize, Serialize};

/// Whose doing something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    /// The person, or the host on the person's behalf.
    User,
    /// A model.
    Assistant,
}
