//! A recipe of any version, in the form that a canvas stores.

use serde::Deserialize;
use serde_json::Value;

use crate::model::blob::{Blob, BlobId};
use crate::recipe::compiled::Recipe;
use crate::recipe::drift::{Drift, DriftCode};
use crate::recipe::limits::RecipeLimits;
use crate::recipe::mapping::Target;
use crate::recipe::operation::operations::Operations;

/// A recorded recipe. If it has another version, it cannot be replayed, but its targets are known.
#[derive(Debug, Clone)]
pub struct StoredRecipe {
    blob: Blob,
    targets: Vec<Target>,
    recipe: Result<Recipe, Drift>,
}

impl StoredRecipe {
    /// Reads the JSON of a recorded recipe. Returns `None` if the blob is not a recipe of any version.
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

    /// Returns the hash of the JSON, by which [`FinishReplay`](crate::recipe::FinishReplay) names the recipe.
    pub fn id(&self) -> BlobId {
        self.blob.id()
    }

    pub(crate) fn blob(&self) -> &Blob {
        &self.blob
    }

    /// Returns the JSON of the recipe. Linear in its size.
    pub fn to_json(&self) -> Value {
        serde_json::from_str(self.blob.as_text().unwrap_or_default()).unwrap_or_default()
    }

    /// Returns the targets that the recipe feeds, in the order of its mappings.
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// Returns the compiled recipe.
    ///
    /// # Errors
    ///
    /// Returns `VERSION_MISMATCH` if the recipe has another version of the recipe format or of the operations.
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

/// Returns the target of a mapping, ignoring its other members.
fn target(mapping: &Value) -> Option<Target> {
    let component = mapping.get("component").and_then(|id| Deserialize::deserialize(id).ok());
    let state = || mapping.get("state").and_then(|place| Deserialize::deserialize(place).ok());
    component.map(Target::Component).or_else(|| state().map(Target::State))
}
