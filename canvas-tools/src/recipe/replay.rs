//! One replay of a recipe as a machine without input or output.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use canvas_core::board::ComponentId;
use canvas_core::json::{JsonHash, JsonPatchOperation};
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{
    DataStatus, Drift, DriftCode, FinishReplay, RecipeLimits, ReplayFinished, RunId, StaleTarget, StepId,
    StoredRecipe, Target,
};
use canvas_core::surface::{ActionFailure, Ceiling, EventId, StatePointer};
use canvas_core::text::truncate;
use canvas_core::{Author, BlobId, Revision, Zone};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::error::ReplayError;
use super::escalation::Escalation;
use super::run::{RecordedCall, RunRecord, SkippedStep};
use super::steps::{Permission, StepState, Steps};
use crate::action::ToolInvocation;

/// What is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayRequest {
    /// Who asks.
    pub by: Author,
    /// The `now` of all time expressions.
    pub now: Timestamp,
    /// The zone of the time expressions; the recipe's own where it is `None`.
    pub zone: Option<Zone>,
    /// The components that are to be fed; all, and the state, where it is `None`.
    pub components: Option<Vec<ComponentId>>,
    /// Whether to call the tools and keep nothing.
    pub dry_run: bool,
}

/// A tool to call, for a step.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayCall {
    /// The step, by which the answer is told.
    pub step: StepId,
    /// The call.
    pub invocation: ToolInvocation,
}

/// A recipe on its way: it says what is to be called, is told what came of it, and ends in one command.
///
/// Before any call it has decided which tools have drifted: none of these is called. What it calls and makes depends on the
/// recipe, the time, the tools and their answers alone, not on the order in which they come.
#[derive(Debug, Clone)]
pub struct Replay {
    by: Author,
    run: RunId,
    components: Option<BTreeSet<ComponentId>>,
    gone: BTreeSet<ComponentId>,
    dry_run: bool,
    steps: Steps,
}

/// What came of a replay.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// The record, which is all of it that is to be kept beside the responses.
    pub run: RunRecord,
    /// What was answered, by the hashes of the record.
    pub responses: BTreeMap<JsonHash, Value>,
    /// What is offered where something has drifted.
    pub escalation: Option<Escalation>,
}

impl Replay {
    /// After so long the host gives a call up.
    pub const TIMEOUT: Duration = Duration::from_secs(30);

    /// Begins a replay under a new name and decides which tools have drifted. Leaves out components for which `is_there` is false,
    /// and the calls that only they need.
    ///
    /// # Errors
    ///
    /// `NOT_IN_RECIPE` where a component is asked for that the recipe does not feed.
    pub fn begin(
        recipe: Arc<StoredRecipe>,
        ceiling: Arc<Ceiling>,
        limits: RecipeLimits,
        run: RunId,
        request: ReplayRequest,
        is_there: impl Fn(&ComponentId) -> bool,
    ) -> Result<Self, ReplayError> {
        let ReplayRequest { by, now, zone, components, dry_run } = request;
        let mut targets = match &components {
            None => recipe.targets().to_vec(),
            Some(components) => named(recipe.targets(), components)?,
        };
        let gone = targets.iter().filter_map(Target::component).filter(|id| !is_there(id));
        let gone: BTreeSet<_> = gone.cloned().collect();
        targets.retain(|target| target.component().is_none_or(|id| !gone.contains(id)));
        let components = components.map(|components| components.into_iter().collect());
        let steps = Steps::new(recipe, (now, zone), targets, Permission::Ceiling(ceiling), limits);
        Ok(Self { by, run, components, gone, dry_run, steps })
    }

    /// Names it.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// The next tool to call; `None` where all are that can be called by now.
    #[expect(clippy::missing_panics_doc, reason = "the name is short")]
    pub fn next_call(&mut self) -> Option<ReplayCall> {
        let place = self.steps.take()?;
        let (step, state) = self.steps.iter().nth(place)?;
        let StepState::Called { arguments } = state else { return None };
        let run = BlobId::of(self.run.as_str().as_bytes());
        let event_id = EventId::new(&format!("{run}-{place}")).expect("a hash and a number are short");
        let (tool, arguments) = (step.tool().clone(), arguments.clone());
        let invocation = ToolInvocation { event_id, tool, arguments, timeout: Self::TIMEOUT };
        Some(ReplayCall { step: step.id().clone(), invocation })
    }

    /// The calls so far, in the order of the recipe.
    pub fn calls(&self) -> Vec<RecordedCall> {
        recorded(&self.steps).0
    }

    /// The steps that were called and have not answered, in the order of the recipe.
    pub fn pending(&self) -> Vec<&StepId> {
        let called = self.steps.iter().filter(|(_, state)| matches!(state, StepState::Called { .. }));
        called.map(|(step, _)| step.id()).collect()
    }

    /// Tells what a tool has answered. Linear in it.
    ///
    /// # Errors
    ///
    /// `STEP_NOT_PENDING` where the step was not called, or has its answer.
    pub fn settle(&mut self, step: &StepId, answer: Result<Value, ActionFailure>) -> Result<(), ReplayError> {
        let answer = answer.map_err(|failure| {
            let message = match failure {
                ActionFailure::TimedOut => "the tool took too long: refresh again later".to_owned(),
                ActionFailure::Failed { code, message } => {
                    let code = code.map_or_else(String::new, |code| format!(" {}", truncate(&code, 80)));
                    format!("the tool failed{code}: {}", truncate(&message, 250))
                }
            };
            Drift::new(DriftCode::CallFailed, message)
        });
        if self.steps.settle(step, answer) {
            Ok(())
        } else {
            Err(ReplayError::NotPending { step: step.clone() })
        }
    }

    /// The command that ends it; `None` while calls are to be made or answered. Costs what the mappings cost.
    pub fn finish(&self) -> Option<FinishReplay> {
        let is_over = self.steps.is_over();
        is_over.then(|| FinishReplay {
            by: self.by,
            recipe: self.steps.recipe().id(),
            run: self.run.clone(),
            now: self.steps.now(),
            outcomes: self.steps.outcomes(),
            dry_run: self.dry_run,
        })
    }

    /// What came of it, when the engine has decided the command.
    pub fn report(self, finish: &FinishReplay, finished: ReplayFinished) -> ReplayReport {
        let (calls, skipped) = recorded(&self.steps);
        let responses = self.steps.iter().filter_map(|(step, state)| match state {
            StepState::Answered { hash, .. } => Some((*hash, self.steps.responses().get(step.id())?.clone())),
            _ => None,
        });
        let (responses, escalation) = (responses.collect(), Escalation::of(&finished.stale));
        let run = RunRecord {
            run_id: self.run,
            recipe: finish.recipe,
            now: finish.now,
            timezone: self.steps.zone().name().to_owned(),
            tzdb_version: Zone::database_version().to_owned(),
            components: self.components,
            gone: self.gone,
            dry_run: finish.dry_run,
            calls,
            skipped,
            patch: finish.patch(&finished),
            finished,
        };
        ReplayReport { run, responses, escalation }
    }
}

impl ReplayReport {
    /// What has changed, as a JSON Patch of `{data: {component: value}, state}`.
    pub fn patch(&self) -> &[JsonPatchOperation] {
        &self.run.patch
    }

    /// The components that have what the replay has made.
    pub fn refreshed(&self) -> &[ComponentId] {
        &self.run.finished.refreshed
    }

    /// What it could not feed.
    pub fn stale(&self) -> &[StaleTarget] {
        &self.run.finished.stale
    }

    /// Where the state has changed.
    pub fn changed_state(&self) -> Vec<StatePointer> {
        let paths = self.patch().iter().filter_map(|operation| match operation {
            JsonPatchOperation::Add { path, .. }
            | JsonPatchOperation::Replace { path, .. }
            | JsonPatchOperation::Remove { path } => path.strip_prefix("/state"),
        });
        paths.filter_map(|path| StatePointer::new(path).ok()).collect()
    }

    /// The revision of the canvas.
    pub fn revision(&self) -> Revision {
        self.run.finished.revision
    }

    /// As clients and models get it, without the patch: `refreshed`, `stale` (each with `component` or `state`, `status`,
    /// `reason`, the code, and `message`), `runId`, `now`, `revision`, and `escalation` or null.
    pub fn to_json(&self) -> Value {
        json!(self.fields())
    }

    pub(crate) fn fields(&self) -> RefreshFields<'_> {
        let stale = self.stale().iter().map(|StaleTarget { target, status, reason }| StaleFields {
            target,
            status: *status,
            reason: reason.code,
            message: &reason.message,
        });
        RefreshFields {
            refreshed: self.refreshed(),
            stale: stale.collect(),
            run_id: &self.run.run_id,
            now: self.run.now,
            revision: self.revision(),
            escalation: self.escalation.as_ref(),
        }
    }
}

/// A report as clients and models get it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefreshFields<'a> {
    /// The components that have what the replay has made.
    refreshed: &'a [ComponentId],
    /// What it could not feed.
    stale: Vec<StaleFields<'a>>,
    /// Names the replay.
    run_id: &'a RunId,
    /// The `now` of all its time expressions, in milliseconds since 1970.
    #[schemars(with = "u64")]
    now: Timestamp,
    /// The revision of the canvas.
    revision: Revision,
    /// What a person is offered where data have grown stale, else null.
    escalation: Option<&'a Escalation>,
}

/// A target that keeps the data it had.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Stale")]
struct StaleFields<'a> {
    /// A component, or a place of the state.
    #[serde(flatten)]
    target: &'a Target,
    /// How its data stand now.
    status: DataStatus,
    /// Why, as a code.
    reason: DriftCode,
    /// Why, in one sentence.
    message: &'a str,
}

/// The targets that are these components, in the order of the mappings.
fn named(targets: &[Target], components: &[ComponentId]) -> Result<Vec<Target>, ReplayError> {
    let fed: BTreeSet<_> = targets.iter().filter_map(Target::component).collect();
    if let Some(number) = components.iter().position(|component| !fed.contains(component)) {
        return Err(ReplayError::NotInRecipe { number, component: components[number].to_string() });
    }
    let wanted =
        |target: &&Target| target.component().is_some_and(|component| components.contains(component));
    Ok(targets.iter().filter(wanted).cloned().collect())
}

/// What is kept of calls, and of steps that were not called.
pub(super) fn recorded(steps: &Steps) -> (Vec<RecordedCall>, Vec<SkippedStep>) {
    let (mut calls, mut skipped) = (Vec::new(), Vec::new());
    for (step, state) in steps.iter() {
        let call = |params: &Value, response_hash, failure| RecordedCall {
            step: step.id().clone(),
            tool: step.tool().clone(),
            params: params.clone(),
            response_hash,
            failure,
        };
        match state {
            StepState::Answered { arguments, hash } => calls.push(call(arguments, Some(*hash), None)),
            StepState::Called { arguments } => calls.push(call(arguments, None, None)),
            StepState::Failed { arguments: Some(arguments), drift } => {
                calls.push(call(arguments, None, Some(drift.clone())));
            }
            StepState::Failed { arguments: None, drift } => {
                skipped.push(SkippedStep { step: step.id().clone(), reason: drift.clone() });
            }
            StepState::Unneeded | StepState::Waiting | StepState::Ready { .. } => {}
        }
    }
    (calls, skipped)
}
