//! The largest grids, and input that no board passes in.

use super::model::at;
use crate::board::layout::{Layout, MAX_ROWS};
use crate::board::model::grid::{Bounds, NO_CELL, Position, Size};

#[test]
fn what_lies_outside_covers_nothing() {
    let outside = [
        at(12, 0, 1, 1),
        at(NO_CELL, NO_CELL, NO_CELL, NO_CELL),
        at(0, MAX_ROWS, 1, 1),
        at(0, 0, 0, 1),
        at(0, 0, 1, 0),
        at(300, 0, 1, 1),
    ];
    let mut layout = Layout::new(12);
    for bounds in outside {
        layout.insert(1, bounds);
        assert_eq!((layout.covered_cells(), layout.bottom()), (0, 0), "{bounds:?}");
        assert!(!layout.is_free(bounds), "{bounds:?}");
        assert_eq!(layout.collisions(bounds, None), Vec::<u32>::new());
        assert_eq!(layout.shift(bounds, None, None, |_| false), Ok(vec![]));
        layout.remove(1, bounds);
    }
    layout.insert(1, at(11, MAX_ROWS - 1, NO_CELL, NO_CELL));
    assert_eq!((layout.covered_cells(), layout.bottom()), (1, MAX_ROWS));
    assert_eq!(layout.collisions(at(0, 0, NO_CELL, NO_CELL), None), vec![1]);
    for size in [
        Size::new(0, 1),
        Size::new(1, 0),
        Size::new(13, 1),
        Size::new(1, MAX_ROWS + 1),
        Size::new(NO_CELL, NO_CELL),
    ] {
        assert_eq!(layout.first_fit(size, None), None, "{size}");
        assert_eq!(layout.nearest_free(size, Position::new(0, 0), None, 3), vec![]);
        assert_eq!(layout.least_overlap(size, NO_CELL), None);
    }
    assert_eq!(layout.first_fit(Size::new(1, 1), Some(0)), None);
    assert_eq!(layout.first_fit(Size::new(12, MAX_ROWS - 1), None), Some(Position::new(0, 0)));
    assert_eq!(layout.first_fit(Size::new(12, MAX_ROWS), None), None);
}

#[test]
fn grids_have_one_to_64_columns() {
    for (columns, expected) in [(0, 0), (1, 1), (63, 63), (64, 64), (65, 64), (NO_CELL, 64)] {
        let mut layout = Layout::new(columns);
        assert_eq!(layout.columns(), expected);
        layout.insert(0, at(0, 0, NO_CELL, 1));
        assert_eq!(layout.covered_cells(), u64::from(expected));
        let below = (expected > 0).then(|| Position::new(0, 1));
        assert_eq!(layout.first_fit(Size::new(1, 1), None), below, "{columns}");
        assert_eq!(layout.least_overlap(Size::new(1, 1), 1), below.map(|_| Position::new(0, 0)));
    }
}

#[test]
fn the_highest_grid_is_searched_in_time() {
    // A free column that changes sides every 99 rows, so that no window of 100 rows is free before the end.
    let mut layout = Layout::new(64);
    for slot in 0..MAX_ROWS / 99 {
        layout.insert(slot, at(slot % 2, 99 * slot, 63, 99));
    }
    let end = Position::new(0, MAX_ROWS / 99 * 99);
    for size in [Size::new(2, 1), Size::new(64, 1)] {
        assert_eq!(layout.first_fit(size, None), Some(end), "{size}");
        assert_eq!(layout.nearest_free(size, Position::new(0, 0), None, 1), vec![end]);
    }
    assert_eq!(layout.first_fit(Size::new(1, 100), Some(end.row)), None);
    assert_eq!(layout.nearest_free(Size::new(1, 100), Position::new(0, 0), Some(end.row), 3), vec![]);
    assert_eq!(layout.first_fit(Size::new(1, 99), None), Some(Position::new(63, 0)));
    assert!(layout.least_overlap(Size::new(64, 100), MAX_ROWS).is_some());
}

#[test]
fn high_components_keep_to_the_rows() {
    for (below, size, rows, expected) in [
        (at(1, 10, 1, 190), Size::new(1, 80), None, Some((0, 10))),
        (at(1, 10, 1, 190), Size::new(1, 80), Some(90), Some((0, 10))),
        (at(1, 10, 1, 190), Size::new(1, 80), Some(89), None),
        (at(0, 10, 1, 30), Size::new(1, 80), Some(90), Some((1, 10))),
        (at(0, 10, 1, 30), Size::new(2, 80), Some(120), Some((0, 40))),
        (at(0, 10, 1, 30), Size::new(2, 80), Some(119), None),
    ] {
        let mut layout = Layout::new(2);
        layout.insert(0, at(0, 0, 2, 10));
        layout.insert(1, below);
        let found = layout.first_fit(size, rows).map(|found| (found.col, found.row));
        assert_eq!(found, expected, "{below:?} {size} {rows:?}");
    }
}

#[test]
fn a_column_of_ten_thousand_goes_below_one_as_high() {
    let mut layout = Layout::new(64);
    for slot in 0..10_000 {
        layout.insert(slot, at(3, slot, 1, 1));
    }
    let shifts = layout.shift(at(0, 0, 64, 10_000), None, None, |_| false).expect("there is room");
    let moved = shifts.iter().map(|shift| (shift.slot, shift.to.row)).collect::<Vec<_>>();
    let expected: Vec<_> = (0..10_000).map(|slot| (slot, 10_000 + slot)).collect();
    assert_eq!(moved, expected, "in the order in which they stood");
}

#[test]
fn a_hundred_thousand_stand_on_one_cell_or_side_by_side() {
    let mut layout = Layout::new(64);
    for slot in 0..100_000 {
        layout.insert(slot, at(0, 0, 1, 1));
    }
    assert_eq!((layout.covered_cells(), layout.bottom()), (1, 1));
    assert_eq!(layout.collisions(at(0, 0, 64, 1), Some(7)).len(), 99_999);
    layout.remove(7, at(0, 0, 1, 1));
    assert_eq!(layout.covered_cells(), 1);

    let mut layout = Layout::new(64);
    for slot in 0..100_000 {
        let size = Size::new(1 + slot % 5, 1 + slot % 3);
        let position = layout.first_fit(size, None).expect("the rows do not end here");
        layout.insert(slot, Bounds::new(position, size));
    }
    let cells: u64 = (0..100_000).map(|slot| (1 + slot % 5) * (1 + slot % 3)).sum();
    assert_eq!(layout.covered_cells(), cells, "none over another");
}
