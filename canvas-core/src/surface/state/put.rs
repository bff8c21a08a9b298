//! Writes of several values to a state at once.

use std::sync::Arc;

use crate::surface::error::SurfaceFault;
use crate::surface::limits::SurfaceLimits;
use crate::surface::state::edit::{Edit, StateDraft};
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::save::locate;
use crate::surface::state::surface_state::{ChangedState, SurfaceState};
use crate::surface::state::value::StateValue;

#[derive(Debug, Clone)]
pub(crate) struct Put {
    pub(crate) place: StatePointer,
    pub(crate) value: StateValue,
}

/// The change of one put, at the time of that put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PutPlace {
    /// The outermost place that changes.
    pub(crate) place: StatePointer,
    /// Names of the objects created below it.
    pub(crate) missing: Vec<String>,
    /// Whether the place had a value.
    pub(crate) replaces: bool,
}

impl SurfaceState {
    /// Puts values at their places one after the other, or fails without a change. Missing objects on the paths are
    /// created, but lists and their items are not. The result has a place for each put, or `None` if the value was
    /// already the same.
    ///
    /// # Errors
    ///
    /// Fails in the same cases as [`SurfaceState::save`].
    pub(crate) fn put(
        &self,
        puts: &[Put],
        limits: &SurfaceLimits,
    ) -> Result<(ChangedState, Vec<Option<PutPlace>>), SurfaceFault> {
        let mut draft = StateDraft::new(self);
        let mut places = Vec::with_capacity(puts.len());
        for Put { place: target, value } in puts {
            let (place, missing) = locate(draft.value(), target.names(), target.as_str())?;
            let before = place.of(draft.value());
            if missing.is_empty() && before == Some(value) {
                places.push(None);
                continue;
            }
            let replaces = before.is_some();
            let missing: Vec<String> = missing.into_iter().map(std::borrow::Cow::into_owned).collect();
            let wrap = |inner, name: &String| {
                StateValue::Object(Arc::new([(name.as_str().into(), inner)].into_iter().collect()))
            };
            let value = missing.iter().rev().fold(value.clone(), wrap);
            draft
                .edit(&place, Edit::Replace(value), limits)
                .map_err(|error| SurfaceFault::new(place.as_str(), error.code(), error.to_string()))?;
            places.push(Some(PutPlace { place, missing, replaces }));
        }
        Ok((draft.finish(limits)?, places))
    }
}
