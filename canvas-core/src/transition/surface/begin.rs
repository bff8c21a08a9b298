//! An action begins: what may be done twice is only planned, what takes no time is done, and all else leaves a claim.

use canvas_lease::Timestamp;

use crate::model::claims::Claim;
use crate::model::face::TreeFile;
use crate::model::id::OpKey;
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

/// Begin an action.
///
/// A change of the state is done with it. A tool that changes nothing is planned only: nothing is committed, and whoever
/// asks again calls it again. Everything else leaves a claim in the head, and uses up its confirmation: who gets [`ActionBegun::Run`] runs it, once, and
/// nobody else ever does. Whoever sends the same call again is answered `ACTION_IN_PROGRESS`, and after the end as it
/// ended; where nobody has said so by [`RunningAction::deadline`], it is lost.
#[derive(Debug, Clone, PartialEq)]
pub struct BeginAction {
    /// What is asked for.
    pub request: ActionRequest,
    /// The execution. Another one each time that the call is sent: a retry that has the claim of the first before it is
    /// told apart by it.
    pub event: EventId,
    /// Who runs it: another one for each engine that is started.
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

    /// Event and runner do not count: they are others in each try.
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
        // Its receipt may be gone before it has ended.
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
        // The claim was committed by this very try, so nobody else has been told to run it.
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

    /// What is only planned commits nothing that would show that the head was another one.
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
    /// Changes the state as an action says: for whoever pressed the button, a change like any other.
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
