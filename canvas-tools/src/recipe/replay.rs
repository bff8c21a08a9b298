//! One replay of a recipe as a state machine without I/O.

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

/// A request to replay a recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayRequest {
    /// The author to record for the replay.
    pub by: Author,
    /// The `now` of all time expressions.
    pub now: Timestamp,
    /// The time zone of the time expressions, or `None` for the recipe's own.
    pub zone: Option<Zone>,
    /// The components to feed, or `None` for all components and the state.
    pub components: Option<Vec<ComponentId>>,
    /// Whether to call the tools without keeping the result.
    pub dry_run: bool,
}

/// A tool call to make for a step.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayCall {
    /// The step to pass to [`Replay::settle`] with the answer.
    pub step: StepId,
    /// The tool call for the host to make.
    pub invocation: ToolInvocation,
}

/// A replay in progress. It returns the tools to call, takes their answers and ends in one command.
///
/// Before the first call it decides which tools drifted, and it never calls these. Its calls and results depend
/// only on the recipe, the time, the tools and their answers, and not on the order in which the answers arrive.
#[derive(Debug, Clone)]
pub struct Replay {
    by: Author,
    run: RunId,
    components: Option<BTreeSet<ComponentId>>,
    gone: BTreeSet<ComponentId>,
    dry_run: bool,
    steps: Steps,
}

/// The result of a replay, with everything that a host may keep of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayReport {
    /// The record of the run. Store it, because together with the responses it allows a rerun.
    pub run: RunRecord,
    /// The answers of the tools, by their hashes in the record.
    pub responses: BTreeMap<JsonHash, Value>,
    /// The offer to the user if data drifted.
    pub escalation: Option<Escalation>,
}

impl Replay {
    /// Time after which the host gives up on a call.
    pub const TIMEOUT: Duration = Duration::from_secs(30);

    /// Begins a replay under a new run id and decides which tools drifted. Leaves out components for which
    /// `is_there` is false, and the calls that only they need.
    ///
    /// # Errors
    ///
    /// `NOT_IN_RECIPE` if the request names a component that the recipe does not feed.
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

    /// Returns the id of this run.
    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Returns the next tool to call, or `None` if no call can be made for now.
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

    /// Returns the calls so far, in the order of the recipe.
    pub fn calls(&self) -> Vec<RecordedCall> {
        recorded(&self.steps).0
    }

    /// Returns the called steps without an answer, in the order of the recipe.
    pub fn pending(&self) -> Vec<&StepId> {
        let called = self.steps.iter().filter(|(_, state)| matches!(state, StepState::Called { .. }));
        called.map(|(step, _)| step.id()).collect()
    }

    /// Takes the answer of a tool. Takes time linear in its size.
    ///
    /// # Errors
    ///
    /// `STEP_NOT_PENDING` if the step was not called, or if its answer already arrived.
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

    /// Returns the command that ends the replay, or `None` while calls are still to be made or answered. Costs as much
    /// as applying the mappings.
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

    /// Returns the result of the replay, once the engine has decided the command.
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
    /// Returns the changes as a JSON Patch of `{data: {component: value}, state}`.
    pub fn patch(&self) -> &[JsonPatchOperation] {
        &self.run.patch
    }

    /// Returns the components that now show the replay's data.
    pub fn refreshed(&self) -> &[ComponentId] {
        &self.run.finished.refreshed
    }

    /// Returns the targets that the replay could not feed.
    pub fn stale(&self) -> &[StaleTarget] {
        &self.run.finished.stale
    }

    /// Returns the places of the state that changed.
    pub fn changed_state(&self) -> Vec<StatePointer> {
        let paths = self.patch().iter().filter_map(|operation| match operation {
            JsonPatchOperation::Add { path, .. }
            | JsonPatchOperation::Replace { path, .. }
            | JsonPatchOperation::Remove { path } => path.strip_prefix("/state"),
        });
        paths.filter_map(|path| StatePointer::new(path).ok()).collect()
    }

    /// Returns the revision of the canvas.
    pub fn revision(&self) -> Revision {
        self.run.finished.revision
    }

    /// Returns the report as clients and models receive it, without the patch: `refreshed`, `stale` (each with
    /// `component` or `state`, `status`, the code as `reason`, and `message`), `runId`, `now`, `revision`, and
    /// `escalation` or null.
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

/// Report in the form that clients and models receive.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RefreshFields<'a> {
    /// Components refreshed by the replay.
    refreshed: &'a [ComponentId],
    /// Targets that the replay could not refresh.
    stale: Vec<StaleFields<'a>>,
    /// Id of the replay.
    run_id: &'a RunId,
    /// Value of `now` in all time expressions, in milliseconds since 1970.
    #[schemars(with = "u64")]
    now: Timestamp,
    /// Revision of the canvas.
    revision: Revision,
    /// Offer to record the recipe again, or null if no data are stale.
    escalation: Option<&'a Escalation>,
}

/// Target that keeps its old data.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Stale")]
struct StaleFields<'a> {
    /// Component, or place of the state.
    #[serde(flatten)]
    target: &'a Target,
    /// Status of the data.
    status: DataStatus,
    /// Reason as a code.
    reason: DriftCode,
    /// Reason in one sentence.
    message: &'a str,
}

/// Returns the targets that are these components, in the order of the mappings.
fn named(targets: &[Target], components: &[ComponentId]) -> Result<Vec<Target>, ReplayError> {
    let fed: BTreeSet<_> = targets.iter().filter_map(Target::component).collect();
    if let Some(number) = components.iter().position(|component| !fed.contains(component)) {
        return Err(ReplayError::NotInRecipe { number, component: components[number].to_string() });
    }
    let wanted =
        |target: &&Target| target.component().is_some_and(|component| components.contains(component));
    Ok(targets.iter().filter(wanted).cloned().collect())
}

/// Returns the records of calls, and of steps that could not be called.
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
