//! Differences between two states of a surface.

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::error::CodedError;
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::value::StateValue;

/// A changed place of a state, with its value before and after.
///
/// A place is never inside a list. A change in a list counts as a change of the whole outermost list, because the
/// numbers of items move. A place has a value before or after, and the root has both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StateChange {
    /// Pointer to the changed place.
    pub path: StatePointer,
    /// The value before; `None` if the place was empty.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub before: Option<StateValue>,
    /// The value after; `None` if the place is empty now.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub after: Option<StateValue>,
}

impl StateChange {
    /// Returns the change in the opposite direction.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { path: self.path, before: self.after, after: self.before }
    }
}

/// Returns the places of these changes.
pub fn changed_paths(changes: &[StateChange]) -> Vec<StatePointer> {
    changes.iter().map(|change| change.path.clone()).collect()
}

/// Error returned if a place does not have the value that a change expects.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state has changed at {}: look at it again", at(path))]
pub struct StateConflict {
    /// The place with the unexpected value.
    pub path: StatePointer,
}

impl CodedError for StateConflict {
    fn code(&self) -> &'static str {
        "PATCH_FAILED"
    }
}

fn at(path: &StatePointer) -> &str {
    if path.as_str().is_empty() { "its root" } else { path.as_str() }
}

/// Distinguishes a member that is `null` from a missing one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StateValue>, D::Error> {
    StateValue::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn null_is_something_and_what_is_left_out_is_nothing() {
        let json = json!({"path": "/a", "before": null});
        let change: StateChange = serde_json::from_value(json.clone()).unwrap();
        assert_eq!((&change.before, &change.after), (&Some(StateValue::Null), &None));
        assert_eq!(serde_json::to_value(&change).unwrap(), json);
        assert_eq!(serde_json::to_value(change.inverse()).unwrap(), json!({"path": "/a", "after": null}));
    }
}
