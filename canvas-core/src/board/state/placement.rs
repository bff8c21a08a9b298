//! Placement queries that do not change the canvas. One takes a canvas by itself, for tests and tools, the other a live
//! board.

use super::board::Board;
use crate::board::layout::{Layout, NoRoom, PlacementRequest, place};
use crate::board::model::grid::{Bounds, Size};
use crate::board::model::id::ComponentId;
use crate::board::model::placement::{GridPolicy, PlacementHints, PlacementResult};
use crate::board::model::workspace::Canvas;

/// Finds the place for a component of this size that requests no position.
///
/// The result is deterministic. It is the first hint that works, otherwise the first free place by row, then column,
/// otherwise the place that the policy allows. A hint does not work if its cell is covered or outside of the grid, its
/// component does not exist, or its half is full. Other components do not shift. Components outside of the grid's
/// columns do not block a place, and columns past 64 stay empty.
///
/// Linear in the components and the rows that they cover, because each call reads the whole canvas.
///
/// # Errors
///
/// Returns [`NoRoom::TooLarge`] if the size does not fit even into an empty grid, and [`NoRoom::Full`] if there is no
/// room and the policy does not allow overlap.
pub fn find_placement(
    size: Size,
    canvas: &Canvas,
    hints: &PlacementHints,
    policy: GridPolicy,
) -> Result<PlacementResult, NoRoom> {
    let mut layout = Layout::new(canvas.grid.columns);
    for (slot, component) in (0..).zip(&canvas.components) {
        layout.insert(slot, component.bounds());
    }
    let near = hints.near_component_id.as_ref();
    let near = near.and_then(|id| canvas.components.iter().find(|component| component.id == *id));
    let request = PlacementRequest {
        preferred: hints.preferred_position,
        near: near.map(|component| component.bounds()),
        region: hints.region,
    };
    placed(layout, size, request, canvas.grid.rows, policy)
}

impl Board {
    /// Finds the place that a component of this size would get if a command made it now without a position. A hint with
    /// an unknown component is ignored. Costs a copy of the covered rows, and a search.
    ///
    /// # Errors
    ///
    /// Returns [`NoRoom`] if the component does not fit under this [`GridPolicy`].
    pub fn find_placement(
        &self,
        size: Size,
        hints: &PlacementHints,
        policy: GridPolicy,
    ) -> Result<PlacementResult, NoRoom> {
        let request = PlacementRequest {
            preferred: hints.preferred_position,
            near: hints.near_component_id.as_ref().and_then(|id| self.bounds(id)),
            region: hints.region,
        };
        placed(self.layout.clone(), size, request, self.grid().rows, policy)
    }
}

fn placed(
    mut layout: Layout,
    size: Size,
    request: PlacementRequest,
    rows: u32,
    policy: GridPolicy,
) -> Result<PlacementResult, NoRoom> {
    let (position, reason) = place(&mut layout, size, request, rows, policy)?;
    Ok(PlacementResult { position, reason, adjustments: None })
}

/// Returns the components that share a cell with `bounds`, except `exclude`, in the order of the canvas.
///
/// Rectangles are compared even if they are outside of the grid. A rectangle without cells collides with no other.
/// Linear in the components.
pub fn detect_collisions(bounds: Bounds, canvas: &Canvas, exclude: Option<&ComponentId>) -> Vec<ComponentId> {
    let has_cells = |Bounds { size, .. }: Bounds| size.cols > 0 && size.rows > 0;
    let components = canvas.components.iter().filter(|component| Some(&component.id) != exclude);
    let hit = components.filter(|component| {
        let other = component.bounds();
        has_cells(bounds) && has_cells(other) && bounds.overlaps(other)
    });
    hit.map(|component| component.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::board::model::grid::{NO_CELL, Position};
    use crate::board::model::placement::{PlacementReason, Region};

    fn canvas(columns: u32, rows: u32, components: &[(&str, Bounds)]) -> Canvas {
        let component = |(id, bounds): &(&str, Bounds)| {
            json!({
                "id": id, "typeId": "test", "position": bounds.position, "size": bounds.size, "config": {},
                "dataBinding": null, "meta": {"createdAt": 1, "createdBy": "user", "pinned": false},
            })
        };
        let components: Vec<_> = components.iter().map(component).collect();
        let grid = json!({"columns": columns, "rows": rows, "gap": 8, "cellWidth": 90, "cellHeight": 90});
        serde_json::from_value(json!({"grid": grid, "components": components})).unwrap()
    }

    const fn at(col: u32, row: u32, cols: u32, rows: u32) -> Bounds {
        Bounds::new(Position::new(col, row), Size::new(cols, rows))
    }

    #[test]
    fn placements_follow_hints_then_rows_then_the_policy() {
        use PlacementReason::{AutoPlaced, BestEffort, Requested};

        let canvas = canvas(12, 8, &[("a", at(0, 0, 6, 2)), ("b", at(8, 5, 4, 3))]);
        let cell = |col, row| PlacementHints {
            preferred_position: Some(Position::new(col, row)),
            ..PlacementHints::default()
        };
        let near = |id| PlacementHints {
            near_component_id: Some(ComponentId::new(id).unwrap()),
            ..PlacementHints::default()
        };
        let region = |region| PlacementHints { region: Some(region), ..PlacementHints::default() };
        let small = Size::new(4, 2);
        for (size, hints, policy, expected) in [
            (small, PlacementHints::default(), GridPolicy::Reject, Ok((6, 0, AutoPlaced))),
            (small, cell(3, 4), GridPolicy::Reject, Ok((3, 4, Requested))),
            (small, cell(3, 1), GridPolicy::Reject, Ok((6, 0, AutoPlaced))),
            (small, cell(9, 0), GridPolicy::Reject, Ok((6, 0, AutoPlaced))),
            (small, cell(NO_CELL, NO_CELL), GridPolicy::Grow, Ok((6, 0, AutoPlaced))),
            (small, cell(0, 7), GridPolicy::Reject, Ok((6, 0, AutoPlaced))),
            (small, cell(0, 7), GridPolicy::Grow, Ok((0, 7, Requested))),
            (small, near("b"), GridPolicy::Reject, Ok((8, 3, AutoPlaced))),
            (small, near("a"), GridPolicy::Reject, Ok((1, 2, AutoPlaced))),
            (small, near("c"), GridPolicy::Reject, Ok((6, 0, AutoPlaced))),
            (small, region(Region::Top), GridPolicy::Reject, Ok((6, 0, AutoPlaced))),
            (small, region(Region::Bottom), GridPolicy::Reject, Ok((0, 6, AutoPlaced))),
            (small, region(Region::Left), GridPolicy::Reject, Ok((0, 2, AutoPlaced))),
            (small, region(Region::Right), GridPolicy::Reject, Ok((8, 0, AutoPlaced))),
            (Size::new(12, 4), region(Region::Top), GridPolicy::Reject, Err(NoRoom::Full)),
            (Size::new(12, 4), region(Region::Top), GridPolicy::BestEffort, Ok((0, 2, BestEffort))),
            (Size::new(12, 4), region(Region::Top), GridPolicy::Grow, Ok((0, 8, AutoPlaced))),
            (Size::new(13, 1), PlacementHints::default(), GridPolicy::Grow, Err(NoRoom::TooLarge)),
            (Size::new(1, 9), PlacementHints::default(), GridPolicy::BestEffort, Err(NoRoom::TooLarge)),
            (Size::new(1, 0), PlacementHints::default(), GridPolicy::Grow, Err(NoRoom::TooLarge)),
            (Size::new(1, NO_CELL), PlacementHints::default(), GridPolicy::Grow, Err(NoRoom::TooLarge)),
        ] {
            let found = find_placement(size, &canvas, &hints, policy);
            let found = found.map(|result| (result.position.col, result.position.row, result.reason));
            assert_eq!(found, expected, "{size} {hints:?} {policy:?}");
        }
    }

    #[test]
    fn a_region_is_a_half_and_its_edge_comes_first() {
        let canvas = canvas(12, 8, &[("a", at(0, 0, 2, 2)), ("b", at(10, 0, 2, 3)), ("c", at(0, 4, 1, 4))]);
        for (cols, rows, region, expected) in [
            (2, 1, Region::Top, (2, 0)),
            (12, 1, Region::Top, (0, 3)),
            // If the half has no room, the first free place is used.
            (8, 5, Region::Top, (2, 0)),
            (2, 1, Region::Bottom, (1, 7)),
            (2, 4, Region::Bottom, (1, 4)),
            (8, 5, Region::Bottom, (2, 0)),
            (4, 1, Region::Left, (0, 2)),
            (4, 3, Region::Left, (1, 2)),
            (7, 1, Region::Left, (2, 0)),
            (4, 1, Region::Right, (8, 3)),
            (6, 5, Region::Right, (6, 3)),
            (7, 1, Region::Right, (2, 0)),
        ] {
            let hints = PlacementHints { region: Some(region), ..PlacementHints::default() };
            let found = find_placement(Size::new(cols, rows), &canvas, &hints, GridPolicy::Reject);
            let position = found.map(|found| (found.position.col, found.position.row));
            assert_eq!(position, Ok(expected), "{cols}x{rows} {region:?}");
        }
    }

    #[test]
    fn a_grid_that_no_canvas_has_holds_nothing() {
        for (columns, rows, expected) in [
            (0, 8, Err(NoRoom::TooLarge)),
            (12, 0, Err(NoRoom::TooLarge)),
            (NO_CELL, NO_CELL, Ok(Position::new(0, 2))),
        ] {
            let canvas = canvas(columns, rows, &[("a", at(0, 0, NO_CELL, 2)), ("b", at(70, 3, 1, 1))]);
            let found =
                find_placement(Size::new(1, 1), &canvas, &PlacementHints::default(), GridPolicy::Reject);
            assert_eq!(found.map(|result| result.position), expected, "{columns} {rows}");
        }
    }

    #[test]
    fn collisions_are_those_that_share_a_cell() {
        let components =
            [("z", at(0, 0, 4, 2)), ("a", at(3, 1, 4, 2)), ("m", at(90, 9, 4, 2)), ("0", at(4, 0, 0, 5))];
        let canvas = canvas(12, 8, &components);
        for (bounds, exclude, expected) in [
            (at(0, 0, 12, 8), None, vec!["z", "a"]),
            (at(0, 0, 12, 8), Some("z"), vec!["a"]),
            (at(0, 0, 12, 8), Some("nobody"), vec!["z", "a"]),
            (at(4, 0, 8, 1), None, vec![]),
            (at(3, 1, 1, 1), None, vec!["z", "a"]),
            (at(0, 0, NO_CELL, NO_CELL), None, vec!["z", "a", "m"]),
            (at(1, 1, 0, 1), None, vec![]),
        ] {
            let exclude = exclude.map(|id| ComponentId::new(id).unwrap());
            let found = detect_collisions(bounds, &canvas, exclude.as_ref());
            assert_eq!(found.iter().map(ComponentId::as_str).collect::<Vec<_>>(), expected, "{bounds:?}");
        }
    }
}
