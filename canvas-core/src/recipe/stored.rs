//! A recipe as a canvas has it, of whatever version.

use serde::Deserialize;
use serde_json::Value;

use crate::model::blob::{Blob, BlobId};
use crate::recipe::compiled::Recipe;
use crate::recipe::drift::{Drift, DriftCode};
use crate::recipe::limits::RecipeLimits;
use crate::recipe::mapping::Target;
use crate::recipe::operation::operations::Operations;

/// A recipe that was recorded. One of another version is not replayed, but what it feeds is known.
#[derive(Debug, Clone)]
pub struct StoredRecipe {
    blob: Blob,
    targets: Vec<Target>,
    recipe: Result<Recipe, Drift>,
}

impl StoredRecipe {
    /// Reads the JSON of a recipe that was recorded. `None` where it is none, of whatever version.
    pub(crate) fn read(blob: &Blob) -> Option<Self> {
        let json: Value = serde_json::from_str(blob.as_text()?).ok()?;
        let blob = blob.clone();
        let is_known = |name: &str, known: u32| json.get(name).and_then(Value::as_u64) == Some(known.into());
        if is_known("version", Recipe::VERSION) && is_known("catalogue", Operations::CATALOGUE) {
            return Recipe::compile(&json, &RecipeLimits::UNLIMITED)
                .ok()
                .map(|recipe| Self::of(recipe, blob));
        }
        let targets = json.get("mappings")?.as_array()?.iter().filter_map(target).collect();
        let message = "the recipe is of another version: record it anew, or update the library";
        Some(Self { blob, targets, recipe: Err(Drift::new(DriftCode::VersionMismatch, message)) })
    }

    fn of(recipe: Recipe, blob: Blob) -> Self {
        let targets = recipe.mappings().iter().map(|mapping| mapping.target.clone()).collect();
        Self { blob, targets, recipe: Ok(recipe) }
    }

    /// The hash of its JSON, by which [`FinishReplay`](crate::recipe::FinishReplay) names it.
    pub fn id(&self) -> BlobId {
        self.blob.id()
    }

    pub(crate) fn blob(&self) -> &Blob {
        &self.blob
    }

    /// Its JSON. Linear in it.
    pub fn to_json(&self) -> Value {
        serde_json::from_str(self.blob.as_text().unwrap_or_default()).unwrap_or_default()
    }

    /// What it feeds, in the order of its mappings.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The recipe, compiled.
    ///
    /// # Errors
    ///
    /// `VERSION_MISMATCH` where it is of another version of recipes or of the operations.
    pub fn recipe(&self) -> Result<&Recipe, &Drift> {
        self.recipe.as_ref()
    }
}

impl From<Recipe> for StoredRecipe {
    fn from(recipe: Recipe) -> Self {
        let blob = recipe.blob.clone();
        Self::of(recipe, blob)
    }
}

/// What a mapping leads to, whatever else it has.
fn target(mapping: &Value) -> Option<Target> {
    let component = mapping.get("component").and_then(|id| Deserialize::deserialize(id).ok());
    let state = || mapping.get("state").and_then(|place| Deserialize::deserialize(place).ok());
    component.map(Target::Component).or_else(|| state().map(Target::State))
}
