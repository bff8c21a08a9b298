//! Differences between two states of a surface.

use serde::{Deserialize, Deserializer, Serialize};

use crate::model::error::CodedError;
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::value::StateValue;

/// A place of a state with what was there and what is there now.
///
/// No place is inside a list: a change in one counts as a change of the outermost list as a whole, since the numbers of
/// items move. A place has something before or after, and the whole has both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StateChange {
    /// The place.
    pub path: StatePointer,
    /// What was there; `None` where nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub before: Option<StateValue>,
    /// What is there now; `None` where nothing is.
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
