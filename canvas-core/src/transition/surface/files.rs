//! The files of a surface in the head.

use std::sync::Arc;

use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::face::Face;
use crate::model::file::TreeFile;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::{Assets, FileChange, Spec, SurfaceFile, SurfaceState};
use crate::transition::contents::ReadError;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::step::{Stop, Transition};
use crate::transition::surface::refusal::SurfaceRefusal;

/// All files of a surface.
pub(super) const SURFACE_FILES: &[TreeFile] =
    &[TreeFile::Descriptor, TreeFile::Spec, TreeFile::State, TreeFile::Assets];

/// What a command on a surface comes to.
pub(super) type Refused<T> = Result<T, Stop<SurfaceCommandRefusal>>;

impl Transition<'_> {
    /// The state of the view; `None` where the canvas has none.
    pub(in crate::transition) fn state_now<R: From<SurfaceRefusal>>(
        &self,
    ) -> Result<Option<SurfaceState>, Stop<R>> {
        self.read_state().map_err(unread)
    }

    /// As [`Transition::state_now`], for who has other words for what is wrong.
    pub(in crate::transition) fn read_state(&self) -> Result<Option<SurfaceState>, ReadError> {
        let id = self.view.head.file(TreeFile::State);
        id.map(|id| self.view.contents.state(id)).transpose()
    }

    /// The descriptor of the view; `None` where the canvas has no surface.
    pub(super) fn descriptor_now(&self) -> Refused<Option<Arc<StoredDescriptor>>> {
        self.file_now(TreeFile::Descriptor, |id| self.view.contents.descriptor(id))
    }

    /// The spec of the view, compiled; `None` where the surface has none.
    pub(super) fn spec_now(&self) -> Refused<Option<Arc<Spec>>> {
        let (ceiling, limits) = (&self.view.types.ceiling, &self.policy.surface);
        self.file_now(TreeFile::Spec, |id| self.view.contents.spec(id, ceiling, limits))
    }

    /// The assets of the view; none where the surface has no manifest.
    pub(super) fn assets_now(&self) -> Refused<Arc<Assets>> {
        self.file_now(TreeFile::Assets, |id| self.view.contents.assets(id)).map(Option::unwrap_or_default)
    }

    fn file_now<T>(
        &self,
        file: TreeFile,
        read: impl FnOnce(BlobId) -> Result<T, ReadError>,
    ) -> Refused<Option<T>> {
        self.view.head.file(file).map(read).transpose().map_err(unread)
    }

    /// Makes this the state of the revision that the head has.
    pub(in crate::transition) fn put_state(&mut self, state: SurfaceState) {
        let blob = Blob::text(state.to_json());
        self.head.draft.insert(TreeFile::State.tree_path(), blob.id());
        self.head.faces[Face::Surface] = self.head.revision;
        self.blobs.push(blob.clone());
        self.contents.put_state(blob, state);
    }

    /// Makes this the descriptor of the revision that the head has.
    pub(super) fn put_descriptor(&mut self, descriptor: StoredDescriptor) -> Option<FileChange> {
        let blob = Blob::text(descriptor.to_json());
        self.contents.put_descriptor(blob.clone(), Arc::new(descriptor));
        self.put_file(SurfaceFile::Descriptor, Some(blob))
    }

    /// Makes this the spec of the revision that the head has.
    pub(super) fn put_spec(&mut self, json: String, spec: Spec) -> Option<FileChange> {
        let blob = Blob::text(json);
        self.contents.put_spec(blob.clone(), Arc::new(spec));
        self.put_file(SurfaceFile::Spec, Some(blob))
    }

    /// Makes these the assets of the revision that the head has. The caller puts their contents.
    pub(super) fn put_assets(&mut self, assets: &Assets) -> Option<FileChange> {
        let blob = (!assets.is_empty()).then(|| Blob::text(assets.to_json()));
        self.put_file(SurfaceFile::Assets, blob)
    }

    /// What changes by it; `None` where the file was like that.
    fn put_file(&mut self, file: SurfaceFile, blob: Option<Blob>) -> Option<FileChange> {
        let (path, after) = (file.of_tree().tree_path(), blob.as_ref().map(Blob::id));
        let before = match after {
            Some(id) => self.head.draft.insert(path, id),
            None => self.head.draft.remove(&path),
        };
        if before == after {
            return None;
        }
        self.head.faces[Face::Surface] = self.head.revision;
        self.blobs.extend(blob);
        Some(FileChange { file, before, after })
    }
}

fn unread<R: From<SurfaceRefusal>>(error: ReadError) -> Stop<R> {
    match error {
        ReadError::Missing(id) => Missing::all(vec![id]).into(),
        ReadError::Damaged(_) => Stop::refused(SurfaceRefusal::SurfaceDamaged),
    }
}
