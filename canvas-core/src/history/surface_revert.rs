//! Changes of a surface that are taken back from under later ones.

use crate::history::journal::{ChangeNumber, EntryNumber};
use crate::history::revert::RevertError;
use crate::surface::diff::SurfaceFiles;
use crate::surface::{SurfaceDiff, SurfaceState};

/// A surface that changes are taken out of, newest first.
pub(crate) struct SurfaceRevert<'e> {
    pub(crate) files: SurfaceFiles,
    /// What was reverted.
    pub(crate) changes: Vec<ChangeNumber>,
    later: Vec<(ChangeNumber, &'e SurfaceDiff)>,
}

impl<'e> SurfaceRevert<'e> {
    /// Begins with the surface as it is.
    pub(crate) fn new(files: SurfaceFiles) -> Self {
        Self { files, changes: Vec::new(), later: Vec::new() }
    }

    /// Takes the next older change, to keep it.
    pub(crate) fn keep(&mut self, change: ChangeNumber, diff: &'e SurfaceDiff) {
        self.later.push((change, diff));
    }

    /// Takes the next older change, to revert it. Its state is what `load` gives the first time that one is needed.
    pub(crate) fn revert<E: From<RevertError>>(
        &mut self,
        (change, entry): (ChangeNumber, EntryNumber),
        diff: &SurfaceDiff,
        load: impl FnOnce() -> Result<SurfaceState, E>,
    ) -> Result<(), E> {
        // The oldest of those that touch it comes first, as where changes are moved.
        if let Some((with, _)) = self.later.iter().rev().find(|(_, later)| later.touches(diff)) {
            return Err(RevertError::Conflict { change, with: *with }.into());
        }
        self.files.play_back(diff, load)?.map_err(|_| RevertError::Damaged(entry))?;
        self.changes.push(change);
        Ok(())
    }
}
