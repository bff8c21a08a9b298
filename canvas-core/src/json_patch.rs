//! Differences between JSON values as JSON Patch (RFC 6902).

#[cfg(feature = "board")]
use ::json_patch::PatchOperation;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An operation of RFC 6902 in a diff. `path` is a JSON Pointer into the value before the operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
pub enum JsonPatchOperation {
    /// Adds a member, or an item before the current item at this index.
    Add {
        /// Place of the new value.
        path: String,
        /// Value to add.
        value: Value,
    },
    /// Removes a member or an item. Later items move up.
    Remove {
        /// Place of the removed value.
        path: String,
    },
    /// Replaces an existing value. An empty path replaces the complete value.
    Replace {
        /// Place of the old and the new value.
        path: String,
        /// Value to set.
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
