//! Journal steps of the surface.

use crate::face::contents::{FileContent, parsed};
use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Conflict, FaceStep, Mismatch, StepSeed, Way};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::tree::Tree;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::diff::SurfaceFiles;
use crate::surface::{Assets, Ceiling, Spec, SurfaceDiff, SurfaceFile, SurfaceLimits, SurfaceState};

impl FaceStep for SurfaceDiff {
    type At = SurfaceFiles;

    fn inverse(&self) -> Self {
        self.inverse()
    }

    fn read(&self, _: Way, at: &mut Option<SurfaceFiles>, files: &Files<'_>) -> Result<(), ReadError> {
        let at = at.get_or_insert_with(|| SurfaceFiles::of(files.tree));
        if at.state.is_none() && !self.state.is_empty() {
            at.state = files.get::<SurfaceState>(())?.map(|state| SurfaceState::clone(&state));
        }
        Ok(())
    }

    fn play(&self, way: Way, at: &mut SurfaceFiles, _: &Files<'_>) -> Result<(), Mismatch> {
        match way {
            Way::Forth => at.apply(self),
            Way::Back => at.apply(&self.inverse()),
        }
    }

    fn revert(&self, at: &mut SurfaceFiles, later: &mut [Self]) -> Result<(), Conflict> {
        match later.iter().position(|later| later.touches(self)) {
            Some(with) => Err(Conflict::Touched(with)),
            None => Ok(at.apply(&self.inverse())?),
        }
    }

    fn cancels(&self, between: &mut [Self], undoing: &Self) -> bool {
        *undoing == self.inverse() && !between.iter().any(|later| later.touches(self))
    }

    fn since(before: &SurfaceFiles, at: &mut SurfaceFiles, _: &StepSeed<'_>) -> Option<Self> {
        Some(at.since(before)).filter(|diff| !diff.is_empty())
    }

    fn load(files: &Files<'_>) -> Result<Option<SurfaceFiles>, ReadError> {
        let mut at = SurfaceFiles::of(files.tree);
        at.state = files.get::<SurfaceState>(())?.map(|state| SurfaceState::clone(&state));
        Ok(Some(at).filter(|at| at.file(SurfaceFile::Descriptor).is_some()))
    }

    fn restore(at: &mut SurfaceFiles, then: &SurfaceFiles) -> Result<(), Mismatch> {
        at.restore(then);
        Ok(())
    }

    fn put(at: SurfaceFiles, draft: &mut Draft<'_>) {
        for file in SurfaceFile::ALL {
            draft.set(file.of_tree(), at.file(file));
        }
        if let Some(state) = at.state {
            draft.put(Blob::text(state.to_json()), state.into());
        }
    }

    fn suspect(&self, _: Way, tree: &Tree) -> Option<BlobId> {
        tree.file(TreeFile::State)
    }

    fn kept(&self) -> Vec<(TreeFile, BlobId)> {
        let ends = |change: &crate::surface::FileChange| {
            let file = change.file.of_tree();
            [change.before, change.after].into_iter().flatten().map(move |id| (file, id))
        };
        self.files.iter().flat_map(ends).collect()
    }

    fn state_paths(&self) -> Vec<&str> {
        self.state.iter().map(|change| change.path.as_str()).collect()
    }

    fn named(file: TreeFile, blob: &Blob) -> Option<Vec<BlobId>> {
        match file {
            TreeFile::Assets => {
                let assets = Assets::read(blob.as_text()?)?;
                Some(assets.iter().map(|(_, asset)| asset.blob).collect())
            }
            _ => Some(Vec::new()),
        }
    }
}

impl FileContent for SurfaceState {
    const FILE: TreeFile = TreeFile::State;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        parsed(blob, Self::read)
    }
}

impl FileContent for StoredDescriptor {
    const FILE: TreeFile = TreeFile::Descriptor;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        parsed(blob, Self::read)
    }
}

impl FileContent for Assets {
    const FILE: TreeFile = TreeFile::Assets;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        parsed(blob, Self::read)
    }
}

impl FileContent for Spec {
    const FILE: TreeFile = TreeFile::Spec;
    type With<'a> = (&'a Ceiling, &'a SurfaceLimits);

    fn read(blob: &Blob, (ceiling, limits): Self::With<'_>) -> Result<Self, ReadError> {
        parsed(blob, |json| Self::load(json, ceiling, limits))
    }
}
