//! Turns the calls of a turn into a recipe.

use std::collections::{BTreeMap, BTreeSet};

use canvas_core::Author;
use canvas_core::board::{BoardPatch, ComponentId};
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{
    Datum, JsonPointer, Operations, Recipe, RecipeCode, RecipeFault, RecipeLimits, RecordRecipe, StepId,
};
use canvas_core::text::truncate;
use serde_json::{Map, Value, json};

use super::declaration::RecipeDeclaration;
use super::error::RecordError;
use crate::arguments::pointer_key;
use crate::session::recorder::{Recorder, Seen};

/// A recipe made from a turn, with the data that it produces.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedTurn {
    /// The recipe as JSON, for [`RecordRecipe`].
    pub recipe: Value,
    /// The data that the recipe produces from the turn's results.
    pub data: BTreeMap<ComponentId, Value>,
    /// Time of the last of its calls.
    pub now: Timestamp,
}

impl RecordedTurn {
    /// Returns the command that records the recipe.
    pub fn command(self, by: Author) -> RecordRecipe {
        let Self { recipe, data, now } = self;
        RecordRecipe { by, recipe: Some(recipe), expected: None, data, now }
    }
}

/// Declared placeholders of a call, by JSON Pointer into its arguments.
type Placeholders = BTreeMap<String, Map<String, Value>>;

impl Recorder {
    /// Makes a recipe of the calls that a declaration needs, and tests it on their results. `composition` holds the
    /// turn's changes to the board.
    ///
    /// # Errors
    ///
    /// All errors have places in the declaration. `RECIPE_INVALID`, `EXPR_INVALID` and `VERSION_MISMATCH` come with all
    /// faults. `RECIPE_MISMATCH` means that the arguments resolve to values other than those sent, a mapping cannot be
    /// applied to the results, or the data differ from those shown.
    pub fn declare(
        &self,
        declaration: &RecipeDeclaration,
        composition: Option<&BoardPatch>,
        limits: &RecipeLimits,
    ) -> Result<RecordedTurn, RecordError> {
        let needed = self.needed(declaration);
        let faults = self.unknown(declaration);
        if !faults.is_empty() {
            return Err(RecordError::invalid(faults));
        }
        let seen: Vec<_> = self.seen().iter().filter(|seen| needed.contains(seen.call.id.as_str())).collect();
        let json = recipe_json(&seen, declaration, composition)?;
        let recipe = Recipe::compile(&json, limits).map_err(|faults| {
            let moved = faults.into_iter().map(|fault| in_declaration(fault, &seen, declaration));
            RecordError::invalid(moved.collect())
        })?;
        check_arguments(&recipe, &seen, declaration, limits)?;
        let data = play(&recipe, &seen, limits)?;
        check_shown(&data, declaration, limits)?;
        let now = seen.iter().map(|seen| seen.call.now).max().unwrap_or(Timestamp::from_millis(0));
        let data = data.into_iter().map(|(component, datum)| (component, datum.value().clone())).collect();
        Ok(RecordedTurn { recipe: json, data, now })
    }

    fn find(&self, id: &str) -> Option<&Seen> {
        self.seen().iter().find(|seen| seen.call.id.as_str() == id)
    }

    /// Returns the calls that the mappings name, and the calls whose results these use.
    fn needed<'d>(&self, declaration: &'d RecipeDeclaration) -> BTreeSet<&'d str> {
        let named = declaration.mappings.iter().filter_map(|mapping| mapping.get("step")?.as_str());
        let mut open: Vec<&str> = named.collect();
        let mut needed = BTreeSet::new();
        while let Some(id) = open.pop() {
            if needed.insert(id) {
                let placeholders = declaration.params.get(id).into_iter().flatten();
                open.extend(placeholders.filter_map(|(_, one)| one.get("$result")?.get("step")?.as_str()));
            }
        }
        needed
    }

    /// Returns a fault for each call or argument that the declaration names but the turn does not have.
    fn unknown(&self, declaration: &RecipeDeclaration) -> Vec<RecipeFault> {
        let mut faults = Vec::new();
        let mut note = |place: String, message: String| {
            faults.push(RecipeFault { place, code: RecipeCode::RecipeInvalid, message });
        };
        for (number, mapping) in declaration.mappings.iter().enumerate() {
            if let Some(id) = mapping.get("step").and_then(Value::as_str)
                && self.find(id).is_none()
            {
                note(format!("/mappings/{number}/step"), not_observed(id));
            }
        }
        for (id, placeholders) in &declaration.params {
            let here = format!("/params{}", pointer_key(id));
            let Some(seen) = self.find(id) else {
                note(here, not_observed(id));
                continue;
            };
            for (pointer, placeholder) in placeholders {
                let at = format!("{here}{}", pointer_key(pointer));
                match JsonPointer::new(pointer) {
                    Err(error) => note(at, error.to_string()),
                    Ok(pointer) if pointer.of(&seen.call.arguments).is_none() => {
                        note(at, "the call has no such argument: point to one that was sent".to_owned());
                    }
                    Ok(_) if placeholders.keys().any(|other| lies_within(pointer, other)) => {
                        note(at, "it lies within another one: leave it out".to_owned());
                    }
                    Ok(_) => {}
                }
                if let Some(result) = placeholder.get("$result").and_then(|result| result.get("step"))
                    && let Some(id) = result.as_str()
                    && self.find(id).is_none()
                {
                    note(format!("{here}{}/$result/step", pointer_key(pointer)), not_observed(id));
                }
            }
        }
        faults
    }
}

fn not_observed(id: &str) -> String {
    format!("no call {} was made in this turn: name one that was", truncate(id, 80))
}

fn lies_within(pointer: &str, other: &str) -> bool {
    pointer.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
}

fn recipe_json(
    seen: &[&Seen],
    declaration: &RecipeDeclaration,
    composition: Option<&BoardPatch>,
) -> Result<Value, RecordError> {
    let none = Placeholders::new();
    let steps = seen.iter().map(|Seen { call, contract, version, .. }| {
        let placeholders = declaration.params.get(call.id.as_str()).unwrap_or(&none);
        let params = with_placeholders(&call.arguments, "", placeholders);
        let mut step = json!({"id": call.id, "tool": call.tool, "params": params});
        if let Some(contract) = contract {
            step["contract"] = json!(contract);
        }
        if let Some(version) = version {
            step["toolVersion"] = version.as_str().into();
        }
        step
    });
    let steps: Vec<_> = steps.collect();
    let mut recipe = json!({
        "version": Recipe::VERSION, "catalogue": Operations::CATALOGUE, "steps": steps,
        "mappings": declaration.mappings,
    });
    if let Some(zone) = &declaration.timezone {
        recipe["timezone"] = zone.as_str().into();
    }
    if let Some(patch) = composition {
        let patch = serde_json::to_value(patch);
        recipe["composition"] = patch.map_err(|error| RecordError::mismatch("", error.to_string()))?;
    }
    Ok(recipe)
}

/// Replaces arguments with their placeholders.
fn with_placeholders(value: &Value, place: &str, placeholders: &Placeholders) -> Value {
    if let Some(placeholder) = placeholders.get(place) {
        let mut placeholder = placeholder.clone();
        if placeholder.contains_key("$frozen") {
            placeholder.entry("value").or_insert_with(|| value.clone());
        }
        return Value::Object(placeholder);
    }
    let is_above = placeholders.keys().any(|pointer| lies_within(pointer, place));
    match value {
        Value::Array(items) => {
            let items = items.iter().enumerate();
            items.map(|(at, item)| with_placeholders(item, &format!("{place}/{at}"), placeholders)).collect()
        }
        // Without `$literal`, an object with such a name would be read as a placeholder.
        Value::Object(members) if !is_above && members.keys().any(|name| name.starts_with('$')) => {
            json!({"$literal": value})
        }
        Value::Object(members) => {
            let member = |(name, member): (&String, &Value)| {
                let place = format!("{place}{}", pointer_key(name));
                (name.clone(), with_placeholders(member, &place, placeholders))
            };
            Value::Object(members.iter().map(member).collect())
        }
        scalar => scalar.clone(),
    }
}

/// Moves a fault of the recipe to its place in the declaration.
fn in_declaration(fault: RecipeFault, seen: &[&Seen], declaration: &RecipeDeclaration) -> RecipeFault {
    let moved = || {
        let (number, rest) = fault.place.strip_prefix("/steps/")?.split_once('/')?;
        let id = seen.get(number.parse::<usize>().ok()?)?.call.id.as_str();
        let rest = rest.strip_prefix("params")?;
        let call = format!("/params{}", pointer_key(id));
        let placeholders = declaration.params.get(id)?.keys();
        let pointer =
            placeholders.filter(|pointer| rest.starts_with(pointer.as_str())).max_by_key(|one| one.len())?;
        Some(format!("{call}{}{}", pointer_key(pointer), &rest[pointer.len()..]))
    };
    match moved() {
        Some(place) => RecipeFault { place, ..fault },
        None => fault,
    }
}

/// Checks that the declared arguments resolve to the sent values.
fn check_arguments(
    recipe: &Recipe,
    seen: &[&Seen],
    declaration: &RecipeDeclaration,
    limits: &RecipeLimits,
) -> Result<(), RecordError> {
    let results: BTreeMap<StepId, Value> =
        seen.iter().map(|seen| (seen.call.id.clone(), seen.call.result.clone())).collect();
    for (step, Seen { call, .. }) in recipe.steps().iter().zip(seen) {
        let here = format!("/params{}", pointer_key(call.id.as_str()));
        let resolved = step.arguments((call.now, recipe.zone()), &results, limits);
        let resolved = resolved.map_err(|fault| RecordError::mismatch(here.as_str(), fault.message))?;
        for text in declaration.params.get(call.id.as_str()).into_iter().flatten().map(|(text, _)| text) {
            let Ok(pointer) = JsonPointer::new(text) else { continue };
            let (gives, sent) = (pointer.of(&resolved), pointer.of(&call.arguments));
            if !is_same(gives, sent) {
                let message = format!(
                    "this gives {}, and {} was sent: declare what gives the argument that was sent, or freeze it",
                    shown(gives),
                    shown(sent),
                );
                return Err(RecordError::mismatch(format!("{here}{}", pointer_key(text)), message));
            }
        }
    }
    Ok(())
}

/// Applies the mappings to the turn's results, each at the time of its call.
fn play(
    recipe: &Recipe,
    seen: &[&Seen],
    limits: &RecipeLimits,
) -> Result<BTreeMap<ComponentId, Datum>, RecordError> {
    let mut data = BTreeMap::new();
    for (number, mapping) in recipe.mappings().iter().enumerate() {
        let Some(Seen { call, .. }) = seen.iter().find(|seen| seen.call.id == mapping.step) else { continue };
        let datum = mapping.apply(&call.result, (call.now, recipe.zone()), limits).map_err(|fault| {
            let place = format!("/mappings/{number}{}", fault.place);
            RecordError::mismatch(place, fault.message)
        })?;
        if let Some(component) = mapping.target.component() {
            data.insert(component.clone(), datum);
        }
    }
    Ok(data)
}

fn check_shown(
    data: &BTreeMap<ComponentId, Datum>,
    declaration: &RecipeDeclaration,
    limits: &RecipeLimits,
) -> Result<(), RecordError> {
    for (component, value) in &declaration.shown {
        let place = format!("/shown{}", pointer_key(component.as_str()));
        let Some(made) = data.get(component) else {
            return Err(RecordError::mismatch(
                place,
                "no mapping feeds this component: map it, or leave it out",
            ));
        };
        let is_same = Datum::new(value.clone(), limits).is_ok_and(|shown| shown.id() == made.id());
        if !is_same {
            let message = format!(
                "the mappings give {}, and the component shows {}: declare what makes the data that are shown",
                shown(Some(made.value())),
                shown(Some(value)),
            );
            return Err(RecordError::mismatch(place, message));
        }
    }
    Ok(())
}

fn is_same(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => {
            one == other
                || canvas_core::json::canonical_json(one).is_ok_and(|text| {
                    canvas_core::json::canonical_json(other).is_ok_and(|other| text == other)
                })
        }
        _ => false,
    }
}

/// Formats the beginning of a value.
fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| truncate(&value.to_string(), 120).into_owned())
}
