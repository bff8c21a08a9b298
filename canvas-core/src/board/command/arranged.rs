//! What a run of moves and resizes arranges.

use std::collections::HashMap;

use crate::board::model::grid::Bounds;

/// A component that a run of commands arranges.
pub(super) struct Arranged {
    /// Its slot.
    pub(super) number: u32,
    pub(super) from: Bounds,
    pub(super) to: Bounds,
    /// The last command about it.
    pub(super) by: usize,
}

/// The components that a run of commands arranges, in the order in which they are named first.
#[derive(Default)]
pub(super) struct AllArranged {
    pub(super) all: Vec<Arranged>,
    /// Where each is, by its slot, once there are several.
    places: HashMap<u32, usize>,
}

impl AllArranged {
    /// Where the component of a slot is; `new` makes it.
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
