//! Placement of components without a requested position.

use super::Layout;
use super::cells::{Budget, Window};
use super::rect::MAX_ROWS;
use super::rect::mask;
use super::search::Point;
use crate::board::model::code::CommandErrorCode;
use crate::board::model::grid::{Bounds, Position, Size};
use crate::board::model::placement::{GridPolicy, PlacementReason, Region};
use crate::model::error::CodedError;

/// [`PlacementHints`](crate::board::PlacementHints), after the lookup of the nearby component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct PlacementRequest {
    pub(crate) preferred: Option<Position>,
    pub(crate) near: Option<Bounds>,
    pub(crate) region: Option<Region>,
}

/// Error returned if no place is found for a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoRoom {
    /// The grid is smaller than the component, or the component has no cells.
    #[error(
        "no component may have this size on this grid: choose a size that fits into its columns and rows"
    )]
    TooLarge,
    /// The rows of the grid have no room left.
    #[error("the grid has no room for this size: remove or resize something, or choose a smaller size")]
    Full,
}

impl NoRoom {
    pub(crate) fn error_code(&self) -> CommandErrorCode {
        match self {
            Self::TooLarge => CommandErrorCode::InvalidSize,
            Self::Full => CommandErrorCode::CollisionDetected,
        }
    }
}

impl CodedError for NoRoom {
    fn code(&self) -> &'static str {
        self.error_code().code()
    }
}

/// Returns the preferred place if it is free, otherwise the first free place, otherwise applies the policy.
///
/// `shown` is the number of rows shown. Only [`GridPolicy::Grow`] goes below them. Regions are always halves of the
/// shown rows; if their number is odd, the middle row belongs to both halves. Places near a component are ranked by the
/// sum of columns and rows between the two centres, then by row, then by column.
///
/// Costs as much as [`Layout::first_fit`], plus [`Layout::nearest_free`] for hints and [`Layout::least_overlap`] for
/// best effort.
///
/// # Errors
///
/// Returns [`NoRoom`] if no place is found.
pub(crate) fn place(
    layout: &mut Layout,
    size: Size,
    request: PlacementRequest,
    shown: u32,
    policy: GridPolicy,
) -> Result<(Position, PlacementReason), NoRoom> {
    let rows = match policy {
        GridPolicy::Grow => MAX_ROWS,
        GridPolicy::Reject | GridPolicy::BestEffort => shown.min(MAX_ROWS),
    };
    layout.last_top(size, Some(rows)).ok_or(NoRoom::TooLarge)?;
    if let Some(position) = request.preferred {
        let bounds = Bounds::new(position, size);
        if bounds.bottom() <= u64::from(rows) && layout.is_free(bounds) {
            return Ok((position, PlacementReason::Requested));
        }
    }
    let beside = |bounds| layout.nearest(size, between_middles(bounds, size), Some(rows), 1).first().copied();
    let wished = request.near.and_then(beside);
    let wished = wished.or_else(|| request.region.and_then(|region| layout.in_region(size, region, shown)));
    if let Some(position) = wished.or_else(|| layout.first_fit(size, Some(rows))) {
        return Ok((position, PlacementReason::AutoPlaced));
    }
    match policy {
        GridPolicy::Grow | GridPolicy::Reject => Err(NoRoom::Full),
        GridPolicy::BestEffort => {
            let position = layout.least_overlap(size, rows).ok_or(NoRoom::TooLarge)?;
            Ok((position, PlacementReason::BestEffort))
        }
    }
}

/// Returns the position, in half cells, at which a component has the same centre as another.
fn between_middles(other: Bounds, size: Size) -> Point {
    let begin = |start, other, own| 2 * i64::from(start) + i64::from(other) - i64::from(own);
    Point {
        x: begin(other.position.col, other.size.cols, size.cols),
        y: begin(other.position.row, other.size.rows, size.rows),
    }
}

impl Layout {
    /// Returns the free place in a half of the shown rows that is nearest to its edge, then in the lowest row, then in
    /// the lowest column.
    fn in_region(&self, size: Size, region: Region, shown: u32) -> Option<Position> {
        let (columns, shown) = (self.columns(), shown.min(MAX_ROWS));
        let (wide, high) = (columns.div_ceil(2), shown.div_ceil(2));
        let (usable, from, rows) = match region {
            Region::Top => (self.all_columns(), 0, high),
            Region::Bottom => (self.all_columns(), shown - high, shown),
            Region::Left => (mask(0, wide), 0, shown),
            Region::Right => (mask(columns - wide, wide), 0, shown),
        };
        let window = Window { size, columns: usable };
        let last = self.last_top(size, Some(rows))?;
        let budget = &mut Budget::bounded();
        let first = |starts: u64, row| Position::new(starts.trailing_zeros(), row);
        match region {
            Region::Top => self.cells.fit_below(window, from, last, budget),
            Region::Bottom => self.cells.fit_above(window, last, from, budget),
            Region::Left | Region::Right => {
                let mut best: Option<(u32, Position)> = None;
                let mut row = from;
                while let Some(fit) = self.cells.fit_below(window, row, last, budget) {
                    let (left, right) = (fit.starts.trailing_zeros(), fit.starts.ilog2());
                    let (col, from_edge) = match region {
                        Region::Right => (right, columns - right - size.cols),
                        Region::Left | Region::Top | Region::Bottom => (left, left),
                    };
                    if best.is_none_or(|(least, _)| from_edge < least) {
                        best = Some((from_edge, Position::new(col, fit.row)));
                    }
                    if from_edge == 0 {
                        break;
                    }
                    row = fit.row + 1;
                }
                return best.map(|(_, position)| position);
            }
        }
        .map(|fit| first(fit.starts, fit.row))
    }
}
