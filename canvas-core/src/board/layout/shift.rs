//! Making room by moving what is in the way down.

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
    /// Some rows below.
    pub(crate) to: Position,
}

/// Why no room can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blocked {
    /// This slot is there and may not be moved.
    Pinned(u32),
    /// This slot would have to leave the rows of the grid.
    OutOfRows(u32),
}

impl Layout {
    /// Which slots go where so that nothing but `except` covers `bounds`, in the order in which they come to stand. The
    /// layout stays as it is.
    ///
    /// What is in the way goes straight down to the first row where nothing is that has come to its place before
    /// it, and what it comes upon there goes down in turn: whoever gets to a higher row comes first, then whoever stood
    /// higher, then by column, size and number. Each slot moves once, so this ends; pushing whatever is hit, again and
    /// again, does not. Afterwards the moved ones share no cell with anything. Pinned ones stay and are passed by; slots
    /// that shared cells before and are not moved still do.
    ///
    /// Time linear in the slots that are moved and what lies near them, times their logarithm.
    ///
    /// # Errors
    ///
    /// [`Blocked`], with the first slot found.
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
            // After some turns it settles without seeing whether another could go first: a column of slots that all wait for
            // the same row would otherwise take turns for ever so long.
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

    /// The first place, from this one down, that shares no cell with a pinned slot.
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

/// How often a slot waits for others.
const TURNS: u8 = 8;

/// A slot that has to move to this row, or below it. They are ordered as their fields are.
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
    /// A slot that has not been here yet has to go below a rectangle.
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
