//! The state that a host keeps for its surfaces in addition to the engine, and the entry point for requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::surface::{
    ActionName, ActionRequest, AuditRecord, ClientId, DueJob, EventId, JobPolicy, JobTiming, RefreshJob,
    RefreshJobs, RunnerId, Surface, SurfaceActor, SurfaceEvent,
};
use canvas_core::{
    BlobId, CallId, CanvasId, CodedError as _, ConversationId, Engine, EngineError, NameError, OpKey,
};
use serde_json::{Value, json};

use super::error::SurfaceError;
use super::request::{ActionParams, SurfaceRequest};
use super::result::Executed;
use super::views::{ViewPolicy, Views};
use crate::action::{ActionOver, ActionRun, SessionHost, ToolHost};

/// Answers requests to the surfaces of an engine.
///
/// It keeps track of the actors that show each surface and of the refresh jobs that are due. Everything else is in the
/// store. One value serves all threads.
#[derive(Debug)]
pub struct SurfaceDoor {
    runner: RunnerId,
    /// The prefix of execution names.
    prefix: String,
    /// Number of executions named so far.
    named: AtomicU64,
    views: Mutex<Views>,
    jobs: Mutex<RefreshJobs>,
}

/// The caller of a request, with the key of its call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceCaller {
    /// The client or session that sends the request.
    pub actor: SurfaceActor,
    /// The key of the call. The same key again is a retry. For a session, the turn is that of its conversation; for a
    /// client, the turn does not matter.
    pub operation: OpKey,
}

/// The answer to a request, with the events that it caused.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceReply {
    /// The result of the method, or its error.
    pub result: Result<Value, SurfaceError>,
    /// The events in order, for the clients that show the surface. Empty for a retry.
    pub events: Vec<SurfaceEvent>,
    /// The record of an execution that ended. Empty for a retry.
    pub audit: Vec<AuditRecord>,
}

impl SurfaceReply {
    /// Builds the reply to a failed request without any effects.
    pub(super) fn failed(error: impl Into<SurfaceError>) -> Self {
        Self { result: Err(error.into()), events: Vec::new(), audit: Vec::new() }
    }

    /// Builds the reply for an action that is over.
    pub fn of_action(over: &ActionOver, events: Vec<SurfaceEvent>) -> Self {
        match over {
            ActionOver::Refused(refusal) => Self::failed(SurfaceError::refused(&**refusal)),
            ActionOver::Ended { ended, result, replayed } => {
                let audit = if *replayed { Vec::new() } else { vec![ended.record.clone()] };
                let result = match &ended.failure {
                    Some(fault) => Err(SurfaceError::ended(fault, &ended.record.event_id)),
                    None => {
                        let done = Executed {
                            event_id: &ended.record.event_id,
                            saved: ended.saved,
                            revision: ended.revision,
                            result,
                            unsaved: ended.unsaved.as_ref(),
                        };
                        Ok(json!(done))
                    }
                };
                Self { result, events, audit }
            }
        }
    }
}

impl SurfaceDoor {
    /// Creates a door without views. `runner` is unique for each start of the host, and `seed` differs from host to
    /// host.
    pub fn new(runner: RunnerId, seed: u64) -> Self {
        // Execution names append a number to this prefix, which must therefore be short.
        let name = runner.as_str();
        let prefix =
            if name.len() <= 256 { name.to_owned() } else { BlobId::of(name.as_bytes()).to_string() };
        Self {
            runner,
            prefix,
            named: AtomicU64::new(0),
            views: Mutex::new(Views::new(ViewPolicy::default())),
            jobs: Mutex::new(RefreshJobs::new(seed, JobPolicy::default())),
        }
    }

    /// Locks and returns the views of all clients and sessions.
    pub fn views(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks and returns the refresh jobs, which run without a request.
    pub fn jobs(&self) -> MutexGuard<'_, RefreshJobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the clients that receive the events of a canvas.
    pub fn followers(&self, canvas: &CanvasId) -> Vec<ClientId> {
        self.views().clients(canvas).cloned().collect()
    }

    /// Answers any request. `host` runs an action to its end, which may take a long time. `notify` receives each event
    /// as it happens, and the reply contains all of them.
    pub async fn request<S: Store, H: ToolHost + SessionHost>(
        &self,
        engine: &Engine<S>,
        host: &H,
        caller: &SurfaceCaller,
        request: SurfaceRequest,
        clock: impl Fn() -> Timestamp + Send,
        mut notify: impl FnMut(&SurfaceEvent) + Send,
    ) -> SurfaceReply {
        let SurfaceRequest::Action(params) = request else {
            let reply = self.answer(engine, caller, request, clock()).await;
            reply.events.iter().for_each(notify);
            return reply;
        };
        let mut run = match self.action(caller, params, clock()) {
            Ok(run) => run,
            Err(error) => return SurfaceReply::failed(error),
        };
        let mut events = Vec::new();
        let tell = |event| {
            notify(&event);
            events.push(event);
        };
        match run.drive(engine, host, clock, tell).await {
            Ok(over) => SurfaceReply::of_action(&over, events),
            Err(error) => SurfaceReply { events, ..SurfaceReply::failed(error) },
        }
    }

    /// Prepares an action to be run.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENTS` unless the parameters name either an action or a binding.
    pub fn action(
        &self,
        caller: &SurfaceCaller,
        params: ActionParams,
        now: Timestamp,
    ) -> Result<ActionRun, SurfaceError> {
        let ActionParams { canvas_id, action_id, binding, input, expected_revision, confirmation } = params;
        let action = match (action_id, binding) {
            (Some(id), None) => ActionName::Id(id),
            (None, Some(name)) => ActionName::Binding(name),
            _ => {
                let message = "the action is not named by either its id or a binding: give one of them";
                return Err(crate::reply::ToolError::argument("/actionId", message).into());
            }
        };
        self.views().touch(&canvas_id, &caller.actor, now);
        let request = ActionRequest {
            by: caller.actor.clone(),
            job: None,
            action,
            input: input.unwrap_or_else(|| json!({})),
            expected: expected_revision,
            confirmation,
        };
        Ok(ActionRun::new(canvas_id, caller.operation.clone(), request, self.event(), self.runner.clone()))
    }

    /// Returns the refresh jobs that are due now. Report the end of each to [`SurfaceDoor::job_over`].
    #[expect(clippy::missing_panics_doc, reason = "a runner and an event are names")]
    pub async fn due<S: Store>(&self, engine: &Engine<S>, now: Timestamp) -> Vec<(DueJob, ActionRun)> {
        let due = self.jobs().due(now);
        let mut runs = Vec::new();
        for job in due {
            match engine.surface(&job.key.canvas, now).await {
                Ok((Some(surface), _)) => {
                    let run = self.job(&job, &surface).expect("a runner and an event are names");
                    runs.push((job, run));
                }
                Ok((None, _)) => self.jobs().forget(&job.key.canvas),
                Err(error) if error.is_retryable() => drop(self.jobs().settle(job.token, false, now)),
                Err(_) => self.jobs().forget(&job.key.canvas),
            }
        }
        runs
    }

    fn job(&self, job: &DueJob, surface: &Surface) -> Result<ActionRun, NameError> {
        let event = self.event();
        // The end of the execution uses the event's name without this prefix.
        let call = CallId::new(&format!("job {event}"))?;
        let operation = OpKey::of(ConversationId::new(self.runner.as_str())?, call);
        let request = ActionRequest {
            by: SurfaceActor::SessionKey(surface.descriptor.owner_session_key.clone()),
            job: Some(job.key.job.clone()),
            action: ActionName::Id(job.action.clone()),
            input: json!({}),
            expected: None,
            confirmation: None,
        };
        Ok(ActionRun::new(job.key.canvas.clone(), operation, request, event, self.runner.clone()))
    }

    /// Records the end of a job.
    pub fn job_over(&self, job: &DueJob, over: &ActionOver, now: Timestamp) {
        let went_well = matches!(over, ActionOver::Ended { ended, .. } if ended.failure.is_none());
        self.jobs().settle(job.token, went_well, now);
    }

    /// Loads the jobs of a canvas, with one read of the surface. Call this after a start for each canvas in the store,
    /// and whenever the spec was changed other than through this door, for example by undo.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::surface`], except for a canvas that does not exist, which has no jobs.
    pub async fn track<S: Store>(
        &self,
        engine: &Engine<S>,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(), EngineError> {
        let surface = match engine.surface(canvas, now).await {
            Ok((surface, _)) => surface,
            Err(EngineError::NotFound { .. }) => None,
            Err(error) => return Err(error),
        };
        self.follow(canvas, surface.as_ref(), now);
        Ok(())
    }

    /// Replaces the jobs of a canvas with the enabled jobs of this surface.
    pub(super) fn follow(&self, canvas: &CanvasId, surface: Option<&Surface>, now: Timestamp) {
        let spec = surface.and_then(|surface| surface.spec.as_ref());
        let jobs = spec.iter().flat_map(|spec| spec.jobs()).filter(|job| job.enabled);
        let timing = |job: &RefreshJob| JobTiming {
            job: job.id.clone(),
            action: job.action.clone(),
            every: job.every_ms,
        };
        self.jobs().track(canvas, jobs.map(timing), now);
    }

    /// Returns a new execution name. It is unique because the runner differs at each start.
    fn event(&self) -> EventId {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        EventId::new(&format!("{}-{number}", self.prefix)).expect("the prefix is short")
    }
}
