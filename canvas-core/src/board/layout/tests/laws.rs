//! A layout gives the same results as one that looks at every cell.

use proptest::prelude::*;

use super::model::{Model, at};
use crate::board::layout::{Layout, NoRoom, PlacementRequest, place};
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::placement::{GridPolicy, PlacementReason, Region};

#[derive(Debug, Clone)]
enum Step {
    /// Places a slot at the first free place.
    Place(Size),
    /// Inserts a slot at these bounds, even over others.
    Put(Bounds),
    /// Removes one of the existing slots.
    Remove(prop::sample::Index),
}

/// Few columns and small sizes, so that places are taken, freed and taken again. Some grids are wide and some
/// components high, so that all words, bands and search methods are used.
fn columns() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1..=12u32, 1 => Just(64u32), 1 => 13..=63u32]
}

fn size(columns: u32) -> impl Strategy<Value = Size> {
    let cols = prop_oneof![6 => 1..=columns.min(4), 1 => 1..=columns];
    let rows = prop_oneof![12 => 1..=4u32, 2 => 5..=20u32, 1 => 60..=80u32];
    (cols, rows).prop_map(|(cols, rows)| Size::new(cols, rows))
}

fn bounds(columns: u32) -> impl Strategy<Value = Bounds> {
    let row = prop_oneof![8 => 0..12u32, 1 => 0..90u32];
    (size(columns), 0..columns, row)
        .prop_map(move |(size, col, row)| at(col.min(columns - size.cols), row, size.cols, size.rows))
}

fn steps(columns: u32) -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => size(columns).prop_map(Step::Place),
        2 => bounds(columns).prop_map(Step::Put),
        3 => any::<prop::sample::Index>().prop_map(Step::Remove),
    ];
    prop::collection::vec(step, 1..40)
}

fn built(columns: u32, steps: &[Step]) -> (Layout, Model) {
    let mut pair = (Layout::new(columns), Model { columns, standing: Vec::new() });
    for (slot, step) in (0..).zip(steps) {
        take(step, slot, &mut pair);
    }
    pair
}

fn take(step: &Step, slot: u32, (layout, model): &mut (Layout, Model)) {
    let bounds = match step {
        Step::Place(size) => {
            let position = layout.first_fit(*size, None).expect("the rows do not end here");
            assert_eq!(Some(position), model.first_fit(*size, None), "{size}");
            Bounds::new(position, *size)
        }
        Step::Put(bounds) => *bounds,
        Step::Remove(index) => {
            if !model.standing.is_empty() {
                let (slot, bounds) = model.standing.swap_remove(index.index(model.standing.len()));
                layout.remove(slot, bounds);
            }
            return;
        }
    };
    layout.insert(slot, bounds);
    model.standing.push((slot, bounds));
}

fn wishes(columns: u32) -> impl Strategy<Value = PlacementRequest> {
    let cell = (0..columns + 1, 0..14u32).prop_map(|(col, row)| Position::new(col, row));
    let region = prop::sample::select(vec![Region::Top, Region::Bottom, Region::Left, Region::Right]);
    let parts = (prop::option::of(cell), prop::option::of(bounds(columns)), prop::option::of(region));
    parts.prop_map(|(preferred, near, region)| PlacementRequest { preferred, near, region })
}

#[test]
fn on_the_right_the_rightmost_place_is_first() {
    let mut layout = Layout::new(12);
    for (slot, taken) in (0..).zip([at(9, 0, 3, 1), at(6, 1, 2, 1), at(11, 1, 1, 1)]) {
        layout.insert(slot, taken);
    }
    let wishes = PlacementRequest { region: Some(Region::Right), ..PlacementRequest::default() };
    let placed = place(&mut layout, Size::new(3, 1), wishes, 2, GridPolicy::Grow);
    assert_eq!(placed, Ok((Position::new(8, 1), PlacementReason::AutoPlaced)));
}

proptest! {
    #[test]
    fn a_layout_answers_as_the_model_does(
        (columns, steps, probes) in columns().prop_flat_map(|columns| {
            let probe = (bounds(columns), prop::option::of(0..30u32), 0..5usize, 0..40u32);
            (Just(columns), steps(columns), prop::collection::vec(probe, 1..4))
        })
    ) {
        let (mut layout, model) = built(columns, &steps);
        prop_assert_eq!(layout.covered_cells(), model.covered_cells() as u64);
        prop_assert_eq!(layout.bottom(), model.bottom());
        for (bounds, rows, count, except) in probes {
            let Bounds { position, size } = bounds;
            prop_assert_eq!(layout.is_free(bounds), model.is_free(bounds));
            prop_assert_eq!(layout.collisions(bounds, None), model.collisions(bounds, None));
            prop_assert_eq!(layout.collisions(bounds, Some(except)), model.collisions(bounds, Some(except)));
            for rows in [rows, None] {
                prop_assert_eq!(layout.first_fit(size, rows), model.first_fit(size, rows));
                prop_assert_eq!(
                    layout.nearest_free(size, position, rows, count),
                    model.nearest_free(size, position, rows, count)
                );
            }
            let rows = rows.unwrap_or(30);
            prop_assert_eq!(layout.least_overlap(size, rows), model.least_overlap(size, rows));
        }
    }

    #[test]
    fn removing_everything_leaves_nothing(
        (columns, steps) in columns().prop_flat_map(|columns| (Just(columns), steps(columns)))
    ) {
        let (mut layout, model) = built(columns, &steps);
        for (slot, bounds) in model.standing {
            layout.remove(slot, bounds);
        }
        prop_assert_eq!((layout.covered_cells(), layout.bottom()), (0, 0));
        prop_assert_eq!(layout.collisions(at(0, 0, 64, 200), None), Vec::<u32>::new());
        prop_assert_eq!(layout.first_fit(Size::new(columns, 70), None), Some(Position::new(0, 0)));
    }

    #[test]
    fn a_place_is_wished_or_first_or_as_the_policy_says(
        (columns, steps, size, wishes) in columns().prop_flat_map(|columns| {
            (Just(columns), steps(columns), size(columns), wishes(columns))
        }),
        shown in 0..16u32,
    ) {
        let (mut layout, model) = built(columns, &steps);
        for policy in [GridPolicy::Grow, GridPolicy::Reject, GridPolicy::BestEffort] {
            let rows = (policy != GridPolicy::Grow).then_some(shown);
            let wished = model.wished(size, wishes, rows, shown);
            let reason = match wishes.preferred {
                Some(preferred) if Some(preferred) == wished && model.wished(size, PlacementRequest { preferred: Some(preferred), ..PlacementRequest::default() }, rows, shown).is_some() => PlacementReason::Requested,
                _ => PlacementReason::AutoPlaced,
            };
            let expected = match wished.or_else(|| model.first_fit(size, rows)) {
                _ if rows.is_some_and(|rows| rows < size.rows) => Err(NoRoom::TooLarge),
                Some(position) => Ok((position, reason)),
                None if policy == GridPolicy::BestEffort => {
                    let position = model.least_overlap(size, shown).expect("it fits into the grid");
                    Ok((position, PlacementReason::BestEffort))
                }
                None => Err(NoRoom::Full),
            };
            prop_assert_eq!(place(&mut layout, size, wishes, shown, policy), expected, "{:?}", policy);
        }
    }
}
