//! Undo and redo on the surface, place by place.

use crate::history::journal::{Entry, EntryNumber, HistoryEntry, Reverts};
use crate::history::revert::RevertError;
use crate::history::step::Step;
use crate::history::surface_revert::SurfaceRevert;
use crate::model::author::{Actor, Author};
use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::face::Face;
use crate::model::file::TreeFile;
use crate::model::id::OpKey;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::diff::SurfaceFiles;
use crate::surface::name::SessionKey;
use crate::surface::{Ceiling, Spec, SurfaceDiff, SurfaceFile, SurfaceLimits, SurfaceState, widens};
use crate::transition::contents::ReadError;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};

/// The surface while entries are inverted on it, one after the other; nothing until one of them is the surface's.
#[derive(Default)]
pub(super) struct SurfaceReplay(Option<SurfaceFiles>);

impl SurfaceReplay {
    /// Takes back what an entry changed.
    pub(super) fn invert(
        &mut self,
        at: &Transition<'_>,
        entry: &Entry,
        diff: &SurfaceDiff,
    ) -> Result<(), Stop<UndoRefusal>> {
        at.check_effects(entry)?;
        let files = self.0.get_or_insert_with(|| SurfaceFiles::of(&at.view.head.draft));
        let played = files.play_back(diff, || at.state_to_undo(entry.number))?;
        played.map_err(|_| RevertError::Damaged(entry.number).into())
    }

    /// The surface after it; `None` where no entry was the surface's.
    pub(super) fn finish(self, at: &Transition<'_>) -> Result<Option<SurfaceFiles>, Stop<UndoRefusal>> {
        self.0.iter().try_for_each(|files| at.check_state(files))?;
        Ok(self.0)
    }
}

impl Transition<'_> {
    /// Passes an entry of which no effect has touched anything since.
    fn check_effects(&self, entry: &Entry) -> Result<(), Stop<UndoRefusal>> {
        match self.view.head.journal.effect_on(&entry.step, entry.number.get()) {
            None => Ok(()),
            Some((path, effect)) => Err(Stop::refused(HistoryRefusal::EffectConflict {
                change: entry.change,
                path: path.to_owned(),
                effect: EntryNumber::new(effect),
            })),
        }
    }

    /// What is put back place by place, beside what has come since, may have become too much together. How deep a place is
    /// nested does not change, and whoever is above the limit may still come closer to it.
    fn check_state(&self, files: &SurfaceFiles) -> Result<(), Stop<UndoRefusal>> {
        let (limit, bytes) =
            (self.policy.surface.state_bytes, files.state.as_ref().map_or(0, SurfaceState::bytes));
        if bytes <= limit {
            return Ok(());
        }
        let before = self.read_state().ok().flatten().map_or(0, |state| state.bytes());
        if bytes <= before {
            Ok(())
        } else {
            Err(Stop::refused(HistoryRefusal::StateTooLarge { bytes, limit }))
        }
    }

    /// The state that an entry has changed.
    fn state_to_undo(&self, entry: EntryNumber) -> Result<SurfaceState, Stop<UndoRefusal>> {
        match self.read_state() {
            Ok(Some(state)) => Ok(state),
            Ok(None) | Err(ReadError::Damaged(_)) => Err(RevertError::Damaged(entry).into()),
            Err(ReadError::Missing(id)) => Err(Missing::all(vec![id]).into()),
        }
    }

    /// A model does not get back what a person has taken from it: of what it undoes, no spec may allow more than the one
    /// that it replaces.
    pub(super) fn check_widening(&self, entry: &Entry) -> Result<(), Stop<UndoRefusal>> {
        let Step::Surface(diff) = &entry.step else { return Ok(()) };
        let Some(change) = diff.of_file(SurfaceFile::Spec) else { return Ok(()) };
        let blob = |id: Option<BlobId>| id.map(|id| self.view.blob(id)).transpose();
        let descriptor = blob(self.view.head.file(TreeFile::Descriptor))?.and_then(Blob::as_text);
        let descriptor = descriptor.and_then(StoredDescriptor::read);
        let owner = descriptor.as_ref().map(|descriptor| &descriptor.owner_session_key);
        let (now, then) = (blob(change.after)?, blob(change.before)?);
        // Without a descriptor nobody tells to whom the surface sends.
        if owner.is_none_or(|owner| is_wider(now, then, owner)) {
            return Err(Stop::refused(HistoryRefusal::PolicyWidening { change: entry.change }));
        }
        Ok(())
    }

    /// Takes the next older change of the surface, to revert it or to keep it.
    pub(super) fn pass_surface<'e>(
        &self,
        revert: &mut SurfaceRevert<'e>,
        entry: &Entry,
        diff: &'e SurfaceDiff,
        is_chosen: bool,
    ) -> Result<(), Stop<UndoRefusal>> {
        if !is_chosen {
            revert.keep(entry.change, diff);
            return Ok(());
        }
        self.check_effects(entry)?;
        revert.revert((entry.change, entry.number), diff, || self.state_to_undo(entry.number))
    }

    /// Records what a revert has done to the surface; `None` where that is nothing.
    pub(super) fn record_reverted_surface(
        &mut self,
        operation: &OpKey,
        by: Author,
        author: Actor,
        revert: SurfaceRevert<'_>,
    ) -> Result<Option<(SurfaceFiles, Option<HistoryEntry>)>, Stop<UndoRefusal>> {
        let SurfaceRevert { files, changes, .. } = revert;
        self.check_state(&files)?;
        let mut before = SurfaceFiles::of(&self.view.head.draft);
        if files.state.is_some() {
            before.state = self.read_state().ok().flatten();
        }
        let diff = files.since(&before);
        if diff.is_empty() {
            return Ok(None);
        }
        let entry = self.push_revert(operation, by, Reverts { changes, author }, Step::Surface(diff))?;
        Ok(Some((files, entry)))
    }

    /// Makes what was replayed the surface, in the name of whoever asked.
    pub(super) fn put_replayed_surface(&mut self, by: Author, files: SurfaceFiles) {
        for file in SurfaceFile::ALL {
            let path = file.of_tree().tree_path();
            match files.file(file) {
                Some(blob) => self.head.draft.insert(path, blob),
                None => self.head.draft.remove(&path),
            };
        }
        if let Some(state) = files.state {
            self.put_state(state);
        }
        self.head.faces[Face::Surface] = self.head.revision;
        if by == Author::User {
            self.head.user_revision = self.head.revision;
        }
    }
}

/// Whether a spec lets a surface do what the one before it does not. What cannot be read counts as wider.
fn is_wider(now: Option<&Blob>, then: Option<&Blob>, owner: &SessionKey) -> bool {
    // What tools there are does not matter here: a spec that was saved names them all the same.
    let (ceiling, limits) = (Ceiling::default(), SurfaceLimits::default());
    let load = |blob: &Blob| Spec::load(blob.as_text()?, &ceiling, &limits);
    let (now_spec, then_spec) = (now.and_then(load), then.and_then(load));
    if now_spec.is_some() != now.is_some() || then_spec.is_some() != then.is_some() {
        return true;
    }
    let now = now_spec.as_ref().map(|spec| spec.policy(owner)).unwrap_or_default();
    let then = then_spec.as_ref().map(|spec| spec.policy(owner)).unwrap_or_default();
    !widens(&now, &then).is_empty()
}
