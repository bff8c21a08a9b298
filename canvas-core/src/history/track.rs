//! A face while steps act on it.

use std::collections::VecDeque;

use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Conflict, FaceStep, Mismatch, StepSeed, Way};
use crate::history::number::{ChangeNumber, EntryNumber};

/// A face on which steps are played, or from which changes are reverted, newest first.
#[derive(Clone)]
pub(crate) struct Track<F: FaceStep> {
    /// The face; `None` until the first step touches it.
    pub(crate) at: Option<F::At>,
    /// The steps after the current one, oldest first, as if the reverted ones had never been made.
    later: VecDeque<F>,
    /// The entries and changes of these steps.
    later_changes: VecDeque<(EntryNumber, ChangeNumber)>,
    /// The face before the reverts of the next step.
    before: Option<F::At>,
    reverted: Vec<ChangeNumber>,
}

/// The reason why a change cannot be reverted from under later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RevertConflict {
    /// This later change touches the same place. If the change itself cannot be moved at all, this is its own number.
    Touched(ChangeNumber),
    /// The face differs from the one that the change was made on.
    Mismatch,
}

impl<F: FaceStep> Default for Track<F> {
    fn default() -> Self {
        let (later, later_changes) = (VecDeque::new(), VecDeque::new());
        Self { at: None, later, later_changes, before: None, reverted: Vec::new() }
    }
}

impl<F: FaceStep> Track<F> {
    pub(crate) fn read(&mut self, way: Way, step: &F, files: &Files<'_>) -> Result<(), ReadError> {
        step.read(way, &mut self.at, files)
    }

    pub(crate) fn play(&mut self, way: Way, step: &F, files: &Files<'_>) -> Result<(), Mismatch> {
        step.play(way, self.at.as_mut().ok_or(Mismatch)?, files)
    }

    /// Returns the number of later steps.
    pub(crate) fn later(&self) -> usize {
        self.later.len()
    }

    pub(crate) fn keep(&mut self, of: (EntryNumber, ChangeNumber), step: &F) {
        self.later.push_front(step.clone());
        self.later_changes.push_front(of);
    }

    /// Leaves out the next older step together with the later entry `undoing`, if that undid exactly this step.
    /// Otherwise keeps both.
    pub(crate) fn cancel(&mut self, of: (EntryNumber, ChangeNumber), step: &F, undoing: EntryNumber) {
        let at = self.later_changes.iter().position(|(entry, _)| *entry == undoing);
        if let Some(at) = at {
            let (between, rest) = self.later.make_contiguous().split_at_mut(at);
            if step.cancels(between, &rest[0]) {
                self.later.remove(at);
                self.later_changes.remove(at);
                return;
            }
        }
        self.keep(of, step);
    }

    pub(crate) fn revert(&mut self, change: ChangeNumber, step: &F) -> Result<(), RevertConflict> {
        let at = self.at.as_mut().ok_or(RevertConflict::Mismatch)?;
        let before = self.before.is_none().then(|| at.clone());
        step.revert(at, self.later.make_contiguous()).map_err(|conflict| match conflict {
            Conflict::Touched(with) => {
                RevertConflict::Touched(self.later_changes.get(with).map_or(change, |(_, change)| *change))
            }
            Conflict::Mismatch => RevertConflict::Mismatch,
        })?;
        self.before = self.before.take().or(before);
        self.reverted.push(change);
        Ok(())
    }

    /// Reads the face of a tree. Returns whether the tree has it.
    pub(crate) fn load(&mut self, files: &Files<'_>) -> Result<bool, ReadError> {
        self.at = F::load(files)?;
        Ok(self.at.is_some())
    }

    /// Makes the face equal to an earlier one.
    pub(crate) fn restore(&mut self, then: &Self) -> Result<(), Mismatch> {
        let (Some(at), Some(then)) = (&mut self.at, &then.at) else { return Err(Mismatch) };
        self.before = Some(at.clone());
        F::restore(at, then)
    }

    pub(crate) fn seal(&mut self) -> Result<(), Mismatch> {
        self.at = self.at.take().map(F::seal).transpose()?;
        Ok(())
    }

    pub(crate) fn since(&mut self, seed: &StepSeed<'_>) -> Option<(F, Vec<ChangeNumber>)> {
        let (before, changes) = (self.before.take()?, std::mem::take(&mut self.reverted));
        Some((F::since(&before, self.at.as_mut()?, seed)?, changes))
    }

    pub(crate) fn put(&mut self, draft: &mut Draft<'_>) -> bool {
        let at = self.at.take();
        let is_touched = at.is_some();
        at.into_iter().for_each(|at| F::put(at, draft));
        is_touched
    }
}
