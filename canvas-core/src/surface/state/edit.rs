//! Step-by-step changes of a state.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::state::change::{StateChange, StateConflict};
use crate::surface::state::pointer::StatePointer;
use crate::surface::state::surface_state::{ChangedState, SurfaceState, check_bytes, check_depth};
use crate::surface::state::value::{StateValue, index, json_bytes};

/// An edit at a place.
#[derive(Debug, Clone)]
pub(super) enum Edit {
    /// Sets a member, or inserts an item before the one with this index.
    Add(StateValue),
    /// Sets a member, or an existing item.
    Replace(StateValue),
    /// Removes an existing member or item.
    Remove,
}

/// The reason why an edit is impossible at a place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum EditError {
    #[error("there is no object or list around it: add that first")]
    NoParent,
    #[error("the place does not exist: look at the state again")]
    NoMember,
    #[error("the list has {0} items: name one of them by its number, or add a new one at -")]
    NoItem(usize),
    #[error("the item of the list has no number without sign and leading zeros: name it by its number")]
    NoNumber,
    #[error("the state as a whole cannot be removed: replace it")]
    Whole,
    #[error("{}", .0.message)]
    TooLarge(SurfaceFault),
}

impl EditError {
    pub(super) fn code(&self) -> SurfaceCode {
        match self {
            Self::TooLarge(fault) => fault.code,
            _ => SurfaceCode::PatchFailed,
        }
    }
}

/// A state during a change. It shares the parts without edits with the state before.
#[derive(Debug)]
pub(super) struct StateDraft<'a> {
    before: &'a SurfaceState,
    value: StateValue,
    bytes: usize,
    touched: BTreeSet<StatePointer>,
}

/// Bytes added and bytes removed.
type Bytes = (usize, usize);

impl<'a> StateDraft<'a> {
    pub(super) fn new(before: &'a SurfaceState) -> Self {
        Self { before, value: before.value().clone(), bytes: before.bytes(), touched: BTreeSet::new() }
    }

    /// Returns the value after the edits so far.
    #[cfg(feature = "recipe")]
    pub(super) fn value(&self) -> &StateValue {
        &self.value
    }

    /// Applies one edit. If it fails, the draft can no longer be used.
    pub(super) fn edit(
        &mut self,
        place: &StatePointer,
        edit: Edit,
        limits: &SurfaceLimits,
    ) -> Result<(), EditError> {
        if let Edit::Add(value) | Edit::Replace(value) = &edit {
            let depth = place.names().count() + value.depth();
            check_depth(depth, limits).map_err(EditError::TooLarge)?;
        }
        let mut names = place.names().enumerate().peekable();
        let (mut node, mut list) = (&mut self.value, None);
        while let Some((depth, name)) = names.next() {
            if list.is_none() && matches!(node, StateValue::List(_)) {
                list = Some(depth);
            }
            if names.peek().is_none() {
                let (added, removed) = edit_child(node, &name, edit)?;
                self.bytes = self.bytes + added - removed;
                self.touch(list.map_or_else(|| place.clone(), |names| place.first(names)));
                return Ok(());
            }
            node = node.child_mut(&name).ok_or(EditError::NoParent)?;
        }
        let (Edit::Add(value) | Edit::Replace(value)) = edit else { return Err(EditError::Whole) };
        (self.bytes, self.value) = (value.json_bytes(), value);
        self.touch(StatePointer::root());
        Ok(())
    }

    /// Returns the state after all edits, and the changes.
    pub(super) fn finish(self, limits: &SurfaceLimits) -> Result<ChangedState, SurfaceFault> {
        check_bytes(self.bytes, limits)?;
        let change = |path: StatePointer| {
            let (before, after) = (path.of(self.before.value()), path.of(&self.value));
            (before != after).then(|| StateChange { before: before.cloned(), after: after.cloned(), path })
        };
        let changes: Vec<_> = self.touched.into_iter().filter_map(change).collect();
        let state = if changes.is_empty() {
            self.before.clone()
        } else {
            SurfaceState::measured(self.value, self.bytes)
        };
        Ok(ChangedState { state, changes })
    }

    /// Records a touched place, keeping only the outermost ones.
    fn touch(&mut self, place: StatePointer) {
        let mut around = Some(place.clone());
        while let Some(outer) = around {
            if self.touched.contains(&outer) {
                return;
            }
            around = outer.split_last().map(|(outer, _)| outer);
        }
        let inside =
            self.touched.range(&place..).take_while(|inner| inner.as_str().starts_with(place.as_str()));
        let inside: Vec<_> = inside.filter(|inner| place.contains(inner)).cloned().collect();
        for inner in inside {
            self.touched.remove(&inner);
        }
        self.touched.insert(place);
    }
}

impl SurfaceState {
    /// Applies changes to places that have the expected values. Costs as much as the changed values, and the lists and
    /// objects on the paths to them.
    ///
    /// # Errors
    ///
    /// Returns [`StateConflict`] with the first place that has another value.
    pub fn apply(&self, changes: &[StateChange]) -> Result<Self, StateConflict> {
        let mut draft = StateDraft::new(self);
        // Playing history in either direction passes through states that were within the limits of their time. The
        // caller checks the result.
        let limits = SurfaceLimits::UNLIMITED;
        for change in changes {
            let conflict = || StateConflict { path: change.path.clone() };
            if change.path.of(&draft.value) != change.before.as_ref() {
                return Err(conflict());
            }
            let edit = match (&change.before, &change.after) {
                (_, Some(after)) => Edit::Replace(after.clone()),
                (Some(_), None) => Edit::Remove,
                (None, None) => return Err(conflict()),
            };
            draft.edit(&change.path, edit, &limits).map_err(|_| conflict())?;
        }
        Ok(Self::measured(draft.value, draft.bytes))
    }
}

fn edit_child(parent: &mut StateValue, name: &str, edit: Edit) -> Result<Bytes, EditError> {
    match parent {
        StateValue::Object(members) => {
            let others = members.len() - usize::from(members.contains_key(name));
            let frame = json_bytes(name) + 1 + usize::from(others > 0);
            match edit {
                Edit::Remove if others == members.len() => Err(EditError::NoMember),
                Edit::Remove => {
                    let old = Arc::make_mut(members).remove(name);
                    Ok((0, frame + old.as_ref().map_or(0, json_bytes)))
                }
                Edit::Add(value) | Edit::Replace(value) => {
                    let added = value.json_bytes();
                    let members = Arc::make_mut(members);
                    match members.get_mut(name) {
                        Some(old) => Ok((added, std::mem::replace(old, value).json_bytes())),
                        None => {
                            members.insert(name.into(), value);
                            Ok((frame + added, 0))
                        }
                    }
                }
            }
        }
        StateValue::List(items) => {
            let count = items.len();
            let last = usize::from(matches!(edit, Edit::Add(_)));
            let at = match name {
                "-" => count,
                name => index(name).ok_or(EditError::NoNumber)?,
            };
            if at >= count + last {
                return Err(EditError::NoItem(count));
            }
            let items = Arc::make_mut(items);
            match edit {
                Edit::Add(value) => {
                    let added = value.json_bytes() + usize::from(count > 0);
                    items.insert(at, value);
                    Ok((added, 0))
                }
                Edit::Replace(value) => {
                    let added = value.json_bytes();
                    Ok((added, std::mem::replace(&mut items[at], value).json_bytes()))
                }
                Edit::Remove => Ok((0, items.remove(at).json_bytes() + usize::from(count > 1))),
            }
        }
        _ => Err(EditError::NoParent),
    }
}
