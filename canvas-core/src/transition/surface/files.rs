//! The files of a surface in the head.

use crate::model::blob::{Blob, Missing};
use crate::model::face::Face;
use crate::model::file::TreeFile;
use crate::surface::SurfaceState;
use crate::transition::contents::ReadError;
use crate::transition::step::{Stop, Transition};
use crate::transition::surface::refusal::SurfaceRefusal;

impl Transition<'_> {
    /// The state of the view; `None` where the canvas has none.
    #[cfg_attr(not(test), expect(dead_code, reason = "no command reads it yet"))]
    pub(in crate::transition) fn state_now<R: From<SurfaceRefusal>>(
        &self,
    ) -> Result<Option<SurfaceState>, Stop<R>> {
        self.read_state().map_err(|error| match error {
            ReadError::Missing(id) => Missing::all(vec![id]).into(),
            ReadError::Damaged(_) => Stop::refused(SurfaceRefusal::SurfaceDamaged),
        })
    }

    /// As [`Transition::state_now`], for who has other words for what is wrong.
    pub(in crate::transition) fn read_state(&self) -> Result<Option<SurfaceState>, ReadError> {
        let id = self.view.head.file(TreeFile::State);
        id.map(|id| self.view.contents.state(id)).transpose()
    }

    /// Makes this the state of the revision that the head has.
    pub(in crate::transition) fn put_state(&mut self, state: SurfaceState) {
        let blob = Blob::text(state.to_json());
        self.head.draft.insert(TreeFile::State.tree_path(), blob.id());
        self.head.faces[Face::Surface] = self.head.revision;
        self.blobs.push(blob.clone());
        self.contents.put_state(blob, state);
    }
}
