//! The files of a recipe in the head.

use std::sync::Arc;

use crate::board::{Board, ComponentId};
use crate::face::read_error::ReadError;
use crate::model::blob::Blob;
use crate::model::face::{Face, TreeFile};
use crate::recipe::refusal::RecipeRefusal;
use crate::recipe::{DataDiff, DataManifest, StoredRecipe};
use crate::transition::refusal::RecipeCommandRefusal;
use crate::transition::step::{Stop, Transition};

/// The files that commands on recipes read.
pub(super) const RECIPE_FILES: &[TreeFile] =
    &[TreeFile::Recipe, TreeFile::Data, TreeFile::Board, TreeFile::State];

pub(super) type Refused<T> = Result<T, Stop<RecipeCommandRefusal>>;

impl Transition<'_> {
    /// Returns the recipe of the view, or `None` if the canvas has no recipe.
    pub(super) fn recipe_now(&self) -> Refused<Option<Arc<StoredRecipe>>> {
        self.view.files().get(()).map_err(unread)
    }

    /// Returns the data of the view, which are empty if the canvas has no manifest.
    pub(super) fn manifest_now(&self) -> Refused<Arc<DataManifest>> {
        self.view.files().get(()).map(Option::unwrap_or_default).map_err(unread)
    }

    /// Returns the components of the view that recipes may feed.
    pub(super) fn fed_components(&self) -> Refused<FedComponents> {
        self.view.files().get(self.view.blobs).map(FedComponents).map_err(unread)
    }

    /// Sets or removes the recipe, at the revision of the head.
    pub(super) fn put_recipe(&mut self, recipe: Option<(Blob, Arc<StoredRecipe>)>) {
        let path = TreeFile::Recipe.tree_path();
        match recipe {
            Some((blob, recipe)) => {
                self.head.draft.insert(path, blob.id());
                self.blobs.push(blob.clone());
                self.contents.put(blob, recipe);
            }
            None => {
                self.head.draft.remove(&path);
            }
        }
        self.head.faces[Face::Recipe] = self.head.revision;
    }

    /// Changes the data, at the revision of the head. The caller stores the blobs.
    pub(super) fn put_data(&mut self, manifest: &DataManifest, diff: &DataDiff) -> Refused<()> {
        let mut manifest = manifest.clone();
        manifest.apply(diff).map_err(|_| Stop::refused(RecipeRefusal::RecipeDamaged))?;
        let path = TreeFile::Data.tree_path();
        if manifest.is_empty() {
            self.head.draft.remove(&path);
        } else {
            let blob = Blob::text(manifest.to_json());
            self.head.draft.insert(path, blob.id());
            self.blobs.push(blob.clone());
            self.contents.put(blob, Arc::new(manifest));
        }
        self.head.faces[Face::Data] = self.head.revision;
        Ok(())
    }
}

/// The components that recipes may feed. These are the board's components, or any if there is no board.
pub(super) struct FedComponents(Option<Arc<Board>>);

impl FedComponents {
    pub(super) fn has(&self, id: &ComponentId) -> bool {
        self.0.as_ref().is_none_or(|board| board.bounds(id).is_some())
    }
}

pub(super) fn unread(error: ReadError) -> Stop<RecipeCommandRefusal> {
    match error.missing() {
        Ok(missing) => missing.into(),
        Err(_) => Stop::refused(RecipeRefusal::RecipeDamaged),
    }
}
