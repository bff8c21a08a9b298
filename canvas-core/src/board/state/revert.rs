//! Reverts of changes from under later ones, which stay.

use super::board::Board;
use super::diff::Diff;
use super::patch::BoardPatch;
use crate::board::model::id::ComponentId;
use crate::face::step::Conflict;

impl Board {
    /// Reverts a change from under later ones, which stay. Returns the patch applied for this. If the change cannot be
    /// reverted, the board is unchanged.
    pub(crate) fn revert<'p>(
        &mut self,
        patch: &BoardPatch,
        mut later: impl Iterator<Item = &'p BoardPatch> + Clone,
    ) -> Result<BoardPatch, Conflict> {
        if let Some(with) = later.clone().position(|later| later.touches(patch)) {
            return Err(Conflict::Touched(with));
        }
        let mut back = patch.inverse();
        back.updated_at = Diff { before: self.updated_at, after: self.updated_at };
        self.apply(&back).map_err(|_| Conflict::Mismatch)?;
        // Cells that were free before the change may be covered now, even if no record was touched twice.
        let met = self.in_the_way(&back);
        match later.position(|later| met.iter().any(|id| later.places(id))) {
            Some(with) => {
                self.apply(&back.inverse()).map_err(|_| Conflict::Mismatch)?;
                Err(Conflict::Touched(with))
            }
            None => Ok(back),
        }
    }

    /// Returns the components that share cells with those placed by a change.
    fn in_the_way(&self, patch: &BoardPatch) -> Vec<ComponentId> {
        let placed = patch.component_ids().into_iter().filter(|id| patch.places(id));
        let numbers: Vec<u32> = placed
            .filter_map(|id| self.number_of(&id))
            .flat_map(|number| {
                let bounds = self.slot(number).map(|slot| slot.bounds);
                bounds.map_or_else(Vec::new, |bounds| self.layout.collisions(bounds, Some(number)))
            })
            .collect();
        self.ids_of(&numbers)
    }
}
