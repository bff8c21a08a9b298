//! Moves that make room, and slots that must not move.

use proptest::prelude::*;

use super::model::{Model, at};
use crate::board::layout::shift::Shift;
use crate::board::layout::{Blocked, Layout};
use crate::board::model::grid::{Bounds, Position, Size};

fn layout(columns: u32, standing: &[(u32, Bounds)]) -> Layout {
    let mut layout = Layout::new(columns);
    for (slot, bounds) in standing {
        layout.insert(*slot, *bounds);
    }
    layout
}

/// Returns the slots after the shifts.
fn after(standing: &[(u32, Bounds)], shifts: &[Shift]) -> Vec<(u32, Bounds)> {
    let moved = |(slot, bounds): &(u32, Bounds)| {
        let shift = shifts.iter().find(|shift| shift.slot == *slot);
        (*slot, Bounds::new(shift.map_or(bounds.position, |shift| shift.to), bounds.size))
    };
    standing.iter().map(moved).collect()
}

#[test]
fn what_stands_in_the_way_goes_down() {
    // Slot, current position, new position.
    type Case<'a> = (&'a str, Bounds, &'a [u32], &'a [(Bounds, u32)]);
    let cases: [Case<'_>; 9] = [
        ("nobody", at(0, 0, 4, 2), &[], &[(at(4, 0, 4, 2), 0), (at(0, 2, 4, 2), 2)]),
        ("one", at(0, 0, 4, 2), &[], &[(at(2, 1, 4, 2), 2), (at(8, 1, 4, 2), 1)]),
        (
            "a row of them",
            at(0, 0, 4, 1),
            &[],
            &[(at(0, 0, 4, 1), 1), (at(0, 1, 4, 1), 2), (at(0, 3, 4, 1), 3)],
        ),
        (
            "order is kept",
            at(0, 0, 4, 9),
            &[],
            &[(at(0, 4, 4, 1), 10), (at(0, 0, 4, 1), 9), (at(0, 7, 4, 1), 11)],
        ),
        ("a bridge", at(0, 0, 2, 2), &[], &[(at(0, 1, 4, 1), 2), (at(3, 2, 2, 1), 3), (at(4, 3, 2, 1), 4)]),
        ("past a pinned one", at(0, 0, 4, 2), &[1], &[(at(0, 1, 4, 2), 5), (at(2, 3, 4, 2), 3)]),
        (
            "past two pinned ones, not between",
            at(0, 0, 4, 2),
            &[1, 2],
            &[(at(0, 1, 4, 2), 6), (at(0, 2, 1, 1), 2), (at(3, 4, 1, 2), 4)],
        ),
        (
            "between two pinned ones",
            at(0, 0, 4, 2),
            &[1, 2],
            &[(at(0, 1, 4, 2), 3), (at(0, 2, 1, 1), 2), (at(3, 5, 1, 2), 5)],
        ),
        (
            "one that has to go far lets others go first",
            at(0, 0, 4, 2),
            &[1],
            &[(at(0, 0, 4, 1), 10), (at(0, 2, 1, 8), 2), (at(2, 1, 2, 1), 2)],
        ),
    ];
    for (name, bounds, pinned, slots) in cases {
        let standing: Vec<_> = (0..).zip(slots.iter().map(|(bounds, _)| *bounds)).collect();
        let shifts = layout(12, &standing).shift(bounds, None, None, |slot| pinned.contains(&slot));
        let shifts = shifts.unwrap_or_else(|blocked| panic!("{name}: {blocked:?}"));
        let rows: Vec<_> = after(&standing, &shifts).iter().map(|(_, bounds)| bounds.position.row).collect();
        let expected: Vec<_> = slots.iter().map(|(_, row)| *row).collect();
        assert_eq!(rows, expected, "{name}");
    }
}

#[test]
fn what_cannot_go_says_so() {
    let standing = [(7, at(0, 0, 4, 2)), (8, at(0, 2, 4, 2)), (9, at(6, 0, 2, 2))];
    for (bounds, except, rows, pinned, expected) in [
        (at(0, 0, 12, 1), None, None, &[8, 9][..], Some(Blocked::Pinned(9))),
        (at(0, 0, 12, 1), None, None, &[9, 7], Some(Blocked::Pinned(7))),
        (at(0, 0, 12, 1), Some(9), None, &[9], None),
        (at(0, 0, 4, 1), None, Some(5), &[], None),
        (at(0, 0, 4, 1), None, Some(4), &[], Some(Blocked::OutOfRows(8))),
        (at(0, 0, 4, 1), None, Some(2), &[], Some(Blocked::OutOfRows(7))),
        (at(0, 0, 4, 1), Some(7), Some(2), &[], None),
        (at(0, 1 << 19, 4, 1 << 19), None, None, &[], None),
        (at(0, 0, 4, 1 << 20), None, None, &[], Some(Blocked::OutOfRows(7))),
        (at(20, 0, 4, 2), None, None, &[], None),
    ] {
        let found = layout(12, &standing).shift(bounds, except, rows, |slot| pinned.contains(&slot));
        assert_eq!(found.err(), expected, "{bounds:?} {except:?} {rows:?} {pinned:?}");
    }
}

/// Pushing every covered slot without an end once grew without bound here, on a wall of bricks of different sizes.
#[test]
fn a_wall_of_bricks_gives_way_once() {
    let mut layout = Layout::new(12);
    let mut standing = Vec::new();
    for slot in 0..400u32 {
        let size = [Size::new(2, 2), Size::new(4, 2), Size::new(3, 4), Size::new(6, 1), Size::new(5, 3)]
            [slot as usize % 5];
        let bounds = Bounds::new(layout.first_fit(size, None).expect("the rows do not end here"), size);
        layout.insert(slot, bounds);
        standing.push((slot, bounds));
    }
    for (mover, position) in
        [(399, Position::new(2, 0)), (200, Position::new(7, 3)), (10, Position::new(1, 100))]
    {
        let bounds = Bounds::new(position, standing[mover as usize].1.size);
        let shifts = layout.shift(bounds, Some(mover), None, |_| false).expect("nothing is pinned");
        check(12, &standing, bounds, Some(mover), &[], &shifts);
    }
}

/// Checks all laws of shifts.
fn check(
    columns: u32,
    standing: &[(u32, Bounds)],
    bounds: Bounds,
    except: Option<u32>,
    pinned: &[u32],
    shifts: &[Shift],
) {
    let mut slots: Vec<_> = shifts.iter().map(|shift| shift.slot).collect();
    slots.sort_unstable();
    slots.dedup();
    assert_eq!(slots.len(), shifts.len(), "each is moved once");

    let mut end = Model { columns, standing: after(standing, shifts) };
    end.standing.retain(|(slot, _)| Some(*slot) != except);
    assert_eq!(end.collisions(bounds, None), Vec::<u32>::new(), "there is room");
    for shift in shifts {
        assert!(!pinned.contains(&shift.slot) && Some(shift.slot) != except, "{shift:?}");
        let (_, before) = standing.iter().find(|(slot, _)| *slot == shift.slot).expect("it is there");
        assert_eq!(shift.from, before.position);
        assert!(shift.to.col == shift.from.col && shift.to.row > shift.from.row, "{shift:?}");
        let place = Bounds::new(shift.to, before.size);
        assert_eq!(end.collisions(place, Some(shift.slot)), Vec::<u32>::new(), "{shift:?}");

        // It is no lower than necessary, because a slot that does not make room for it is right above.
        let above = at(shift.to.col, shift.to.row - 1, before.size.cols, 1);
        let holds = |slot: &u32| pinned.contains(slot) || slots.binary_search(slot).is_ok();
        assert!(above.overlaps(bounds) || end.collisions(above, None).iter().any(holds), "{shift:?}");
    }
}

fn bounds(columns: u32) -> impl Strategy<Value = Bounds> {
    (1..=columns.min(6), 1..=5u32, 0..columns, 0..14u32)
        .prop_map(move |(cols, rows, col, row)| at(col.min(columns - cols), row, cols, rows))
}

proptest! {
    #[test]
    fn room_is_made_without_touching_what_is_pinned(
        (columns, wanted, bounds) in (1..=16u32).prop_flat_map(|columns| {
            (Just(columns), prop::collection::vec(bounds(columns), 0..30), bounds(columns))
        }),
        // If true, each slot is placed where there is room. Otherwise slots cover each other.
        tidy: bool,
        pinned in prop::collection::vec(0..60u32, 0..6),
        except in prop::option::of(0..30u32),
        rows in 5..40u32,
    ) {
        let mut first = Layout::new(columns);
        let mut standing = Vec::new();
        for (slot, wanted) in (0..).zip(wanted) {
            let position = if tidy { first.first_fit(wanted.size, None).expect("room") } else { wanted.position };
            let bounds = Bounds::new(position, wanted.size);
            first.insert(slot, bounds);
            standing.push((slot, bounds));
        }
        let is_pinned = |slot| pinned.contains(&slot);
        let shifts = first.shift(bounds, except, None, is_pinned);
        let reversed: Vec<_> = standing.iter().rev().copied().collect();
        prop_assert_eq!(&shifts, &layout(columns, &reversed).shift(bounds, except, None, is_pinned));

        let hit = first.collisions(bounds, except);
        match &shifts {
            Ok(shifts) => check(columns, &standing, bounds, except, &pinned, shifts),
            Err(blocked) => {
                let first = hit.iter().copied().find(|slot| is_pinned(*slot)).expect("a pinned one is there");
                prop_assert_eq!(*blocked, Blocked::Pinned(first));
            }
        }
        let limited = first.shift(bounds, except, Some(rows), is_pinned);
        let bottom = |shift: &Shift| shift.to.row + standing[shift.slot as usize].1.size.rows;
        match shifts {
            Ok(shifts) if shifts.iter().any(|shift| bottom(shift) > rows) => {
                prop_assert!(matches!(limited, Err(Blocked::OutOfRows(_))), "{:?}", limited);
            }
            shifts => prop_assert_eq!(limited, shifts),
        }
    }
}
