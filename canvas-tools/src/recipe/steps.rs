//! The progress of a replay's calls.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canvas_core::Zone;
use canvas_core::json::JsonHash;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{
    Datum, Drift, DriftCode, Mapping, Recipe, RecipeLimits, ReplayOutcome, StepId, StoredRecipe, Target,
};
use canvas_core::surface::Ceiling;
use serde_json::Value;

/// The source that decides whether a step may be called.
#[derive(Debug, Clone)]
pub(super) enum Permission {
    /// The tools that the host has now.
    Ceiling(Arc<Ceiling>),
    /// The reasons why steps were not called in the recorded replay.
    Recorded(BTreeMap<StepId, Drift>),
}

/// The progress of a step's call.
#[derive(Debug, Clone)]
pub(super) enum StepState {
    /// No target needs the step, or it is frozen.
    Unneeded,
    /// Some steps that it depends on are not answered yet.
    Waiting,
    /// The step can be called with these arguments.
    Ready { arguments: Value },
    /// The step was called, and its answer is pending.
    Called { arguments: Value },
    /// The tool answered, with a response of this hash.
    Answered { arguments: Value, hash: JsonHash },
    /// The call failed, or the step could not be called. In the latter case, it has no arguments.
    Failed { arguments: Option<Value>, drift: Drift },
}

/// The steps of a recipe at one `now`, with their outcomes.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    recipe: Arc<StoredRecipe>,
    now: Timestamp,
    zone: Zone,
    limits: RecipeLimits,
    permission: Permission,
    /// The targets to feed, in the order of the mappings.
    targets: Vec<Target>,
    /// One state per step. Empty if the recipe has another version.
    states: Vec<StepState>,
    responses: BTreeMap<StepId, Value>,
}

impl Steps {
    /// Decides before any call which steps the targets need and which steps cannot be called. `zone` overrides the
    /// recipe's own.
    pub(super) fn new(
        recipe: Arc<StoredRecipe>,
        (now, zone): (Timestamp, Option<Zone>),
        targets: Vec<Target>,
        permission: Permission,
        limits: RecipeLimits,
    ) -> Self {
        let own = recipe.recipe().ok().map(Recipe::zone);
        let zone = zone.or_else(|| own.cloned()).unwrap_or(Zone::UTC);
        let (states, responses) = (Vec::new(), BTreeMap::new());
        let mut steps = Self { recipe, now, zone, limits, permission, targets, states, responses };
        steps.plan();
        steps
    }

    fn plan(&mut self) {
        let recipe = Arc::clone(&self.recipe);
        let Ok(recipe) = recipe.recipe() else { return };
        self.states = vec![StepState::Unneeded; recipe.steps().len()];
        for place in recipe.steps_for(&self.targets) {
            self.states[place] = StepState::Waiting;
        }
        for place in 0..self.states.len() {
            if matches!(self.states[place], StepState::Waiting)
                && let Err(drift) = self.permission.of_step(recipe, place)
            {
                self.states[place] = StepState::Failed { arguments: None, drift };
            }
        }
        self.advance();
        self.drop_unneeded(recipe);
    }

    /// Leaves out the steps that only mappings of failed steps need.
    fn drop_unneeded(&mut self, recipe: &Recipe) {
        let has_failed = |mapping: &&Mapping| {
            let place = recipe.steps().iter().position(|step| *step.id() == mapping.step);
            place.is_none_or(|place| matches!(self.states[place], StepState::Failed { .. }))
        };
        let live = recipe.mappings().iter().filter(|mapping| self.targets.contains(&mapping.target));
        let live = live.filter(|mapping| !has_failed(mapping)).map(|mapping| &mapping.target);
        let needed: BTreeSet<_> = recipe.steps_for(live).into_iter().collect();
        for (place, state) in self.states.iter_mut().enumerate() {
            if !needed.contains(&place) && !matches!(state, StepState::Failed { .. }) {
                *state = StepState::Unneeded;
            }
        }
    }

    /// Advances the steps whose sources have all ended.
    fn advance(&mut self) {
        let recipe = Arc::clone(&self.recipe);
        let Ok(recipe) = recipe.recipe() else { return };
        for (place, step) in recipe.steps().iter().enumerate() {
            if !matches!(self.states[place], StepState::Waiting) {
                continue;
            }
            let failed =
                step.sources().iter().find(|at| matches!(self.states[**at], StepState::Failed { .. }));
            if let Some(source) = failed {
                let name = recipe.steps()[*source].id();
                let message = format!("it needs the step {name}, which was not answered: look there");
                let drift = Drift::new(DriftCode::Upstream, message);
                self.states[place] = StepState::Failed { arguments: None, drift };
            } else if step.sources().iter().all(|at| matches!(self.states[*at], StepState::Answered { .. })) {
                self.states[place] = match self.arguments(recipe, place) {
                    Ok(arguments) => StepState::Ready { arguments },
                    Err(drift) => StepState::Failed { arguments: None, drift },
                };
            }
        }
    }

    fn arguments(&self, recipe: &Recipe, place: usize) -> Result<Value, Drift> {
        let step = &recipe.steps()[place];
        let arguments = step.arguments((self.now, &self.zone), &self.responses, &self.limits);
        let arguments = arguments.map_err(|fault| Drift::from(fault.within("/params")))?;
        // Arguments use canonical JSON, so that a tool's 1.0 and 1 lead to the same call.
        let limits = RecipeLimits { data_bytes: self.limits.argument_bytes, ..self.limits };
        let arguments =
            Datum::new(arguments, &limits).map_err(|fault| Drift::from(fault.within("/params")))?;
        self.permission.of_arguments(recipe, place, arguments.value())?;
        Ok(arguments.value().clone())
    }

    pub(super) fn recipe(&self) -> &Arc<StoredRecipe> {
        &self.recipe
    }

    pub(super) fn zone(&self) -> &Zone {
        &self.zone
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Returns the steps with their states, in the order of the recipe.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&canvas_core::recipe::RecipeStep, &StepState)> {
        let steps = self.recipe.recipe().map(Recipe::steps).unwrap_or_default();
        steps.iter().zip(&self.states)
    }

    /// Returns the next step to call, and marks it as called.
    pub(super) fn take(&mut self) -> Option<usize> {
        let place = self.states.iter().position(|state| matches!(state, StepState::Ready { .. }))?;
        if let StepState::Ready { arguments } =
            std::mem::replace(&mut self.states[place], StepState::Unneeded)
        {
            self.states[place] = StepState::Called { arguments };
        }
        Some(place)
    }

    /// Takes the answer of a step. Returns `false` if the step is not waiting for one.
    pub(super) fn settle(&mut self, step: &StepId, answer: Result<Value, Drift>) -> bool {
        let place = self
            .iter()
            .position(|(own, state)| own.id() == step && matches!(state, StepState::Called { .. }));
        let Some(place) = place else { return false };
        let StepState::Called { arguments } = std::mem::replace(&mut self.states[place], StepState::Unneeded)
        else {
            return false;
        };
        let hashed = answer.and_then(|response| Ok((self.limits.check_response(&response)?, response)));
        self.states[place] = match hashed {
            Ok((hash, response)) => {
                self.responses.insert(step.clone(), response);
                StepState::Answered { arguments, hash }
            }
            Err(drift) => StepState::Failed { arguments: Some(arguments), drift },
        };
        self.advance();
        true
    }

    /// Whether every step is over.
    pub(super) fn is_over(&self) -> bool {
        use StepState::{Called, Ready, Waiting};
        !self.states.iter().any(|state| matches!(state, Waiting | Ready { .. } | Called { .. }))
    }

    /// Returns the responses so far, by step.
    pub(super) fn responses(&self) -> &BTreeMap<StepId, Value> {
        &self.responses
    }

    /// Returns the outcome for each target, in the order of the mappings.
    pub(super) fn outcomes(&self) -> Vec<ReplayOutcome> {
        let recipe = match self.recipe.recipe() {
            Ok(recipe) => recipe,
            Err(drift) => {
                let failed =
                    |target: &Target| ReplayOutcome { target: target.clone(), result: Err(drift.clone()) };
                return self.targets.iter().map(failed).collect();
            }
        };
        let wanted = recipe.mappings().iter().filter(|mapping| self.targets.contains(&mapping.target));
        let outcome = |mapping: &Mapping| ReplayOutcome {
            target: mapping.target.clone(),
            result: self.played(recipe, mapping),
        };
        wanted.map(outcome).collect()
    }

    fn played(&self, recipe: &Recipe, mapping: &Mapping) -> Result<Datum, Drift> {
        if let Some(response) = self.responses.get(&mapping.step) {
            return mapping.apply(response, (self.now, &self.zone), &self.limits).map_err(Drift::from);
        }
        let step = self.iter().find(|(step, _)| *step.id() == mapping.step);
        Err(match step {
            Some((_, StepState::Failed { drift, .. })) => drift.clone(),
            _ => {
                let reason = recipe.step_of(mapping).and_then(|step| step.frozen());
                Drift::new(DriftCode::Frozen, reason.unwrap_or("the step was not called"))
            }
        })
    }
}

impl Permission {
    fn of_step(&self, recipe: &Recipe, place: usize) -> Result<(), Drift> {
        let step = &recipe.steps()[place];
        match self {
            Self::Ceiling(ceiling) => step.check(ceiling).map(drop),
            Self::Recorded(skipped) => match skipped.get(step.id()) {
                // The failure of an upstream step is derived again, so it is not taken from the record.
                Some(drift) if drift.code != DriftCode::Upstream => Err(drift.clone()),
                _ => Ok(()),
            },
        }
    }

    fn of_arguments(&self, recipe: &Recipe, place: usize, arguments: &Value) -> Result<(), Drift> {
        let Self::Ceiling(ceiling) = self else { return Ok(()) };
        let faults = match recipe.steps()[place].check(ceiling)?.check(arguments, "/params") {
            Ok(()) => return Ok(()),
            Err(faults) => faults,
        };
        let first =
            faults.first().map_or_else(String::new, |fault| format!("{}: {}", fault.place, fault.message));
        Err(Drift::new(DriftCode::MappingFailed, first))
    }
}
