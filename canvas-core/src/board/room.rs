//! Where there is room on a board, asked without doing anything (specs 002 §2.5).

use super::grid::Size;
use super::layout::{NoRoom, Wishes, place};
use super::live::Board;
use super::place::{GridPolicy, PlacementHints, PlacementResult};

impl Board {
    /// Where a component of this size would come to stand if it were made now and named no place. A hint that names a
    /// component that is not there counts as none. Costs a copy of the rows that are covered, and a search.
    ///
    /// # Errors
    ///
    /// [`NoRoom`], as [`GridPolicy`] has it.
    pub fn find_placement(
        &self,
        size: Size,
        hints: &PlacementHints,
        policy: GridPolicy,
    ) -> Result<PlacementResult, NoRoom> {
        let wishes = Wishes {
            preferred: hints.preferred_position,
            near: hints.near_component_id.as_ref().and_then(|id| self.bounds(id)),
            region: hints.region,
        };
        let (position, reason) = place(&mut self.layout.clone(), size, wishes, self.grid().rows, policy)?;
        Ok(PlacementResult { position, reason, adjustments: None })
    }
}
