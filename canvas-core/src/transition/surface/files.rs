//! The files of a surface in the head.

use crate::model::blob::Blob;
use crate::model::face::Face;
use crate::model::file::TreeFile;
use crate::surface::SurfaceState;
use crate::transition::contents::ReadError;
use crate::transition::step::Transition;

impl Transition<'_> {
    /// The state of the view; `None` where the canvas has none.
    pub(in crate::transition) fn state_now(&self) -> Result<Option<SurfaceState>, ReadError> {
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
