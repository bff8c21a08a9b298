//! Index of slots by position.

use super::rect::Rect;
use crate::board::layout::cow_list::CowList;

/// Finds the slots that share a cell with a rectangle.
///
/// Each level divides the rows into bands of 8, 64, 512 ... rows. A slot is kept in the finest bands that are at least
/// as high as the slot. A slot of any height is therefore in at most two bands, and any number of slots may cover a
/// cell.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    levels: [Level; LEVELS],
}

#[derive(Debug, Clone, Default)]
struct Level {
    bands: CowList<Vec<Entry>, 16>,
    /// Number of slots in all bands.
    slots: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    pub(super) rect: Rect,
    pub(super) slot: u32,
}

/// The highest band has 2^21 rows, more than a grid.
const LEVELS: usize = 7;

/// Returns the row divided by the height of the level's bands.
const fn band(level: usize, row: u32) -> usize {
    (row >> (3 + 3 * level)) as usize
}

const fn first_and_last(level: usize, rect: Rect) -> (usize, usize) {
    (band(level, rect.top), band(level, rect.bottom - 1))
}

/// Returns the finest level whose bands are as high as the rectangle.
const fn level_of(rect: Rect) -> usize {
    let mut level = 0;
    while level + 1 < LEVELS && band(level, rect.height() - 1) > 0 {
        level += 1;
    }
    level
}

impl Index {
    pub(super) fn insert(&mut self, entry: Entry) {
        let number = level_of(entry.rect);
        let level = &mut self.levels[number];
        let (first, last) = first_and_last(number, entry.rect);
        while level.bands.len() <= last {
            level.bands.push(Vec::new());
        }
        for band in first..=last {
            level.bands.get_mut(band).expect("there are as many").push(entry);
        }
        level.slots += 1;
    }

    /// Returns whether the entry existed.
    pub(super) fn remove(&mut self, entry: Entry) -> bool {
        let number = level_of(entry.rect);
        let level = &mut self.levels[number];
        let (first, last) = first_and_last(number, entry.rect);
        let mut found = false;
        for number in first..=last {
            let band = level.bands.get(number).into_iter().flatten();
            if let Some(at) = band.into_iter().position(|other| *other == entry) {
                level.bands.get_mut(number).expect("it was found in it").swap_remove(at);
                found = true;
            }
        }
        level.slots -= usize::from(found);
        found
    }

    /// Visits each slot that shares a cell with the rectangle once, in an unspecified order.
    ///
    /// The time depends on the bands that the rectangle touches and on their slots.
    pub(super) fn for_each(&self, rect: Rect, mut visit: impl FnMut(Entry)) {
        for (number, level) in self.levels.iter().enumerate().filter(|(_, level)| level.slots > 0) {
            let (first, last) = first_and_last(number, rect);
            for at in first..=last {
                let Some(band) = level.bands.get(at) else { break };
                for entry in band.iter().filter(|entry| entry.rect.overlaps(rect)) {
                    // An entry in two bands is visited in the first of them that the rectangle touches.
                    if at == first_and_last(number, entry.rect).0.max(first) {
                        visit(*entry);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any choice of bands gives the same results. These bands are chosen for speed.
    #[test]
    fn a_slot_lies_in_one_or_two_of_the_finest_bands_that_are_as_high() {
        for (top, height, level, bands) in [
            (0, 1, 0, 0..=0),
            (7, 1, 0, 0..=0),
            (8, 1, 0, 1..=1),
            (7, 2, 0, 0..=1),
            (0, 8, 0, 0..=0),
            (1, 8, 0, 0..=1),
            (8, 8, 0, 1..=1),
            (0, 9, 1, 0..=0),
            (55, 9, 1, 0..=0),
            (56, 9, 1, 0..=1),
            (0, 64, 1, 0..=0),
            (64, 64, 1, 1..=1),
            (0, 65, 2, 0..=0),
            (1_000, 512, 2, 1..=2),
            (0, 513, 3, 0..=0),
            (4_096, 4_096, 3, 1..=1),
            (4_097, 4_097, 4, 0..=0),
            (40_000, 32_769, 5, 0..=0),
            ((1 << 18) - 1, 1 << 18, 5, 0..=1),
            (0, (1 << 18) + 1, 6, 0..=0),
            (0, 1 << 20, 6, 0..=0),
        ] {
            let entry = Entry { rect: Rect { top, left: 0, bottom: top + height, right: 1 }, slot: 3 };
            let mut index = Index::default();
            let places = |index: &Index| {
                let mut places = Vec::new();
                for (number, level) in index.levels.iter().enumerate() {
                    let holding = level.bands.iter().zip(0..).filter(|(band, _)| !band.is_empty());
                    places.extend(holding.map(|(band, at)| (number, at, band.len(), level.slots)));
                }
                places
            };
            index.insert(entry);
            let expected: Vec<_> = bands.map(|at| (level, at, 1, 1)).collect();
            assert_eq!(places(&index), expected, "{height} rows from {top} on");
            assert!(index.remove(entry) && !index.remove(entry));
            assert!(places(&index).is_empty() && index.levels.iter().all(|level| level.slots == 0));
        }
    }
}
