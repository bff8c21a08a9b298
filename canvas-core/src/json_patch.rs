//! Differences between JSON values as JSON Patch (RFC 6902).

#[cfg(feature = "board")]
use ::json_patch::PatchOperation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An operation of RFC 6902, of those that a diff makes. `path` is a JSON Pointer into the value before it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum JsonPatchOperation {
    /// Adds a member, or an item before the one that has this index now.
    Add {
        /// The place that the value will have.
        path: String,
        /// The value that is added.
        value: Value,
    },
    /// Takes a member or an item away; later items move up.
    Remove {
        /// The place of what goes.
        path: String,
    },
    /// Puts another value in place of one that is there. An empty path is the whole.
    Replace {
        /// The place of both values.
        path: String,
        /// The new value.
        value: Value,
    },
}

/// Returns the operations that turn one value into another, in order; empty if they are equal. Items of lists are
/// compared by index.
#[cfg(feature = "board")]
pub(crate) fn diff(before: &Value, after: &Value) -> Vec<JsonPatchOperation> {
    ::json_patch::diff(before, after).0.into_iter().filter_map(operation).collect()
}

#[cfg(feature = "board")]
fn operation(operation: PatchOperation) -> Option<JsonPatchOperation> {
    let path = operation.path().to_string();
    match operation {
        PatchOperation::Add(add) => Some(JsonPatchOperation::Add { path, value: add.value }),
        PatchOperation::Remove(_) => Some(JsonPatchOperation::Remove { path }),
        PatchOperation::Replace(replace) => Some(JsonPatchOperation::Replace { path, value: replace.value }),
        // A diff never produces these.
        PatchOperation::Move(_) | PatchOperation::Copy(_) | PatchOperation::Test(_) => None,
    }
}
