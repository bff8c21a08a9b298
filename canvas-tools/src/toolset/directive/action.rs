//! The actions of directives.

use serde::{Deserialize, Serialize};

/// What a directive does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", schemars(inline))]
#[non_exhaustive]
pub enum Action {
    /// Puts content at a place.
    Insert,
    /// Puts content in the place of a range.
    Replace,
    /// Says something about a range, and never alters the text.
    Annotate,
    /// Applies a unified diff.
    Patch,
}

impl Action {
    /// Returns the action's name in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Replace => "replace",
            Self::Annotate => "annotate",
            Self::Patch => "patch",
        }
    }
}
