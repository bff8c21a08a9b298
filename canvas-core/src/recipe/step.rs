//! Journal steps of the recipe and its data.

use serde::{Deserialize, Serialize};

use crate::face::contents::{FileContent, parsed};
use crate::face::files::{Draft, Files};
use crate::face::read_error::ReadError;
use crate::face::step::{Conflict, FaceStep, Mismatch, StepSeed, Way};
use crate::model::blob::{Blob, BlobId};
use crate::model::face::TreeFile;
use crate::model::tree::Tree;
use crate::recipe::{DataDiff, DataManifest, StoredRecipe};

/// A replacement of the whole recipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecipeReplaced {
    /// Blob of the recipe before; `None` if the canvas had no recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<BlobId>,
    /// Blob of the recipe after; `None` if the canvas has no recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<BlobId>,
}

impl FaceStep for RecipeReplaced {
    /// The blob; `None` if the canvas has no recipe.
    type At = Option<BlobId>;

    fn inverse(&self) -> Self {
        Self { before: self.after, after: self.before }
    }

    fn read(&self, _: Way, at: &mut Option<Self::At>, files: &Files<'_>) -> Result<(), ReadError> {
        at.get_or_insert_with(|| files.tree.file(TreeFile::Recipe));
        Ok(())
    }

    fn play(&self, way: Way, at: &mut Self::At, _: &Files<'_>) -> Result<(), Mismatch> {
        let (start, end) = way.ends(self.before, self.after);
        if *at != start {
            return Err(Mismatch);
        }
        *at = end;
        Ok(())
    }

    /// A recipe can only be reverted if there is no later one.
    fn revert(&self, at: &mut Self::At, later: &mut [Self]) -> Result<(), Conflict> {
        match later {
            [] => *at = self.before,
            [..] => return Err(Conflict::Touched(0)),
        }
        Ok(())
    }

    fn cancels(&self, between: &mut [Self], undoing: &Self) -> bool {
        between.is_empty() && *undoing == self.inverse()
    }

    fn since(before: &Self::At, at: &mut Self::At, _: &StepSeed<'_>) -> Option<Self> {
        (before != at).then_some(Self { before: *before, after: *at })
    }

    fn load(files: &Files<'_>) -> Result<Option<Self::At>, ReadError> {
        Ok(Some(files.tree.file(TreeFile::Recipe)))
    }

    fn restore(at: &mut Self::At, then: &Self::At) -> Result<(), Mismatch> {
        *at = *then;
        Ok(())
    }

    fn put(at: Self::At, draft: &mut Draft<'_>) {
        draft.set(TreeFile::Recipe, at);
    }

    fn suspect(&self, way: Way, tree: &Tree) -> Option<BlobId> {
        tree.file(TreeFile::Recipe).or_else(|| way.ends(self.before, self.after).0)
    }

    fn kept(&self) -> Vec<(TreeFile, BlobId)> {
        [self.before, self.after].into_iter().flatten().map(|id| (TreeFile::Recipe, id)).collect()
    }
}

/// Only effects change the data. They are never undone, but are played back together with all other steps.
impl FaceStep for DataDiff {
    type At = DataManifest;

    fn inverse(&self) -> Self {
        self.inverse()
    }

    fn read(&self, _: Way, at: &mut Option<DataManifest>, files: &Files<'_>) -> Result<(), ReadError> {
        if at.is_none() {
            let manifest = files.get::<DataManifest>(())?;
            *at = Some(manifest.map(|manifest| (*manifest).clone()).unwrap_or_default());
        }
        Ok(())
    }

    fn play(&self, way: Way, at: &mut DataManifest, _: &Files<'_>) -> Result<(), Mismatch> {
        let played = match way {
            Way::Forth => at.apply(self),
            Way::Back => at.apply(&self.inverse()),
        };
        played.map_err(|_| Mismatch)
    }

    fn revert(&self, _: &mut DataManifest, _: &mut [Self]) -> Result<(), Conflict> {
        Err(Conflict::Mismatch)
    }

    fn cancels(&self, _: &mut [Self], _: &Self) -> bool {
        false
    }

    fn since(_: &DataManifest, _: &mut DataManifest, _: &StepSeed<'_>) -> Option<Self> {
        None
    }

    fn put(at: DataManifest, draft: &mut Draft<'_>) {
        if at.is_empty() {
            draft.set(TreeFile::Data, None);
        } else {
            draft.put(Blob::text(at.to_json()), at.into());
        }
    }

    fn suspect(&self, _: Way, tree: &Tree) -> Option<BlobId> {
        tree.file(TreeFile::Data)
    }

    /// Empty, because data from before a replay may have been collected.
    fn kept(&self) -> Vec<(TreeFile, BlobId)> {
        Vec::new()
    }

    fn named(file: TreeFile, blob: &Blob) -> Option<Vec<BlobId>> {
        match file {
            TreeFile::Data => Some(DataManifest::read(blob.as_text()?)?.blobs().collect()),
            _ => Some(Vec::new()),
        }
    }
}

impl FileContent for StoredRecipe {
    const FILE: TreeFile = TreeFile::Recipe;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        Self::read(blob).ok_or_else(|| ReadError::Damaged(blob.id()))
    }
}

impl FileContent for DataManifest {
    const FILE: TreeFile = TreeFile::Data;
    type With<'a> = ();

    fn read(blob: &Blob, (): ()) -> Result<Self, ReadError> {
        parsed(blob, Self::read)
    }
}
