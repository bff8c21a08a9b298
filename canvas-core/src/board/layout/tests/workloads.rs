//! The workloads with which peers were measured, if they are available.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use super::model::Model;
use crate::board::layout::{Blocked, Layout};
use crate::board::model::grid::{Bounds, Position, Size};

#[derive(Deserialize)]
struct Workload {
    grid: Grid,
    ops: Vec<Op>,
    #[serde(default)]
    initial: Vec<SnapshotItem>,
    initial_from: Option<String>,
    #[serde(default)]
    expect_first_fit_row_major: Vec<Position>,
    expect_rows: Option<u32>,
    expect_total_hits: Option<usize>,
}

#[derive(Deserialize)]
struct Grid {
    columns: u32,
}

#[derive(Deserialize)]
struct SnapshotItem {
    id: String,
    #[serde(flatten)]
    bounds: Bounds,
}

#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Op {
    Create { id: String, size: Size },
    Move { id: String, position: Position },
    Collide { bounds: Bounds },
    Remove { id: String },
    AutoMove { id: String },
    Update,
}

/// Reads a workload. Reports and returns `None` if the data folder is missing.
#[expect(clippy::disallowed_methods, reason = "a test is a host")]
fn workload(name: &str) -> Option<Workload> {
    let folder = std::env::var("CANVAS_DATA")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"), PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("board").join(name)) else {
        say(&format!("SKIPPED: the workload {name} (not in CANVAS_DATA)"));
        return None;
    };
    Some(serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}")))
}

#[expect(clippy::print_stdout, reason = "counts are the result of a workload")]
fn say(line: &str) {
    println!("{line}");
}

/// Slots are the numbers in the ids `c0`, `c1` and so on.
fn slot(id: &str) -> u32 {
    id.trim_start_matches('c').parse().unwrap_or_else(|_| panic!("{id} is no id of a workload"))
}

fn standing(workload: &Workload) -> (Layout, Model) {
    let mut layout = Layout::new(workload.grid.columns);
    let mut model = Model { columns: workload.grid.columns, standing: Vec::new() };
    for SnapshotItem { id, bounds } in &workload.initial {
        layout.insert(slot(id), *bounds);
        model.standing.push((slot(id), *bounds));
    }
    (layout, model)
}

#[test]
fn first_fit_gives_the_expected_places() {
    for size in [100, 1_000, 10_000] {
        let Some(workload) = workload(&format!("workload_place_{size}.json")) else { continue };
        let mut layout = Layout::new(workload.grid.columns);
        assert_eq!((workload.ops.len(), workload.expect_first_fit_row_major.len()), (size, size));
        for (op, expected) in workload.ops.iter().zip(&workload.expect_first_fit_row_major) {
            let Op::Create { id, size } = op else { panic!("only creations") };
            let found = layout.first_fit(*size, None);
            assert_eq!(found, Some(*expected), "{id}");
            layout.insert(slot(id), Bounds::new(*expected, *size));
        }
        assert_eq!(Some(layout.bottom()), workload.expect_rows);
        say(&format!("place {size}: all as expected, {} rows", layout.bottom()));
    }
}

#[test]
fn collisions_are_as_many_as_expected() {
    for size in [100, 1_000, 10_000] {
        let Some(queries) = workload(&format!("workload_collide_{size}.json")) else { continue };
        let Some(initial) = queries.initial_from.as_deref().and_then(workload) else { continue };
        let (layout, model) = standing(&initial);
        let mut hits = 0;
        for op in &queries.ops {
            let Op::Collide { bounds } = op else { panic!("only questions") };
            let found = layout.collisions(*bounds, None);
            assert_eq!(found, model.collisions(*bounds, None), "{bounds:?}");
            hits += found.len();
        }
        assert_eq!(Some(hits), queries.expect_total_hits);
        say(&format!("collide {size}: {hits} hits as expected"));
    }
}

#[test]
fn moved_components_land_where_asked_and_nothing_overlaps() {
    for size in [100, 1_000, 10_000] {
        let Some(workload) = workload(&format!("workload_pushdown_{size}.json")) else { continue };
        let (layout, model) = standing(&workload);
        assert_eq!((model.standing.len(), workload.ops.len()), (size, 20));
        let (mut moved, mut rows) = (0, 0);
        for op in &workload.ops {
            let Op::Move { id, position } = op else { panic!("only moves") };
            let mover = slot(id);
            let bounds = Bounds::new(*position, model.standing[mover as usize].1.size);
            let shifts = layout.shift(bounds, Some(mover), None, |_| false).expect("nothing is pinned");
            let mut end = layout.clone();
            let mut places: BTreeMap<_, _> = model.standing.iter().copied().collect();
            let mut take = |slot, to| {
                let place = places.get_mut(&slot).expect("it is there");
                end.remove(slot, *place);
                place.position = to;
                *place
            };
            let mut next = vec![(mover, take(mover, *position))];
            next.extend(shifts.iter().map(|shift| (shift.slot, take(shift.slot, shift.to))));
            for (slot, place) in next {
                assert!(end.is_free(place), "{id} to {position}: {slot} at {place:?}");
                end.insert(slot, place);
            }
            moved += shifts.len();
            rows += shifts.iter().map(|shift| u64::from(shift.to.row - shift.from.row)).sum::<u64>();
        }
        say(&format!(
            "pushdown {size}: 20 of 20 land, {moved} others moved by {rows} rows, none over another"
        ));
    }
}

#[test]
fn first_fit_stays_exact_while_room_comes_and_goes() {
    for size in [100, 1_000, 10_000] {
        let Some(workload) = workload(&format!("workload_churn_{size}.json")) else { continue };
        let mut layout = Layout::new(workload.grid.columns);
        let mut places = BTreeMap::new();
        let mut placed = 0;
        for op in &workload.ops {
            let (slot, size) = match op {
                Op::Create { id, size } => (slot(id), *size),
                Op::Remove { id } => {
                    layout.remove(slot(id), places.remove(&slot(id)).expect("it is there"));
                    continue;
                }
                Op::AutoMove { id } => {
                    let place: Bounds = places.remove(&slot(id)).expect("it is there");
                    layout.remove(slot(id), place);
                    (slot(id), place.size)
                }
                Op::Update => continue,
                Op::Move { .. } | Op::Collide { .. } => panic!("not in this workload"),
            };
            let found = layout.first_fit(size, None).expect("the rows do not end here");
            // Without a cursor from an earlier search.
            let mut fresh = layout.clone();
            fresh.cursors = Default::default();
            assert_eq!(Some(found), fresh.first_fit(size, None), "slot {slot}");
            let place = Bounds::new(found, size);
            layout.insert(slot, place);
            places.insert(slot, place);
            placed += 1;
        }
        say(&format!("churn {size}: {placed} places exact, {} rows", layout.bottom()));
    }
}

#[test]
fn a_pinned_component_in_a_full_grid_is_named() {
    let Some(workload) = workload("workload_pushdown_1000.json") else { return };
    let (layout, model) = standing(&workload);
    for (slot, bounds) in &model.standing {
        assert_eq!(
            layout.shift(*bounds, None, None, |other| other == *slot),
            Err(Blocked::Pinned(*slot)),
            "{bounds:?}"
        );
    }
}
