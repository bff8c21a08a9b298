//! Limits on the effect of undo and redo on a surface.

use crate::history::journal::Entry;
use crate::history::step::{Faces, Step};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::name::SessionKey;
use crate::surface::{Ceiling, Spec, SurfaceFile, SurfaceLimits, SurfaceState, widens};
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};

impl Transition<'_> {
    /// Checks the size of the state after an undo or a restore, because restored places and later ones may be too large
    /// together. A state above the limit may still become smaller. The depth of a place does not change.
    pub(in crate::transition) fn check_state<R: From<HistoryRefusal>>(
        &self,
        faces: &Faces,
    ) -> Result<(), Stop<R>> {
        let state = faces.surface.at.as_ref().and_then(|at| at.state.as_ref());
        let (limit, bytes) = (self.policy.surface.state_bytes, state.map_or(0, SurfaceState::bytes));
        if bytes <= limit {
            return Ok(());
        }
        let before =
            self.view.files().get::<SurfaceState>(()).ok().flatten().map_or(0, |state| state.bytes());
        if bytes <= before {
            Ok(())
        } else {
            Err(Stop::refused(HistoryRefusal::StateTooLarge { bytes, limit }))
        }
    }

    /// Refuses a model's undo of a spec if the older spec permits more than the current one, because a person removed
    /// those permissions.
    pub(in crate::transition) fn check_widening(&self, entry: &Entry) -> Result<(), Stop<UndoRefusal>> {
        let diff = entry.steps().find_map(|step| match step {
            Step::Surface(diff) => Some(diff),
            _ => None,
        });
        let Some(diff) = diff else { return Ok(()) };
        let Some(change) = diff.of_file(SurfaceFile::Spec) else { return Ok(()) };
        let blob = |id: Option<BlobId>| id.map(|id| self.view.blob(id)).transpose();
        let descriptor = blob(self.view.head.file(TreeFile::Descriptor))?.and_then(Blob::as_text);
        let descriptor = descriptor.and_then(StoredDescriptor::read);
        let owner = descriptor.as_ref().map(|descriptor| &descriptor.owner_session_key);
        let (now, then) = (blob(change.after)?, blob(change.before)?);
        // Without a descriptor, the session that the surface sends to is unknown.
        if owner.is_none_or(|owner| is_wider(now, then, owner)) {
            return Err(Stop::refused(HistoryRefusal::PolicyWidening { change: entry.change }));
        }
        Ok(())
    }
}

/// Whether a spec permits a surface more than the spec before it. An unreadable spec counts as wider.
fn is_wider(now: Option<&Blob>, then: Option<&Blob>, owner: &SessionKey) -> bool {
    // The available tools do not matter here, because a saved spec names them in any case.
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
