//! The components that a run of moves and resizes arranges.

use std::collections::HashMap;

use crate::board::model::grid::Bounds;

/// A component arranged by a run of commands.
pub(super) struct Arranged {
    /// Number of the component's slot.
    pub(super) number: u32,
    pub(super) from: Bounds,
    pub(super) to: Bounds,
    /// Index of the last command about this component.
    pub(super) by: usize,
}

/// The components arranged by a run of commands, in the order of their first mention.
#[derive(Default)]
pub(super) struct AllArranged {
    pub(super) all: Vec<Arranged>,
    /// Index in `all` by slot, used once there are several.
    places: HashMap<u32, usize>,
}

impl AllArranged {
    /// Returns the index of the component in a slot, adding the result of `new` if it is missing.
    pub(super) fn at(&mut self, number: u32, new: impl FnOnce() -> Arranged) -> usize {
        let at = match self.all.as_slice() {
            [] => None,
            [one] if one.number == number => Some(0),
            [one] => {
                self.places.insert(one.number, 0);
                None
            }
            _ => self.places.get(&number).copied(),
        };
        at.unwrap_or_else(|| {
            let at = self.all.len();
            if at > 0 {
                self.places.insert(number, at);
            }
            self.all.push(new());
            at
        })
    }
}
