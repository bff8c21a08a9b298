//! Plans of actions, whose policy and values are decided on the head.

use canvas_lease::Timestamp;
use serde_json::{Value, json};

use crate::model::blob::BlobId;
use crate::model::canonical::CanonicalError;
use crate::model::claims::PlannedSave;
use crate::model::face::TreeFile;
use crate::model::json_hash::JsonHash;
use crate::model::json_pointer::join_pointer;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::name::{ActionId, SurfaceActor};
use crate::surface::plan::{CallPlan, PlanRequest};
use crate::surface::policy::Confirm;
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::spec::action::{Action, ActionKind};
use crate::surface::spec::compiled::Spec;
use crate::surface::state::patch::StatePatch;
use crate::surface::state::value::{StateValue, json_bytes};
use crate::surface::template::Scope;
use crate::surface::{
    Confirmation, ConfirmationPrompt, SurfaceCode, SurfaceFault, SurfaceLimits, SurfaceState,
};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};
use crate::transition::surface::files::Refused;
use crate::transition::surface::request::{ActionName, ActionRequest, ActionWork, PlannedAction};

/// Plans an action without beginning it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanAction(pub ActionRequest);

impl Command for PlanAction {
    type Done = PlannedAction;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for PlanAction {
    const NAME: &'static str = "plan_action";
    const KIND: &'static str = "action_planned";
    const IS_READ: bool = true;
    const FILES: &'static [TreeFile] = ACTION_FILES;

    fn access(&self) -> Option<Access> {
        self.0.access(Access::Read)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"plan_action", b""])
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        _: &OpKey,
    ) -> Result<PlannedAction, Stop<SurfaceCommandRefusal>> {
        at.plan_action(&self.0).map(|(plan, _)| plan)
    }
}

/// Files to read before an action is planned.
pub(super) const ACTION_FILES: &[TreeFile] = &[TreeFile::Descriptor, TreeFile::Spec, TreeFile::State];

/// An action of a spec with its context.
struct Planning<'p> {
    request: &'p ActionRequest,
    descriptor: &'p StoredDescriptor,
    state: &'p SurfaceState,
    id: &'p ActionId,
    action: &'p Action,
    /// The value of `runtime.now`.
    now: Timestamp,
}

/// The resolved work, before any confirmation.
struct Resolved {
    work: ActionWork,
    /// The arguments in the form that is displayed.
    args: Value,
    args_digest: JsonHash,
    words: Option<Vec<String>>,
    digest: JsonHash,
    asks: bool,
}

impl Transition<'_> {
    /// Plans an action for the actor. For an action that only changes the state, returns its patch as well.
    pub(super) fn plan_action(
        &self,
        request: &ActionRequest,
    ) -> Refused<(PlannedAction, Option<StatePatch>)> {
        let descriptor = self.descriptor_for(&request.by)?;
        self.check_expected(request.expected)?;
        check_input(&request.input, &self.policy.surface)?;
        let no_spec = || not_found("/actionId", "the surface has no actions: save a spec");
        let spec = self.spec_now()?.ok_or_else(no_spec)?;
        let state = self.state_now()?.ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceNotFound))?;
        let (id, action) = find(&spec, &request.action)?;
        let by = match &request.job {
            None => request.by.clone(),
            Some(job) => {
                if !spec.jobs().iter().any(|known| known.id == *job && known.enabled && known.action == *id) {
                    return Err(not_found(
                        "/jobId",
                        "no job of the spec that is enabled runs this action: look at the spec",
                    ));
                }
                SurfaceActor::SessionKey(descriptor.owner_session_key.clone())
            }
        };
        let confirmation = request.confirmation.filter(|_| matches!(request.by, SurfaceActor::ClientId(_)));
        if let Some(given) = confirmation {
            self.check_confirmation(given)?;
        }
        let now = confirmation.map_or(self.view.clock, |given| given.planned_at);
        let mut planning = Planning { request, descriptor: &descriptor, state: &state, id, action, now };
        let mut resolved = self.resolve(&planning, &spec)?;
        let (used, latest) = (&self.head.confirmed, self.latest_plan());
        if confirmation.is_none() && resolved.asks && used.has(now, resolved.digest, latest) {
            // The same plan began in this very millisecond, so that a repeated request must be a different plan.
            planning.now = used.next(latest);
            resolved = self.resolve(&planning, &spec)?;
        }
        let now = planning.now;
        let Resolved { work, args, args_digest, words, digest, asks } = resolved;
        match confirmation {
            Some(given) if given.digest == digest => {}
            Some(_) => return Err(Stop::refused(SurfaceRefusal::ConfirmStale)),
            None if asks => {
                let (tool, session_key) = match work {
                    ActionWork::Tool { tool, .. } => (Some(tool), None),
                    ActionWork::Session { session_key, .. } => (None, Some(session_key)),
                    ActionWork::State => (None, None),
                };
                let (planned_at, expires_at) = (now, now.saturating_add(Confirmation::LIFETIME));
                let prompt =
                    ConfirmationPrompt { tool, session_key, args, words, digest, planned_at, expires_at };
                return Err(Stop::refused(SurfaceRefusal::ConfirmationRequired { prompt: Box::new(prompt) }));
            }
            None => {}
        }
        let save = action.save_as.as_ref().map(|path| PlannedSave::of(path, state.value()));
        let patch = match &action.kind {
            ActionKind::StatePatch(patch) => Some(patch.clone()),
            _ => None,
        };
        let job = request.job.clone();
        let action = id.clone();
        Ok((PlannedAction { action, work, digest, args_digest, planned_at: now, save, by, job }, patch))
    }

    /// Resolves the values of an action.
    fn resolve(&self, planning: &Planning<'_>, spec: &Spec) -> Refused<Resolved> {
        let Planning { request, descriptor, state, id, action, now } = *planning;
        let scope = Scope { state: state.value(), input: &request.input, now };
        let place = join_pointer("/actions", id.as_str());
        match &action.kind {
            ActionKind::ToolCall { tool, args, timeout_ms } => {
                let ceiling = &self.view.types.ceiling;
                let contract = ceiling.tool(tool, spec.allow());
                let contract =
                    contract.map_err(|fault| refused(fault.under(&join_pointer(&place, "tool"))))?;
                let template = args.as_ref().map_err(|fault| refused(fault.clone()))?;
                let place = join_pointer(&place, "args");
                let plan = PlanRequest {
                    canvas: self.view.head.canvas(),
                    action: id,
                    spec: self.spec_id()?,
                    contract,
                    arguments: template,
                    place: &place,
                    scope,
                };
                let CallPlan { arguments, words, digest } = CallPlan::new(&plan).map_err(all_refused)?;
                let read_only = contract.declaration().read_only;
                let work = ActionWork::Tool {
                    tool: tool.clone(),
                    arguments: arguments.clone(),
                    read_only,
                    timeout_ms: u64::from(*timeout_ms),
                };
                let args_digest = hash_of(&arguments, &place)?;
                let asks = ceiling.asks(contract, action.confirm);
                Ok(Resolved { work, args: arguments, args_digest, words, digest, asks })
            }
            ActionKind::SessionSend { message, session_key } => {
                let owner = &descriptor.owner_session_key;
                let session = session_key.as_ref().unwrap_or(owner);
                let allowed = self.view.types.ceiling.session(session, Some(owner));
                allowed.map_err(|fault| refused(fault.under(&join_pointer(&place, "sessionKey"))))?;
                let template = message.as_ref().map_err(|fault| refused(fault.clone()))?;
                let args = template.resolve(&scope).map_err(refused)?;
                let message = args.as_str().unwrap_or_default().to_owned();
                let args_digest = hash_of(&args, &place)?;
                let digest = self.digest_of(planning, json!({"session": session, "message": message}))?;
                let work = ActionWork::Session {
                    session_key: session.clone(),
                    message,
                    timeout_ms: Action::MAX_TIMEOUT_MS.into(),
                };
                let asks = action.confirm == Confirm::Always;
                Ok(Resolved { work, args, args_digest, words: None, digest, asks })
            }
            ActionKind::StatePatch(patch) => {
                let text = serde_json::to_string(patch).expect("a patch has only string keys");
                let args_digest = JsonHash::of_text(&text);
                let digest = self.digest_of(planning, json!({"patch": args_digest}))?;
                let work = ActionWork::State;
                Ok(Resolved { work, args: Value::Null, args_digest, words: None, digest, asks: false })
            }
        }
    }

    /// Returns the digest of an action that calls no tool.
    fn digest_of(&self, planning: &Planning<'_>, work: Value) -> Refused<JsonHash> {
        let plan = json!({
            "canvas": self.view.head.canvas(),
            "action": planning.id,
            "spec": self.spec_id()?,
            "work": work,
            "now": planning.now.as_millis(),
        });
        hash_of(&plan, "")
    }

    fn spec_id(&self) -> Refused<BlobId> {
        let id = self.view.head.file(TreeFile::Spec);
        id.ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceDamaged))
    }

    /// Checks that a confirmation belongs to a recent plan that has not begun.
    fn check_confirmation(&self, given: Confirmation) -> Refused<()> {
        let (clock, Confirmation { digest, planned_at }) = (self.view.clock, given);
        let latest = self.latest_plan();
        let is_over = clock.saturating_duration_since(planned_at) >= Confirmation::LIFETIME;
        if planned_at > latest || is_over || self.head.confirmed.has(planned_at, digest, latest) {
            return Err(Stop::refused(SurfaceRefusal::ConfirmStale));
        }
        Ok(())
    }

    /// Records a confirmation, so that it cannot begin an action again.
    pub(super) fn use_confirmation(&mut self, given: Confirmation) {
        let (times, latest) = ((self.view.clock, Confirmation::LIFETIME), self.latest_plan());
        self.head.confirmed.note((given.planned_at, given.digest), times, latest);
    }

    fn latest_plan(&self) -> Timestamp {
        self.view.clock.saturating_add(self.policy.lease.clock_tolerance)
    }
}

fn find<'s>(spec: &'s Spec, name: &'s ActionName) -> Refused<(&'s ActionId, &'s Action)> {
    let (id, place) = match name {
        ActionName::Id(id) => (Some(id), "/actionId"),
        ActionName::Binding(name) => (spec.bindings().get(name), "/binding"),
    };
    let found = id.and_then(|id| Some((id, spec.action(id)?)));
    found.ok_or_else(|| not_found(place, "the spec has none of this name: name one that is there"))
}

fn check_input(input: &Value, limits: &SurfaceLimits) -> Refused<()> {
    let too_large = |message| Err(refused(SurfaceFault::new("/input", SurfaceCode::StateTooLarge, message)));
    let (bytes, limit) = (json_bytes(input), limits.input_bytes);
    if bytes > limit {
        return too_large(format!("the input has {bytes} bytes, the limit is {limit}: send less"));
    }
    let (depth, limit) = (StateValue::from(input.clone()).depth(), limits.depth);
    if depth > limit {
        return too_large(format!(
            "the input is nested {depth} deep, the limit is {limit}: send a flatter one"
        ));
    }
    Ok(())
}

fn hash_of(value: &Value, place: &str) -> Refused<JsonHash> {
    let fault = |e: CanonicalError| {
        SurfaceFault::new(format!("{place}{}", e.place), SurfaceCode::ArgumentsRefused, e.to_string())
    };
    JsonHash::of(value).map_err(|e| refused(fault(e)))
}

fn not_found(place: &str, message: impl Into<String>) -> Stop<SurfaceCommandRefusal> {
    refused(SurfaceFault::new(place, SurfaceCode::ActionNotFound, message))
}

/// Refuses a request for several faults.
fn all_refused(faults: Vec<SurfaceFault>) -> Stop<SurfaceCommandRefusal> {
    Stop::refused(SurfaceRefusal::of(faults))
}

fn refused(fault: SurfaceFault) -> Stop<SurfaceCommandRefusal> {
    Stop::refused(SurfaceRefusal::from(fault))
}
