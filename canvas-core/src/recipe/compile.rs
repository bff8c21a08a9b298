//! Compilation of a recipe, which finds all of its faults.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde::Deserialize;
use serde_json::Value;

use crate::board::{BoardPatch, ComponentId};
use crate::model::blob::Blob;
use crate::model::canonical::canonical_json;
use crate::model::json_hash::JsonHash;
use crate::model::json_pointer::join_pointer;
use crate::model::wording::{NAME, clip};
use crate::recipe::compiled::Recipe;
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::limits::{RecipeLimits, is_within};
use crate::recipe::mapping::{Mapping, Target};
use crate::recipe::name::StepId;
use crate::recipe::operation::operations::Operations;
use crate::recipe::parameters::Parameters;
use crate::recipe::pointer::JsonPointer;
use crate::recipe::reader::{Object, Reader};
use crate::recipe::recipe_step::RecipeStep;
use crate::surface::{StatePointer, ToolName};
use crate::zone::Zone;

impl Recipe {
    /// The supported version of the recipe format.
    pub const VERSION: u32 = 1;

    /// Checks and compiles a recipe. Linear in the recipe, except for its mappings, which are compared with one
    /// another.
    ///
    /// # Errors
    ///
    /// Returns each fault with its code and its place in the recipe, in the order of the recipe and at most 64. The
    /// codes are `RECIPE_INVALID`, `EXPR_INVALID` and `VERSION_MISMATCH`.
    pub fn compile(json: &Value, limits: &RecipeLimits) -> Result<Self, Vec<RecipeFault>> {
        let mut reader = Reader::default();
        let recipe = reader.recipe(json, limits);
        reader.finish(recipe)
    }
}

/// Steps by their ids. A step with a fault has no value.
struct Steps {
    places: BTreeMap<StepId, usize>,
    list: Vec<Option<RecipeStep>>,
    /// Whether unnamed steps exist. If so, missing steps are not reported.
    has_unnamed: bool,
}

impl Reader {
    fn recipe(&mut self, json: &Value, limits: &RecipeLimits) -> Option<Recipe> {
        if !is_within(json, limits.depth) {
            let limit = limits.depth;
            return self.note("", format!("the recipe is nested more than {limit} deep: make it flatter"));
        }
        let text = match canonical_json(json) {
            Ok(text) => text,
            Err(error) => return self.note(&error.place, error.to_string()),
        };
        let (bytes, limit) = (text.len(), limits.bytes);
        if bytes > limit {
            return self
                .note("", format!("the recipe has {bytes} bytes, the limit is {limit}: make it smaller"));
        }
        let recipe = self.object(json, "")?;
        self.only(recipe, "", &["version", "catalogue", "timezone", "steps", "mappings", "composition"]);
        self.version(recipe, "version", Recipe::VERSION);
        self.version(recipe, "catalogue", Operations::CATALOGUE);
        let zone = self.zone(recipe);
        let steps = self.steps(recipe, limits);
        let mappings = self.mappings(recipe, &steps, limits);
        let composition =
            recipe.get("composition").map(|json| self.decode::<BoardPatch>(json, "/composition"));
        let steps = steps.list.into_iter().collect::<Option<Vec<_>>>();
        Some(Recipe {
            blob: Blob::text(text),
            zone: zone?,
            steps: steps?,
            mappings: mappings?,
            composition: composition.map_or(Some(None), |read| read.map(Some))?,
        })
    }

    fn version(&mut self, recipe: &Object, name: &str, known: u32) {
        let place = join_pointer("", name);
        match recipe.get(name) {
            Some(version) if version.as_u64() == Some(known.into()) => {}
            Some(Value::Number(_)) => {
                let message =
                    format!("only {name} {known} is known: record the recipe anew, or update the library");
                self.note_as::<()>(&place, RecipeCode::VersionMismatch, message);
            }
            _ => {
                self.note::<()>(&place, format!("{name} is not a number: set it to {known}"));
            }
        }
    }

    fn zone(&mut self, recipe: &Object) -> Option<Zone> {
        match recipe.get("timezone") {
            None => Some(Zone::UTC),
            Some(Value::String(name)) => {
                Zone::new(name).map_err(|error| self.note::<()>("/timezone", error.to_string())).ok()
            }
            Some(_) => {
                self.note("/timezone", "timezone is not the IANA name of a zone: write one, or leave it out")
            }
        }
    }

    fn steps(&mut self, recipe: &Object, limits: &RecipeLimits) -> Steps {
        let mut steps = Steps { places: BTreeMap::new(), list: Vec::new(), has_unnamed: false };
        let list = self.list(recipe, "steps", limits.steps);
        for (number, json) in list.iter().enumerate() {
            let place = format!("/steps/{number}");
            let step = self.recipe_step(json, &place, &steps);
            match json.get("id").and_then(|id| StepId::deserialize(id).ok()) {
                None => steps.has_unnamed = true,
                Some(id) if steps.places.contains_key(&id) => {
                    self.note::<()>(&format!("{place}/id"), "another step has this id: give each its own");
                }
                Some(id) => {
                    steps.places.insert(id, number);
                }
            }
            steps.list.push(step);
        }
        if list.is_empty() {
            (steps.list, steps.has_unnamed) = (vec![None], true);
        }
        steps
    }

    /// Returns the items of a list with 1 to `limit` of them, and an empty slice for any other value.
    fn list<'v>(&mut self, recipe: &'v Object, name: &str, limit: usize) -> &'v [Value] {
        match recipe.get(name) {
            Some(Value::Array(items)) if (1..=limit).contains(&items.len()) => items,
            Some(Value::Array(items)) if items.len() > limit => {
                let (place, count) = (join_pointer("", name), items.len());
                self.note::<()>(
                    &place,
                    format!("these are {count} {name}, the limit is {limit}: leave some out"),
                );
                &[]
            }
            _ => {
                self.note::<()>(
                    &join_pointer("", name),
                    format!("{name} are not a list of at least one: send one"),
                );
                &[]
            }
        }
    }

    fn recipe_step(&mut self, json: &Value, place: &str, before: &Steps) -> Option<RecipeStep> {
        let object = self.object(json, place)?;
        self.only(object, place, &["id", "tool", "params", "contract", "toolVersion"]);
        let id = self.step_id(object, place, "id");
        let tool = self.require::<ToolName>(object, place, "tool");
        let contract = self.optional::<JsonHash>(object, place, "contract");
        let tool_version = self.optional::<String>(object, place, "toolVersion");
        let here = join_pointer(place, "params");
        let parameters = match object.get("params") {
            None => Parameters::parse(&Value::Object(Object::new())),
            Some(params) => Parameters::parse(params),
        };
        let parameters = parameters.map_err(|faults| self.note_all::<()>(faults, &here)).ok()?;
        let (mut sources, mut frozen) = (Vec::new(), parameters.frozen().map(str::to_owned));
        for (at, result) in parameters.results() {
            let Some(&source) = before.places.get(&result.step) else {
                if !before.has_unnamed {
                    let name = clip(result.step.as_str(), NAME);
                    let message = format!("no step {name} comes before this one: name an earlier step");
                    self.note::<()>(&format!("{here}{at}/$result/step"), message);
                }
                continue;
            };
            sources.push(source);
            let reason = before.list[source].as_ref().and_then(RecipeStep::frozen);
            frozen = frozen.or_else(|| reason.map(str::to_owned));
        }
        sources.sort_unstable();
        sources.dedup();
        let (contract, tool_version) = (contract?, tool_version?);
        Some(RecipeStep { id: id?, tool: tool?, parameters, contract, tool_version, sources, frozen })
    }

    fn mappings(&mut self, recipe: &Object, steps: &Steps, limits: &RecipeLimits) -> Option<Vec<Mapping>> {
        let list = self.list(recipe, "mappings", limits.mappings);
        let mut mappings = Some(Vec::with_capacity(list.len()));
        let mut targets: Vec<Target> = Vec::new();
        for (number, json) in list.iter().enumerate() {
            let place = format!("/mappings/{number}");
            let mapping = self.mapping(json, &place, steps);
            if let Some(target) = mapping.as_ref().map(|mapping| &mapping.target) {
                if targets.iter().any(|other| other.touches(target)) {
                    let message = "another mapping leads to the same place, or into it: feed each place once";
                    self.note::<()>(&place, message);
                }
                targets.push(target.clone());
            }
            mappings = mappings.zip(mapping).map(|(mut all, mapping)| {
                all.push(mapping);
                all
            });
        }
        mappings
    }

    fn mapping(&mut self, json: &Value, place: &str, steps: &Steps) -> Option<Mapping> {
        let object = self.object(json, place)?;
        self.only(object, place, &["step", "path", "ops", "component", "state"]);
        let id = self.step_id(object, place, "step");
        if let Some(id) = &id
            && !steps.has_unnamed
            && !steps.places.contains_key(id)
        {
            let message = format!("there is no step {}: name one of the recipe", clip(id.as_str(), NAME));
            self.note::<()>(&join_pointer(place, "step"), message);
        }
        let path = match object.get("path") {
            None => Some(JsonPointer::default()),
            Some(path) => self.pointer(path, &join_pointer(place, "path")),
        };
        let operations = match object.get("ops").map(Operations::parse) {
            None => Some(Operations::default()),
            Some(Ok(operations)) => Some(operations),
            Some(Err(faults)) => self.note_all(faults, &join_pointer(place, "ops")),
        };
        let target = match (object.contains_key("component"), object.contains_key("state")) {
            (true, false) => self.require::<ComponentId>(object, place, "component").map(Target::Component),
            (false, true) => self.require::<StatePointer>(object, place, "state").map(Target::State),
            _ => self.note(
                place,
                "the mapping does not lead to either a component or a place of the state: name one of them",
            ),
        };
        Some(Mapping { step: id?, path: path?, operations: operations?, target: target? })
    }

    fn require<T: for<'de> Deserialize<'de>>(
        &mut self,
        object: &Object,
        place: &str,
        name: &str,
    ) -> Option<T> {
        match object.get(name) {
            Some(json) => self.decode(json, &join_pointer(place, name)),
            None => self.note(place, format!("{name} is missing: add it")),
        }
    }

    fn optional<T: for<'de> Deserialize<'de>>(
        &mut self,
        object: &Object,
        place: &str,
        name: &str,
    ) -> Option<Option<T>> {
        object.get(name).map_or(Some(None), |json| self.decode(json, &join_pointer(place, name)).map(Some))
    }

    fn decode<T: for<'de> Deserialize<'de>>(&mut self, json: &Value, place: &str) -> Option<T> {
        T::deserialize(json).map_err(|error| self.misread(error, place)).ok()
    }

    fn misread(&mut self, error: impl Display, place: &str) {
        // The message of serde may contain the whole wrong value.
        let message = format!("{}: correct it", clip(&error.to_string(), 300));
        self.note::<()>(place, message);
    }
}
