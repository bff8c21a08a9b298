//! A face while steps act on it.

use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Conflict, FaceStep, Mismatch, StepSeed, Way};
use crate::history::number::ChangeNumber;

/// A face on which steps are played, or from which changes are reverted, newest first.
pub(crate) struct Track<F: FaceStep> {
    /// The face; `None` until the first step touches it.
    pub(crate) at: Option<F::At>,
    /// The changes after the current one, oldest first, as if the reverted ones had never been made.
    later: Vec<F>,
    later_changes: Vec<ChangeNumber>,
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
        Self { at: None, later: Vec::new(), later_changes: Vec::new(), reverted: Vec::new() }
    }
}

impl<F: FaceStep> Track<F> {
    pub(crate) fn read(&mut self, way: Way, step: &F, files: &Files<'_>) -> Result<(), ReadError> {
        step.read(way, &mut self.at, files)
    }

    pub(crate) fn play(&mut self, way: Way, step: &F, files: &Files<'_>) -> Result<(), Mismatch> {
        step.play(way, self.at.as_mut().ok_or(Mismatch)?, files)
    }

    pub(crate) fn keep(&mut self, change: ChangeNumber, step: &F) {
        self.later.insert(0, step.clone());
        self.later_changes.insert(0, change);
    }

    pub(crate) fn revert(&mut self, change: ChangeNumber, step: &F) -> Result<(), RevertConflict> {
        let at = self.at.as_mut().ok_or(RevertConflict::Mismatch)?;
        step.revert(at, &mut self.later).map_err(|conflict| match conflict {
            Conflict::Touched(with) => {
                RevertConflict::Touched(self.later_changes.get(with).copied().unwrap_or(change))
            }
            Conflict::Mismatch => RevertConflict::Mismatch,
        })?;
        self.reverted.push(change);
        Ok(())
    }

    pub(crate) fn seal(&mut self) -> Result<(), Mismatch> {
        self.at = self.at.take().map(F::seal).transpose()?;
        Ok(())
    }

    pub(crate) fn since(&mut self, files: &Files<'_>, seed: &StepSeed<'_>) -> Option<(F, Vec<ChangeNumber>)> {
        let at = self.at.take().filter(|_| !self.reverted.is_empty())?;
        let (step, at) = F::since(at, files, seed)?;
        self.at = Some(at);
        Some((step, std::mem::take(&mut self.reverted)))
    }

    pub(crate) fn put(&mut self, draft: &mut Draft<'_>) -> bool {
        let at = self.at.take();
        let is_touched = at.is_some();
        at.into_iter().for_each(|at| F::put(at, draft));
        is_touched
    }
}
