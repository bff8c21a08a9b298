//! Effects: what tools and jobs leave on a canvas.
//!
//! * An effect is an entry of the chain, with a revision and the way back, so the journal plays back through it. It is never
//!   undone nor redone, and leaves both stacks as they are: a poll never takes the place of what a person may undo.
//! * What lies below effects is undone place by place, on the state as it is. Where an effect has touched a place of it
//!   since, the same, one around it or one in it, nothing is undone. A list counts as one place.
//! * So that undo reads no effects, the head lists the places that they have touched. Only those count that are newer than
//!   some change that can be undone or redone.

use crate::history::step::Step;
use crate::model::journal_slot::JournalSlot;

impl JournalSlot {
    /// Lists what an effect has touched.
    pub(super) fn touch(&mut self, effect: &Step, number: u64) {
        if self.undo.is_some() || self.redo.is_some() {
            effect.state_paths().into_iter().for_each(|path| self.touched.touch(path, number));
        }
    }

    /// The first place of a step that an effect has touched since the entry of this number, and the number of the effect.
    pub(crate) fn effect_on<'s>(&self, step: &'s Step, number: u64) -> Option<(&'s str, u64)> {
        step.state_paths().into_iter().find_map(|path| Some((path, self.touched.since(number, path)?)))
    }
}
