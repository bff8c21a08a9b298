//! Commands that begin an action. A read-only action is only planned, a change of the state is done, and any other
//! action leaves a claim.

use canvas_lease::Timestamp;

use crate::model::claims::Claim;
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::unknown::Unknown;
use crate::surface::name::{EventId, RunnerId, SurfaceActor};
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::state::patch::StatePatch;
use crate::surface::state::surface_state::ChangedState;
use crate::surface::{SurfaceDiff, changed_paths};
use crate::transition::command::sealed::Decide;
use crate::transition::command::{Command, Outcome};
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Record, Stop, Transition};
use crate::transition::surface::access::author;
use crate::transition::surface::ended::{ActionBegun, Ending, RunningAction};
use crate::transition::surface::request::{ActionRequest, PlannedAction};

/// Begins an action.
///
/// A change of the state takes effect immediately. A tool that is read-only is only planned. This commits no change,
/// and a repeated call runs the tool again. Any other action leaves a claim in the head, and uses up its confirmation.
/// The caller that gets [`ActionBegun::Run`] must run the action once, and no other caller ever runs it. A retry of the
/// same call returns `ACTION_IN_PROGRESS`, and after the end it returns the result. If the end is not reported by
/// [`RunningAction::deadline`], the action is lost.
#[derive(Debug, Clone, PartialEq)]
pub struct BeginAction {
    /// The action to begin, with its input.
    pub request: ActionRequest,
    /// Id of the execution. Use a new one for each attempt to send the call, so that a retry can distinguish its claim
    /// from an earlier one.
    pub event: EventId,
    /// Id of the runner. Use a new one for each engine that you start.
    pub runner: RunnerId,
}

impl Command for BeginAction {
    type Done = ActionBegun;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for BeginAction {
    const NAME: &'static str = "begin_action";
    const KIND: &'static str = ActionBegun::KIND;
    const FILES: &'static [TreeFile] = &[TreeFile::Descriptor, TreeFile::Spec, TreeFile::State];

    fn access(&self) -> Option<Access> {
        self.request.access(Access::Write)
    }

    /// Event and runner are not part of the digest, because they differ in each attempt.
    fn digest(&self) -> Digest {
        let parts = self.request.digest_parts();
        let parts: Vec<_> = ["begin_action"].into_iter().chain(parts.iter().map(String::as_str)).collect();
        Digest::of(&parts.iter().map(|part| part.as_bytes()).collect::<Vec<_>>())
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<ActionBegun, Stop<SurfaceCommandRefusal>> {
        // The receipt may have expired before the action ends.
        let same =
            at.head.claims.iter().find(|claim| claim.operation == *operation || claim.event == self.event);
        if let Some(Claim { event, deadline, .. }) = same {
            let (event, until) = (event.clone(), *deadline);
            return Err(Stop::refused(SurfaceRefusal::ActionInProgress { event, until }));
        }
        if self.request.access(Access::Write).is_some() {
            at.check_turn::<SurfaceCommandRefusal>(operation)?;
        }
        at.ends().lose(false);
        let (plan, patch) = at.plan_action(&self.request)?;
        let claim = self.claim(&plan, operation, at.view.clock);
        if let Some(patch) = patch {
            let ending = at.run_patch(&patch, &plan, operation)?;
            let ended = Box::new(at.ends().end(claim, ending, None));
            return Ok(ActionBegun::Ended { ended, result: None });
        }
        if !plan.work.is_read_only() {
            let limit = at.policy.surface.claims;
            if at.head.claims.len() >= limit {
                return Err(Stop::refused(SurfaceRefusal::TooManyRunning { limit }));
            }
            at.head.claims.push(claim.clone());
            if let Some(given) = self.request.confirmation {
                at.use_confirmation(given);
            }
        }
        Ok(ActionBegun::Run(Box::new(RunningAction { plan, claim })))
    }

    fn is_begun(answer: &ActionBegun) -> bool {
        matches!(answer, ActionBegun::Run(_))
    }

    fn resume(
        &self,
        at: &mut Transition<'_>,
        begun: ActionBegun,
    ) -> Result<ActionBegun, Stop<SurfaceCommandRefusal>> {
        let ActionBegun::Run(running) = &begun else { return Ok(begun) };
        let event = running.event().clone();
        let Some(claim) = at.head.claims.iter().find(|claim| claim.event == event) else {
            return Err(Stop::refused(SurfaceRefusal::ActionLost { event }));
        };
        // This very attempt committed the claim, so that no other caller got the order to run it.
        if at.view.was_in_doubt && (&claim.event, &claim.runner) == (&self.event, &self.runner) {
            return Ok(begun);
        }
        let until = claim.deadline;
        match at.ends().lose(false).into_iter().find(|ended| ended.record.event_id == event) {
            Some(ended) => Ok(ActionBegun::Ended { ended: Box::new(ended), result: None }),
            None => Err(Stop::refused(SurfaceRefusal::ActionInProgress { event, until })),
        }
    }

    fn is_kept(outcome: &Outcome<Self>) -> bool {
        !is_planned_only(outcome)
    }

    /// A planned action commits no change that would detect an old head.
    fn is_refusal(outcome: &Outcome<Self>) -> bool {
        outcome.is_err() || is_planned_only(outcome)
    }
}

fn is_planned_only(outcome: &Outcome<BeginAction>) -> bool {
    matches!(outcome, Ok(ActionBegun::Run(running)) if running.plan.work.is_read_only())
}

impl BeginAction {
    fn claim(&self, plan: &PlannedAction, operation: &OpKey, clock: Timestamp) -> Claim {
        Claim {
            event: self.event.clone(),
            action: plan.action.clone(),
            target: plan.work.target(),
            arguments: plan.args_digest,
            runner: self.runner.clone(),
            started_at: clock,
            deadline: clock.saturating_add(plan.work.timeout()),
            save: plan.save.clone(),
            actor: plan.by.clone(),
            job: plan.job.clone(),
            author: author(&plan.by),
            operation: operation.clone(),
            digest: self.digest(),
            unknown: Unknown::NONE,
        }
    }
}

impl Transition<'_> {
    /// Changes the state as the action says. This is an ordinary change by the person who pressed the button.
    fn run_patch(
        &mut self,
        patch: &StatePatch,
        plan: &PlannedAction,
        operation: &OpKey,
    ) -> Result<Ending, Stop<SurfaceCommandRefusal>> {
        let state = self.state_now()?.ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceNotFound))?;
        let changed = patch.apply(&state, &self.policy.surface);
        let ChangedState { state, changes } =
            changed.map_err(|fault| Stop::refused(SurfaceRefusal::from(fault)))?;
        let changed_paths = changed_paths(&changes);
        if !changes.is_empty() {
            self.next_revision::<SurfaceCommandRefusal>()?;
            self.put_state(state);
            if matches!(plan.by, SurfaceActor::ClientId(_)) {
                self.head.user_revision = self.head.revision;
            }
            let record = Record { actor: author(&plan.by), operation, summary: plan.action.to_string() };
            self.record(record, SurfaceDiff { state: changes, files: Vec::new() }.into());
        }
        Ok(Ending { saved: true, changed_paths, ..Ending::default() })
    }
}
