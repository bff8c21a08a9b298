//! Effects: changes that tools and jobs make on a canvas.
//!
//! * An effect is an entry of the chain with a revision and an inverse, so the journal plays back through it. It is
//!   never undone or redone, and leaves both stacks unchanged, so that a poll never displaces a change that a person
//!   may undo.
//! * A change below effects is undone place by place, on the current state. If a later effect touched the same place,
//!   an enclosing one or one inside it, the undo is refused. A list counts as one place.
//! * The head lists the places touched by effects, so that undo need not read the effects. A place counts only if its
//!   effect is newer than some change that can be undone or redone.

use crate::history::step::Step;
use crate::model::journal_slot::JournalSlot;

impl JournalSlot {
    /// Adds the places that an effect touches to the list, if any change can be undone or redone.
    pub(super) fn touch(&mut self, effect: &Step, number: u64) {
        if self.undo.is_some() || self.redo.is_some() {
            effect.state_paths().into_iter().for_each(|path| self.touched.touch(path, number));
        }
    }

    /// Returns the first place that the step changes and an effect touched after the entry with this number, and the
    /// number of the effect.
    pub(crate) fn effect_on<'s>(&self, step: &'s Step, number: u64) -> Option<(&'s str, u64)> {
        step.state_paths().into_iter().find_map(|path| Some((path, self.touched.since(number, path)?)))
    }
}
