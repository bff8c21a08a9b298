//! The end of an action, with one record and the response for retries.

use canvas_lease::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::model::blob::{Blob, Missing};
use crate::model::claims::{Claim, Target};
use crate::model::head::Head;
use crate::model::receipt::{Answer, Receipt};
use crate::model::receipts::Occasion;
use crate::model::revision::Revision;
use crate::model::wording::clip;
use crate::surface::name::EventId;
use crate::surface::state::pointer::StatePointer;
use crate::surface::{ActionOutcome, AuditRecord, SurfaceCode, SurfaceFault};
use crate::transition::command::encode_answer;
use crate::transition::policy::Policy;
use crate::transition::step::Transition;
use crate::transition::surface::request::PlannedAction;

/// The end of an action.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionEnded {
    /// Audit record of the action.
    pub record: AuditRecord,
    /// Reason for a missing result, which is `TOOL_FAILED`, `TOOL_TIMEOUT` or `ACTION_LOST`. `None` if the action
    /// succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<SurfaceFault>,
    /// Whether the state contains the result or the change.
    pub saved: bool,
    /// Reason why a result could not be saved, with its place in the state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsaved: Option<SurfaceFault>,
    /// Changed places of the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_paths: Vec<StatePointer>,
    /// Revision after the action.
    pub revision: Revision,
}

/// The progress of an action after its begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ActionBegun {
    /// Order to run the action now. The caller that gets this response runs it once, and reports its end with
    /// [`FinishAction`](crate::surface::FinishAction).
    Run(Box<RunningAction>),
    /// Result of an action that is over.
    Ended {
        /// The record and the outcome of the action.
        #[serde(flatten)]
        ended: Box<ActionEnded>,
        /// The result of the tool or the session; `None` if it is too large to be stored.
        #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
        result: Option<Value>,
    },
}

impl ActionBegun {
    /// Kind of this answer in receipts.
    pub(super) const KIND: &'static str = "action";
}

/// An action between its begin and its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunningAction {
    /// Resolved plan of the action.
    pub plan: PlannedAction,
    /// The claim, which the head keeps until the end. For a read-only tool it exists only here.
    pub(super) claim: Claim,
}

impl RunningAction {
    /// Returns the id of the execution.
    pub fn event(&self) -> &EventId {
        &self.claim.event
    }

    /// Returns the time, by the store's clock, after which the end can no longer be reported.
    pub fn deadline(&self) -> Timestamp {
        self.claim.deadline
    }
}

/// The end of an action's work.
#[derive(Default)]
pub(super) struct Ending {
    pub(super) failure: Option<SurfaceFault>,
    pub(super) saved: bool,
    pub(super) unsaved: Option<SurfaceFault>,
    pub(super) changed_paths: Vec<StatePointer>,
}

impl Ending {
    pub(super) fn failed(code: SurfaceCode, message: String) -> Self {
        Self { failure: Some(SurfaceFault::new("", code, message)), ..Self::default() }
    }

    fn lost() -> Self {
        let message =
            "nobody knows how this action ended: look at what it did before you send it under a new id";
        Self::failed(SurfaceCode::ActionLost, message.to_owned())
    }

    fn outcome(&self) -> ActionOutcome {
        match self.failure.as_ref().map(|fault| fault.code) {
            None => ActionOutcome::Finished,
            Some(SurfaceCode::ActionLost) => ActionOutcome::Lost,
            Some(SurfaceCode::ToolTimeout) => ActionOutcome::TimedOut,
            Some(_) => ActionOutcome::Failed,
        }
    }

    /// Returns one line for people.
    fn summary(&self, claim: &Claim) -> String {
        match (&self.failure, &self.unsaved, &claim.save) {
            (Some(fault), ..) => clip(&fault.message, SUMMARY),
            (None, Some(fault), _) => clip(&format!("done, but not saved: {}", fault.message), SUMMARY),
            (None, None, Some(save)) => clip(&format!("done, saved at {}", save.path), SUMMARY),
            (None, None, None) => "done".to_owned(),
        }
    }
}

/// Maximum number of characters in a record's summary.
const SUMMARY: usize = 200;

/// A head on which actions end.
pub(crate) struct Ends<'t> {
    pub(crate) head: &'t mut Head,
    pub(crate) blobs: &'t mut Vec<Blob>,
    pub(crate) policy: &'t Policy,
    pub(crate) clock: Timestamp,
}

impl Ends<'_> {
    /// Ends an action. It is recorded, and retries of its begin get this end with the result.
    pub(super) fn end(&mut self, claim: Claim, ending: Ending, result: Option<Value>) -> ActionEnded {
        let (outcome, summary) = (ending.outcome(), ending.summary(&claim));
        let (tool, session_key) = match claim.target {
            Target::Tool(tool) => (Some(tool), None),
            Target::Session(session) => (None, Some(session)),
            Target::State => (None, None),
        };
        let record = AuditRecord {
            event_id: claim.event,
            actor: claim.actor,
            job_id: claim.job,
            action_id: claim.action,
            tool,
            session_key,
            args_digest: claim.arguments,
            started_at: claim.started_at,
            // The clock may have fallen back.
            ended_at: self.clock.max(claim.started_at),
            outcome,
            summary,
        };
        self.blobs.extend(self.head.audit.record(record.clone()));
        let Ending { failure, saved, unsaved, changed_paths, .. } = ending;
        let ended =
            ActionEnded { record, failure, saved, unsaved, changed_paths, revision: self.head.revision };
        let answer = ActionBegun::Ended { ended: Box::new(ended.clone()), result };
        let answer = Answer::of_json(encode_answer(ActionBegun::KIND, &answer), self.blobs);
        let (operation, digest) = (claim.operation, claim.digest);
        let receipt = Receipt { operation, digest, fence: None, answer, at: 0 };
        let live = self.head.lock.lease().map(|lease| lease.id.fence());
        let occasion = Occasion { is_refusal: false, live, clock: Some(self.clock) };
        // The call's own receipt, which follows, indexes the pages.
        let nowhere = |id| Err(Missing::all(vec![id]));
        self.head.leave_receipt(receipt, occasion, &self.policy.receipt_bounds(), nowhere, self.blobs);
        ended
    }

    /// Ends actions that are past their deadline without a reported end, or all actions if the canvas is deleted.
    pub(crate) fn lose(&mut self, is_deleted: bool) -> Vec<ActionEnded> {
        let (clock, tolerance) = (self.clock, self.policy.lease.clock_tolerance);
        let lost = self.head.claims.take(|claim| is_deleted || claim.is_over(clock, tolerance));
        lost.into_iter().map(|claim| self.end(claim, Ending::lost(), None)).collect()
    }
}

impl Transition<'_> {
    pub(super) fn ends(&mut self) -> Ends<'_> {
        Ends { head: &mut self.head, blobs: &mut self.blobs, policy: self.policy, clock: self.view.clock }
    }
}

/// Distinguishes a member that is `null` from a missing one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
