//! Results of actions, saved to a state.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::state::edit::{Edit, StateDraft};
use crate::surface::state::path::StatePath;
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::surface_state::{ChangedState, SurfaceState};
use crate::surface::state::value::{StateValue, index};

impl SurfaceState {
    /// Sets the value at a path. Missing objects on the path are created. Lists are not, and an item can be replaced
    /// only if it exists.
    ///
    /// # Errors
    ///
    /// Returns `STATE_PATH` if the path leads through a value that is neither an object nor a list, or to a missing
    /// item, and `STATE_TOO_LARGE` if the state would be too large. The place is relative to the state.
    pub fn save(
        &self,
        path: &StatePath,
        value: StateValue,
        limits: &SurfaceLimits,
    ) -> Result<ChangedState, SurfaceFault> {
        let (place, missing) = self.locate(path)?;
        let wrap = |inner, name: &str| StateValue::Object(Arc::new(BTreeMap::from([(name.into(), inner)])));
        let value = missing.into_iter().rev().fold(value, wrap);
        let mut draft = StateDraft::new(self);
        draft
            .edit(&place, Edit::Replace(value), limits)
            .map_err(|error| SurfaceFault::new(place.as_str(), error.code(), error.to_string()))?;
        draft.finish(limits)
    }

    /// Returns the outermost place that a save at a path would set, and the names of the path below it.
    pub(crate) fn locate<'p>(
        &self,
        path: &'p StatePath,
    ) -> Result<(StatePointer, Vec<&'p str>), SurfaceFault> {
        locate(self.value(), path.names(), path)
    }
}

/// Returns the outermost place that a value at these names would change, and the names below it. `path` contains the
/// same names and is used for messages.
pub(super) fn locate<N: AsRef<str>>(
    value: &StateValue,
    names: impl Iterator<Item = N>,
    path: impl Display,
) -> Result<(StatePointer, Vec<N>), SurfaceFault> {
    let (mut node, mut place) = (Some(value), StatePointer::root());
    let mut missing = Vec::new();
    for name in names {
        let Some(here) = node else {
            missing.push(name);
            continue;
        };
        let key = name.as_ref();
        node = match here {
            StateValue::Object(members) => members.get(key),
            StateValue::List(items) => match index(key).and_then(|index| items.get(index)) {
                Some(item) => Some(item),
                None => return Err(no_item(&place, path, key, items.len())),
            },
            _ => return Err(no_object(&place, path, key)),
        };
        place = place.join(key);
    }
    Ok((place, missing))
}

fn no_item(place: &StatePointer, path: impl Display, name: &str, items: usize) -> SurfaceFault {
    let message = format!(
        "{path} leads through a list of {items} items, which has no item {name}: save beside the list"
    );
    SurfaceFault::new(place.as_str(), SurfaceCode::StatePath, message)
}

fn no_object(place: &StatePointer, path: impl Display, name: &str) -> SurfaceFault {
    let message =
        format!("{path} leads through a value that has no member {name}: save elsewhere, or remove it first");
    SurfaceFault::new(place.as_str(), SurfaceCode::StatePath, message)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::surface::strategies::{state_paths, state_values};

    fn save(state: Value, path: &str, value: Value) -> Result<ChangedState, SurfaceFault> {
        let limits = SurfaceLimits::default();
        let state = SurfaceState::new(state.into(), &limits).unwrap();
        state.save(&StatePath::new(path).unwrap(), value.into(), &limits)
    }

    #[test]
    fn saves_make_objects_and_never_lists() {
        for (state, path, expected, changed) in [
            (json!({}), "a", Some(json!({"a": 7})), "/a"),
            (json!({"a": 1}), "a", Some(json!({"a": 7})), "/a"),
            (json!({"a": null}), "a", Some(json!({"a": 7})), "/a"),
            (json!({}), "a.b.c", Some(json!({"a": {"b": {"c": 7}}})), "/a"),
            (json!({"a": {"x": 1}}), "a.b.c", Some(json!({"a": {"x": 1, "b": {"c": 7}}})), "/a/b"),
            (json!({}), "a.0", Some(json!({"a": {"0": 7}})), "/a"),
            (json!({"a": [1, 2]}), "a.1", Some(json!({"a": [1, 7]})), "/a"),
            (json!({"a": [{"b": 1}]}), "a.0.b", Some(json!({"a": [{"b": 7}]})), "/a"),
            (json!([1]), "0", Some(json!([7])), ""),
            (json!({"a/b": {}}), "a/b.~", Some(json!({"a/b": {"~": 7}})), "/a~1b/~0"),
            // Missing items, and values that have no members.
            (json!({"a": [1]}), "a.1", None, "/a"),
            (json!({"a": []}), "a.0.b", None, "/a"),
            (json!({"a": [1]}), "a.-", None, "/a"),
            (json!({"a": [1]}), "a.00", None, "/a"),
            (json!({"a": [1]}), "a.b", None, "/a"),
            (json!({"a": "x"}), "a.b", None, "/a"),
            (json!({"a": null}), "a.b", None, "/a"),
            (json!(7), "a", None, ""),
        ] {
            match (save(state, path, json!(7)), expected) {
                (Ok(saved), Some(expected)) => {
                    assert_eq!(saved.state.value().to_value(), expected);
                    assert_eq!(saved.changes.len(), 1);
                    assert_eq!(saved.changes[0].path.as_str(), changed);
                }
                (Err(fault), None) => {
                    assert_eq!(
                        (fault.code, fault.place.as_str()),
                        (SurfaceCode::StatePath, changed),
                        "{path}"
                    );
                }
                (result, _) => panic!("{path}: {result:?}"),
            }
        }
    }

    #[test]
    fn a_save_that_changes_nothing_is_none() {
        assert_eq!(save(json!({"a": {"b": [1]}}), "a.b", json!([1])).unwrap().changes, []);
    }

    #[test]
    fn saves_stay_within_the_limits() {
        let limits = SurfaceLimits { state_bytes: 20, depth: 2, ..Default::default() };
        let state = SurfaceState::new(json!({}).into(), &limits).unwrap();
        for (path, value, expected) in [
            ("a", json!("123456789012"), true),
            ("a", json!("1234567890123"), false),
            ("a.b", json!(1), true),
            ("a.b.c", json!(1), false),
            ("a", json!([[]]), false),
        ] {
            let saved = state.save(&StatePath::new(path).unwrap(), value.into(), &limits);
            let code = saved.as_ref().map(drop).map_err(|fault| fault.code);
            let expected = if expected { Ok(()) } else { Err(SurfaceCode::StateTooLarge) };
            assert_eq!(code, expected, "{path}");
        }
    }

    proptest! {
        /// A saved value can be found at its path, and its change leads in both directions.
        #[test]
        fn what_is_saved_is_there(value in state_values(), path in state_paths(), saved in state_values()) {
            let limits = SurfaceLimits::default();
            let before = SurfaceState::new(value, &limits).unwrap();
            let Ok(ChangedState { state: after, changes }) = before.save(&path, saved.clone(), &limits) else {
                return Ok(());
            };
            prop_assert_eq!(path.of(after.value()), Some(&saved));
            prop_assert_eq!(after.bytes(), after.to_json().len());
            prop_assert_eq!(&before.apply(&changes).unwrap(), &after);
            let inverse: Vec<_> = changes.into_iter().map(crate::surface::StateChange::inverse).collect();
            prop_assert_eq!(after.apply(&inverse).unwrap(), before);
        }
    }
}
