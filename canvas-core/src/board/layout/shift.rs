//! Making of room, by moving slots down.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Layout;
use super::index::Entry;
use super::rect::MAX_ROWS;
use super::rect::Rect;
use super::slot_set::SlotSet;
use crate::board::model::grid::{Bounds, Position};

/// A slot that makes room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) slot: u32,
    pub(crate) from: Position,
    /// A position some rows below.
    pub(crate) to: Position,
}

/// The reason why room cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocked {
    /// This slot is in the way and may not be moved.
    Pinned(u32),
    /// This slot would have to leave the rows of the grid.
    OutOfRows(u32),
}

impl Layout {
    /// Returns the moves after which no slot other than `except` covers `bounds`, in the order in which the slots
    /// settle. The layout itself does not change.
    ///
    /// A slot in the way moves straight down to the first row that is free of slots settled before it. Any slot that it
    /// then covers moves down in turn. The slot that reaches a higher row comes first, then the one that was higher
    /// before, then the order is by column, size and number. Each slot moves once, so that the process ends; pushing
    /// every covered slot again and again would not. Afterwards the moved slots share no cell with others. Pinned slots
    /// stay, and moving slots pass by them. Slots that shared cells before and do not move still share them.
    ///
    /// Linear in the slots moved and those near them, times their logarithm.
    ///
    /// # Errors
    ///
    /// Returns [`Blocked`], with the first such slot found.
    pub(crate) fn shift(
        &self,
        bounds: Bounds,
        except: Option<u32>,
        rows: Option<u32>,
        pinned: impl Fn(u32) -> bool,
    ) -> Result<Vec<Shift>, Blocked> {
        let Some(rect) = Rect::clip(bounds, self.columns()) else { return Ok(Vec::new()) };
        let rows = rows.unwrap_or(MAX_ROWS).min(MAX_ROWS);
        let is_pinned = |entry: &Entry| Some(entry.slot) != except && pinned(entry.slot);
        if let Some(slot) = self.collisions(bounds, except).into_iter().find(|slot| pinned(*slot)) {
            return Err(Blocked::Pinned(slot));
        }

        let mut settled = Skyline::default();
        let mut queue = Queue::default();
        if let Some(slot) = except {
            queue.met.insert(slot);
        }
        settled.raise(rect);
        let mut shifts = Vec::new();
        self.index.for_each(rect, |entry| queue.push_below(rect, entry));
        while let Some(Reverse(Waiting { row, entry, turns })) = queue.waiting.pop() {
            let place = self.below_pinned(entry.rect.at_row(row.max(settled.under(entry.rect))), is_pinned);
            // After some turns a slot settles without a check whether another could go first. Otherwise a column of
            // slots that all wait for the same row would take turns for too long.
            if place.top > row && turns < TURNS && place.bottom <= rows {
                queue.waiting.push(Reverse(Waiting { row: place.top, entry, turns: turns + 1 }));
                continue;
            }
            if place.bottom > rows {
                return Err(Blocked::OutOfRows(entry.slot));
            }
            settled.raise(place);
            shifts.push(Shift { slot: entry.slot, from: entry.rect.position(), to: place.position() });
            self.index.for_each(place, |entry| {
                if !is_pinned(&entry) {
                    queue.push_below(place, entry);
                }
            });
        }
        Ok(shifts)
    }

    /// Returns the first place, from this one down, that shares no cell with a pinned slot.
    fn below_pinned(&self, mut place: Rect, is_pinned: impl Fn(&Entry) -> bool) -> Rect {
        loop {
            let mut free_from = place.top;
            self.index.for_each(place, |entry| {
                if is_pinned(&entry) {
                    free_from = free_from.max(entry.rect.bottom);
                }
            });
            if free_from == place.top {
                return place;
            }
            place = place.at_row(free_from);
        }
    }
}

/// Number of times that a slot lets others go first.
const TURNS: u8 = 8;

/// A slot that has to move to this row or below it. The fields determine the order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    row: u32,
    entry: Entry,
    turns: u8,
}

#[derive(Default)]
struct Queue {
    waiting: BinaryHeap<Reverse<Waiting>>,
    met: SlotSet,
}

impl Queue {
    /// Queues a slot to go below a rectangle, unless it was queued before.
    fn push_below(&mut self, rect: Rect, entry: Entry) {
        if self.met.insert(entry.slot) {
            self.waiting.push(Reverse(Waiting { row: rect.bottom, entry, turns: 0 }));
        }
    }
}

/// The row below the lowest settled cell of each column.
struct Skyline([u32; 64]);

impl Default for Skyline {
    fn default() -> Self {
        Self([0; 64])
    }
}

impl Skyline {
    fn under(&self, rect: Rect) -> u32 {
        self.0[usize::from(rect.left)..usize::from(rect.right)].iter().copied().max().unwrap_or(0)
    }

    fn raise(&mut self, rect: Rect) {
        for row in &mut self.0[usize::from(rect.left)..usize::from(rect.right)] {
            *row = (*row).max(rect.bottom);
        }
    }
}
