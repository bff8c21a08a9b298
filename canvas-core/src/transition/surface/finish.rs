//! The reported end of an action.

use serde_json::Value;

use crate::model::blob::Missing;
use crate::model::claims::{Claim, PlannedSave};
use crate::model::face::TreeFile;
use crate::model::json_pointer::join_pointer;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::wording::clip;
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::state::surface_state::ChangedState;
use crate::surface::{
    StatePath, StateValue, SurfaceCode, SurfaceDiff, SurfaceFault, SurfaceLimits, changed_paths,
};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::decide::recalled;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::step::{Record, Stop, Transition};
use crate::transition::surface::begin::BeginAction;
use crate::transition::surface::ended::{ActionBegun, ActionEnded, Ending, RunningAction};

/// Ends an action. Its result is saved at its place, and the action is recorded.
///
/// Only the caller that began the action reports its end, and only once. A result after the deadline is dropped.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishAction {
    /// The running action from the response to [`BeginAction`].
    pub running: Box<RunningAction>,
    /// The result of the tool or the session.
    pub outcome: Result<Value, ActionFailure>,
}

/// The reason why an action has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionFailure {
    /// The tool or the session reported a failure.
    Failed {
        /// Code from the tool, if it has one.
        code: Option<String>,
        /// A sentence about the failure.
        message: String,
    },
    /// The tool or the session took too long.
    TimedOut,
}

/// Maximum number of characters of a tool's failure message.
const MESSAGE: usize = 1_000;

/// Maximum number of characters of a tool's code.
const CODE: usize = 80;

impl Command for FinishAction {
    type Done = ActionEnded;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for FinishAction {
    const NAME: &'static str = "finish_action";
    const KIND: &'static str = "action_ended";
    const FILES: &'static [TreeFile] = &[TreeFile::State];

    /// A repeated end of the same action gets the answer of the first, even if it differs.
    fn digest(&self) -> Digest {
        let Claim { event, runner, .. } = &self.running.claim;
        Digest::of(&["finish_action", event.as_str(), runner.as_str()].map(str::as_bytes))
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<ActionEnded, Stop<SurfaceCommandRefusal>> {
        let RunningAction { plan, claim: given } = &*self.running;
        let own = at.head.claims.take(|claim| claim.event == given.event && claim.runner == given.runner);
        let claim = match own.into_iter().next() {
            Some(claim) => claim,
            None => match at.ended_before(given)? {
                Some(ended) => return Ok(ended),
                // A read-only action leaves no claim, because it may be repeated.
                None if plan.work.is_read_only() => given.clone(),
                None => {
                    let event = given.event.clone();
                    return Err(Stop::refused(SurfaceRefusal::EventNotFound { event }));
                }
            },
        };
        let (ending, result) = self.ending(at, operation, &claim)?;
        let ended = at.ends().end(claim, ending, result);
        at.ends().lose(false);
        Ok(ended)
    }
}

impl FinishAction {
    fn ending(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
        claim: &Claim,
    ) -> Result<(Ending, Option<Value>), Stop<SurfaceCommandRefusal>> {
        if claim.is_over(at.view.clock, at.policy.lease.clock_tolerance) {
            return Ok((timed_out(), None));
        }
        // A later commit finds that the action's time is over.
        at.not_after = Some(claim.deadline);
        let result = match &self.outcome {
            Ok(result) => result,
            Err(ActionFailure::TimedOut) => return Ok((timed_out(), None)),
            Err(ActionFailure::Failed { code, message }) => {
                let code = code.as_ref().map_or_else(String::new, |code| format!(" ({})", clip(code, CODE)));
                let message = format!("the tool has failed{code}: {}", clip(message, MESSAGE));
                return Ok((Ending::failed(SurfaceCode::ToolFailed, message), None));
            }
        };
        let value = StateValue::from(result.clone());
        if let Err(unsaved) = check_result(&value, &at.policy.surface) {
            return Ok((Ending { unsaved: Some(unsaved), ..Ending::default() }, None));
        }
        let ending = match &claim.save {
            Some(save) => at.save_result(operation, claim, save, value)?,
            None => Ending::default(),
        };
        Ok((ending, Some(result.clone())))
    }
}

impl Transition<'_> {
    /// Returns the end of an action, if it has ended.
    fn ended_before(&self, claim: &Claim) -> Result<Option<ActionEnded>, Missing> {
        let Some(receipt) = self.head.receipts.find(&claim.operation, |id| self.blob(id))? else {
            return Ok(None);
        };
        if receipt.digest != claim.digest {
            return Ok(None);
        }
        Ok(match recalled::<BeginAction>(&receipt.answer, |id| self.blob(id))? {
            Ok(ActionBegun::Ended { ended, .. }) if ended.record.event_id == claim.event => Some(*ended),
            _ => None,
        })
    }

    /// Saves a result, if its place still has the value from the time of the plan.
    fn save_result(
        &mut self,
        operation: &OpKey,
        claim: &Claim,
        save: &PlannedSave,
        value: StateValue,
    ) -> Result<Ending, Stop<SurfaceCommandRefusal>> {
        let unsaved = |fault| Ok(Ending { unsaved: Some(fault), ..Ending::default() });
        let Some(state) = self.state_now()? else {
            let message = "the canvas has no surface any more: create it again, and repeat the action";
            return unsaved(SurfaceFault::new("", SurfaceCode::SurfaceNotFound, message));
        };
        let path = match StatePath::new(&save.path) {
            Ok(path) => path,
            Err(e) => return unsaved(SurfaceFault::new("", SurfaceCode::StatePath, e.to_string())),
        };
        if *save != PlannedSave::of(&path, state.value()) {
            let message =
                format!("{path} has changed since the action began: look at both, and set what it should be");
            return unsaved(SurfaceFault::new(place_of(&path), SurfaceCode::SaveConflict, message));
        }
        let ChangedState { state, changes } = match state.save(&path, value, &self.policy.surface) {
            Ok(changed) => changed,
            Err(fault) => return unsaved(fault),
        };
        let changed_paths = changed_paths(&changes);
        if !changes.is_empty() {
            self.next_revision::<SurfaceCommandRefusal>()?;
            self.put_state(state);
            let summary = format!("{}: {path}", claim.action);
            let record = Record { actor: claim.author, operation, summary };
            self.record_effect(record, SurfaceDiff { state: changes, files: Vec::new() }.into(), Vec::new());
        }
        Ok(Ending { saved: true, changed_paths, ..Ending::default() })
    }
}

fn timed_out() -> Ending {
    let message = "the tool took too long, and may have done what it does: look at that before you repeat it";
    Ending::failed(SurfaceCode::ToolTimeout, message.to_owned())
}

fn check_result(value: &StateValue, limits: &SurfaceLimits) -> Result<(), SurfaceFault> {
    let too_large = |message| Err(SurfaceFault::new("", SurfaceCode::StateTooLarge, message));
    let (bytes, limit) = (value.json_bytes(), limits.result_bytes);
    if bytes > limit {
        return too_large(format!(
            "the result has {bytes} bytes, the limit is {limit}: have the tool answer less"
        ));
    }
    let (depth, limit) = (value.depth(), limits.depth);
    if depth > limit {
        return too_large(format!(
            "the result is nested {depth} deep, the limit is {limit}: have the tool answer less"
        ));
    }
    Ok(())
}

/// Returns the place as a JSON Pointer.
fn place_of(path: &StatePath) -> String {
    path.names().fold(String::new(), |place, name| join_pointer(&place, name))
}
