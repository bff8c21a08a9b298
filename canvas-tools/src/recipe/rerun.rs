//! Reruns a recorded replay offline.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canvas_core::board::ComponentId;
use canvas_core::json::{JsonHash, JsonPatchOperation};
use canvas_core::recipe::{FinishReplay, Recipe, RecipeLimits, StoredRecipe, Target};
use canvas_core::{Author, Zone};
use serde_json::Value;

use super::error::RerunError;
use super::replay::recorded;
use super::run::{RecordedCall, RunRecord};
use super::steps::{Permission, Steps};

/// The result of rerunning a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct Rerun {
    /// The calls with their resolved arguments.
    pub calls: Vec<RecordedCall>,
    /// The changes, as a JSON Patch of `{data: {component: value}, state}`.
    pub patch: Vec<JsonPatchOperation>,
    /// All data that the replay produced, whether changed or not.
    pub data: BTreeMap<ComponentId, Value>,
}

impl RunRecord {
    /// Reruns the replay with the same responses, given by their hashes, without calling a tool. A step that could not
    /// be called in the original run is not called here either, and the patch covers the places that differed then.
    /// Costs as much as the replay did.
    ///
    /// # Errors
    ///
    /// [`RerunError`] if a response is missing or altered, the time zones have another version, or the recipe does not
    /// produce these calls and this patch.
    pub fn rerun(
        &self,
        recipe: Recipe,
        responses: &BTreeMap<JsonHash, Value>,
        limits: RecipeLimits,
    ) -> Result<Rerun, RerunError> {
        let present = Zone::database_version();
        if self.tzdb_version != present {
            return Err(RerunError::Zones { recorded: self.tzdb_version.clone(), present });
        }
        let zone = Zone::new(&self.timezone).map_err(|_| mismatch("/timezone", "the zone"))?;
        for call in &self.calls {
            check_response(call, responses)?;
        }
        let recipe = Arc::new(StoredRecipe::from(recipe));
        let is_wanted = |target: &&Target| {
            let of = |components: &BTreeSet<ComponentId>| {
                target.component().is_some_and(|component| components.contains(component))
            };
            self.components.as_ref().is_none_or(of) && !of(&self.gone)
        };
        let targets = recipe.targets().iter().filter(is_wanted).cloned().collect();
        let skipped = self.skipped.iter().map(|step| (step.step.clone(), step.reason.clone())).collect();
        let mut steps =
            Steps::new(recipe, (self.now, Some(zone)), targets, Permission::Recorded(skipped), limits);
        self.play(&mut steps, responses)?;
        let (calls, _) = recorded(&steps);
        if calls != self.calls {
            return Err(mismatch("/calls", "a call"));
        }
        let outcomes = steps.outcomes();
        let data = outcomes.iter().filter_map(|outcome| {
            Some((outcome.target.component()?.clone(), outcome.result.as_ref().ok()?.value().clone()))
        });
        let data = data.collect();
        let (run, by) = (self.run_id.clone(), Author::User);
        let finish =
            FinishReplay { by, recipe: self.recipe, run, now: self.now, outcomes, dry_run: self.dry_run };
        let patch = finish.patch(&self.finished);
        if patch != self.patch {
            return Err(mismatch("/patch", "the patch"));
        }
        Ok(Rerun { calls, patch, data })
    }

    fn play(&self, steps: &mut Steps, responses: &BTreeMap<JsonHash, Value>) -> Result<(), RerunError> {
        let recorded: BTreeMap<_, _> = self.calls.iter().map(|call| (&call.step, call)).collect();
        while let Some(place) = steps.take() {
            let step = steps.iter().nth(place).map(|(step, _)| step.id().clone());
            let call = step.as_ref().and_then(|step| recorded.get(step));
            let answer = match call.map(|call| (call.response_hash, &call.failure)) {
                Some((Some(hash), _)) => responses.get(&hash).cloned().map(Ok),
                Some((None, Some(drift))) => Some(Err(drift.clone())),
                _ => None,
            };
            let (Some(step), Some(answer)) = (step, answer) else {
                return Err(mismatch("/calls", "a call"));
            };
            steps.settle(&step, answer);
        }
        Ok(())
    }
}

fn check_response(call: &RecordedCall, responses: &BTreeMap<JsonHash, Value>) -> Result<(), RerunError> {
    let Some(hash) = call.response_hash else { return Ok(()) };
    let step = call.step.clone();
    match responses.get(&hash) {
        None => Err(RerunError::ResponseMissing { step, hash }),
        Some(response) if JsonHash::of(response) == Ok(hash) => Ok(()),
        Some(_) => Err(RerunError::ResponseAltered { step, hash }),
    }
}

fn mismatch(place: &str, what: &'static str) -> RerunError {
    RerunError::Mismatch { place: place.to_owned(), what }
}
