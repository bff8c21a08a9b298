//! The files of a surface in the head.

use std::sync::Arc;

use crate::face::read_error::ReadError;
use crate::model::blob::Blob;
use crate::model::face::{Face, TreeFile};
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::{Assets, FileChange, Spec, SurfaceFile, SurfaceState};
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::step::{Stop, Transition};

pub(super) const SURFACE_FILES: &[TreeFile] =
    &[TreeFile::Descriptor, TreeFile::Spec, TreeFile::State, TreeFile::Assets];

pub(super) type Refused<T> = Result<T, Stop<SurfaceCommandRefusal>>;

impl Transition<'_> {
    /// Returns the state of the view, or `None` if the canvas has no state.
    pub(in crate::transition) fn state_now(&self) -> Refused<Option<Arc<SurfaceState>>> {
        self.view.files().get(()).map_err(unread)
    }

    /// Returns the descriptor of the view, or `None` if the canvas has no surface.
    pub(super) fn descriptor_now(&self) -> Refused<Option<Arc<StoredDescriptor>>> {
        self.view.files().get(()).map_err(unread)
    }

    /// Returns the compiled spec of the view, or `None` if the surface has no spec.
    pub(super) fn spec_now(&self) -> Refused<Option<Arc<Spec>>> {
        let (ceiling, limits) = (&self.view.types.ceiling, &self.policy.surface);
        self.view.files().get((&**ceiling, limits)).map_err(unread)
    }

    /// Returns the assets of the view, which are empty if the surface has no manifest.
    pub(super) fn assets_now(&self) -> Refused<Arc<Assets>> {
        self.view.files().get(()).map(Option::unwrap_or_default).map_err(unread)
    }

    /// Sets the state, at the revision of the head.
    pub(in crate::transition) fn put_state(&mut self, state: SurfaceState) {
        let blob = Blob::text(state.to_json());
        self.head.draft.insert(TreeFile::State.tree_path(), blob.id());
        self.head.faces[Face::Surface] = self.head.revision;
        self.blobs.push(blob.clone());
        self.contents.put(blob, Arc::new(state));
    }

    /// Sets the descriptor, at the revision of the head.
    pub(super) fn put_descriptor(&mut self, descriptor: StoredDescriptor) -> Option<FileChange> {
        let blob = Blob::text(descriptor.to_json());
        self.contents.put(blob.clone(), Arc::new(descriptor));
        self.put_file(SurfaceFile::Descriptor, Some(blob))
    }

    /// Sets the spec, at the revision of the head.
    pub(super) fn put_spec(&mut self, json: String, spec: Spec) -> Option<FileChange> {
        let blob = Blob::text(json);
        self.contents.put(blob.clone(), Arc::new(spec));
        self.put_file(SurfaceFile::Spec, Some(blob))
    }

    /// Sets the assets, at the revision of the head. The caller stores their contents.
    pub(super) fn put_assets(&mut self, assets: &Assets) -> Option<FileChange> {
        let blob = (!assets.is_empty()).then(|| Blob::text(assets.to_json()));
        self.put_file(SurfaceFile::Assets, blob)
    }

    /// Returns the change, or `None` if the file is unchanged.
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

fn unread(error: ReadError) -> Stop<SurfaceCommandRefusal> {
    match error.missing() {
        Ok(missing) => missing.into(),
        Err(_) => Stop::refused(SurfaceRefusal::SurfaceDamaged),
    }
}
