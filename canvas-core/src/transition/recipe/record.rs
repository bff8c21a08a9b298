//! Commands that record a recipe.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::board::ComponentId;
use crate::model::author::Author;
use crate::model::blob::BlobId;
use crate::model::face::{Face, TreeFile};
use crate::model::json_pointer::join_pointer;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::Revision;
use crate::recipe::refusal::RecipeRefusal;
use crate::recipe::{
    DataChange, DataDiff, DataEntry, DataManifest, DataStatus, Datum, Drift, DriftCode, Recipe, RecipeFault,
    RecipeReplaced, StoredRecipe, Target,
};
use crate::transition::access::{access_of, author_text};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::recipe::files::{FedComponents, RECIPE_FILES, Refused};
use crate::transition::refusal::RecipeCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Record, Stop, Transition};

/// Records how the data of the canvas were made, and replaces any existing recipe.
///
/// Steps get the current contracts of their tools on the host. Steps whose tools cannot be called again are frozen. The
/// recipe can be undone, but the data stay.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordRecipe {
    /// Author of the recording. A model records in its own turn.
    pub by: Author,
    /// The recipe in its JSON form; `None` to remove the recipe.
    pub recipe: Option<Value>,
    /// The revision that the caller knows. If the recipe changed after it, the command is refused.
    pub expected: Option<Revision>,
    /// The data that the recipe made from the responses at the time of recording. Components not listed here keep their
    /// data.
    pub data: BTreeMap<ComponentId, Value>,
    /// Time at which the time expressions for these data were resolved.
    pub now: Timestamp,
}

/// Result of recording a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecipeRecorded {
    /// Revision of the canvas, which stays the same if the command has no effect.
    pub revision: Revision,
    /// Id of the stored recipe, or `None` if the canvas is left without one.
    #[schemars(with = "Option<String>")]
    pub recipe: Option<BlobId>,
    /// Components that a replay cannot refresh, in the order of the mappings.
    pub non_refreshable: Vec<NonRefreshable>,
}

/// Component that a replay cannot refresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NonRefreshable {
    /// Id of the component.
    pub component: ComponentId,
    /// Reason in one sentence.
    pub reason: String,
}

impl Command for RecordRecipe {
    type Done = RecipeRecorded;
    type Refusal = RecipeCommandRefusal;
}

impl Decide for RecordRecipe {
    const NAME: &'static str = "record_recipe";
    const KIND: &'static str = "recipe_recorded";
    const FILES: &'static [TreeFile] = RECIPE_FILES;

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        let Self { by, recipe, expected, data, now } = self;
        let rest = json!([recipe, expected, data, now.as_millis()]).to_string();
        Digest::of(&["record_recipe", &author_text(*by), &rest].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Refused<RecipeRecorded> {
        if matches!(self.by, Author::Assistant { .. }) {
            at.check_turn::<RecipeCommandRefusal>(operation)?;
        }
        if let Some(expected) = self.expected
            && !at.view.head.is_current(Face::Recipe, expected)
        {
            let current = at.view.head.revision;
            return Err(Stop::refused(RecipeRefusal::StaleRecipe { expected, current }));
        }
        let recipe = self.compile(at)?;
        let components = at.fed_components()?;
        self.check_targets(at, recipe.as_ref(), &components)?;
        let manifest = at.manifest_now()?;
        let (diff, data) = self.data(at, recipe.as_ref(), &manifest, &components)?;

        let (before, after) = (at.head.draft.file(TreeFile::Recipe), recipe.as_ref().map(Recipe::id));
        let non_refreshable = recipe.as_ref().map(Recipe::non_refreshable).unwrap_or_default();
        if before != after {
            at.next_revision::<RecipeCommandRefusal>()?;
            at.put_recipe(
                recipe.map(StoredRecipe::from).map(|recipe| (recipe.blob().clone(), Arc::new(recipe))),
            );
            if self.by == Author::User {
                at.head.user_revision = at.head.revision;
            }
            let summary = if after.is_some() { "recorded a recipe" } else { "removed the recipe" };
            let record = Record { actor: self.by.actor(), operation, summary: summary.to_owned() };
            at.record(record, RecipeReplaced { before, after }.into());
        }
        if !diff.is_empty() {
            at.next_revision::<RecipeCommandRefusal>()?;
            at.put_data(&manifest, &diff)?;
            at.blobs.extend(data.iter().map(|datum| datum.blob().clone()));
            let summary = format!("recorded data of {}", counted(diff.components.len()));
            let record = Record { actor: self.by.actor(), operation, summary };
            at.record_effect(record, diff.into(), Vec::new());
        }
        let non_refreshable =
            non_refreshable.into_iter().map(|(component, reason)| NonRefreshable { component, reason });
        Ok(RecipeRecorded {
            revision: at.head.revision,
            recipe: after,
            non_refreshable: non_refreshable.collect(),
        })
    }
}

impl RecordRecipe {
    fn compile(&self, at: &Transition<'_>) -> Refused<Option<Recipe>> {
        let Some(json) = &self.recipe else { return Ok(None) };
        match Recipe::compile(json, &at.policy.recipe) {
            Ok(recipe) => Ok(Some(recipe.pinned(&at.view.types.ceiling))),
            Err(faults) => Err(refused(faults.into_iter().map(|fault| fault.within("/recipe")).collect())),
        }
    }

    /// Checks that the targets of the recipe exist.
    fn check_targets(
        &self,
        at: &Transition<'_>,
        recipe: Option<&Recipe>,
        components: &FedComponents,
    ) -> Refused<()> {
        let has_state = at.view.head.file(TreeFile::State).is_some();
        let mappings = recipe.map(Recipe::mappings).unwrap_or_default();
        let faults = mappings.iter().enumerate().filter_map(|(number, mapping)| {
            let (name, message) = match &mapping.target {
                Target::Component(id) if !components.has(id) => {
                    ("component", "the board has no such component: take the id of one that is there")
                }
                Target::State(_) if !has_state => (
                    "state",
                    "the canvas has no surface, and so no state: create it first, or feed a component",
                ),
                _ => return None,
            };
            Some(RecipeFault::invalid(format!("/recipe/mappings/{number}/{name}"), message))
        });
        let faults: Vec<_> = faults.collect();
        if faults.is_empty() { Ok(()) } else { Err(refused(faults)) }
    }

    /// Returns the changes of the data, and the new data.
    fn data(
        &self,
        at: &Transition<'_>,
        recipe: Option<&Recipe>,
        manifest: &DataManifest,
        components: &FedComponents,
    ) -> Refused<(DataDiff, Vec<Datum>)> {
        let mut faults = Vec::new();
        let mut given = BTreeMap::new();
        for (id, value) in &self.data {
            match Datum::new(value.clone(), &at.policy.recipe) {
                Ok(datum) => {
                    given.insert(id, datum);
                }
                Err(fault) => faults.push(fault.within(&join_pointer("/data", id.as_str()))),
            }
        }
        let mappings = recipe.map(Recipe::mappings).unwrap_or_default();
        let fed: BTreeMap<_, _> =
            mappings.iter().filter_map(|mapping| Some((mapping.target.component()?, mapping))).collect();
        for id in given.keys().filter(|id| !fed.contains_key(**id)) {
            let message = "the recipe does not make these data: map them, or leave them out";
            faults.push(RecipeFault::invalid(join_pointer("/data", id.as_str()), message));
        }
        if !faults.is_empty() {
            return Err(refused(faults));
        }
        let ids: BTreeSet<_> = manifest.iter().map(|(id, _)| id).chain(fed.keys().copied()).collect();
        let changes = ids.into_iter().filter_map(|id| {
            let before = manifest.get(id);
            let frozen = fed.get(id).and_then(|mapping| recipe?.step_of(mapping)?.frozen());
            let after = match (fed.contains_key(id), given.get(id)) {
                (true, Some(datum)) => Some(recorded(before, datum, frozen, self.now)),
                (true, None) => match frozen {
                    Some(reason) => Some(DataEntry::kept(before, &Drift::frozen(reason))),
                    None => before.cloned(),
                },
                (false, _) if components.has(id) => Some(DataEntry::kept(before, &not_in_recipe())),
                // No request could refresh it.
                (false, _) => None,
            };
            let change = DataChange { component: id.clone(), before: before.cloned(), after };
            (change.before != change.after).then_some(change)
        });
        let diff = DataDiff { components: changes.collect() };
        let came = diff.components.iter().filter(|change| change.before.is_none()).count();
        let went = diff.components.iter().filter(|change| change.after.is_none()).count();
        let (count, limit) = (manifest.len() + came - went, at.policy.recipe.components);
        if count > limit && came > went {
            let message = format!(
                "the canvas would have data of {count} components, the limit is {limit}: remove some"
            );
            return Err(refused(vec![RecipeFault::invalid("/recipe/mappings", message)]));
        }
        Ok((diff, given.into_values().collect()))
    }
}

/// Returns the entry for recorded data. Unchanged data keep their time.
fn recorded(before: Option<&DataEntry>, datum: &Datum, frozen: Option<&str>, now: Timestamp) -> DataEntry {
    let new = match frozen {
        None => DataEntry::ready(datum, now),
        Some(reason) => DataEntry {
            status: DataStatus::Frozen,
            reason: Some(Drift::frozen(reason)),
            ..DataEntry::ready(datum, now)
        },
    };
    match before {
        Some(entry)
            if (entry.status, &entry.reason) == (new.status, &new.reason)
                && entry.data.is_some_and(|data| data.blob == datum.id()) =>
        {
            entry.clone()
        }
        _ => new,
    }
}

fn not_in_recipe() -> Drift {
    Drift::new(DriftCode::NotInRecipe, "the recipe does not make these data any more: record one that does")
}

/// For example, `1 component` or `2 components`.
pub(super) fn counted(components: usize) -> String {
    format!("{components} component{}", if components == 1 { "" } else { "s" })
}

pub(super) fn refused(faults: Vec<RecipeFault>) -> Stop<RecipeCommandRefusal> {
    Stop::refused(RecipeRefusal::of(faults))
}
