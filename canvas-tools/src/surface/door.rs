//! What a host keeps for its surfaces beside the engine, and how it answers requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::store::Store;
use canvas_core::surface::{
    ActionName, ActionRequest, AuditRecord, ClientId, DueJob, EventId, JobPolicy, JobTiming, RefreshJob,
    RefreshJobs, RunnerId, Surface, SurfaceActor, SurfaceEvent,
};
use canvas_core::{BlobId, CallId, CanvasId, ConversationId, Engine, EngineError, NameError, OpKey};
use serde_json::{Value, json};

use super::error::SurfaceError;
use super::request::{ActionParams, SurfaceRequest};
use super::result::Executed;
use super::views::{ViewPolicy, Views};
use crate::action::{ActionOver, ActionRun, SessionHost, ToolHost};

/// Answers requests to the surfaces of an engine.
///
/// It knows who shows which surface and which refresh jobs are due; all else lies in the store. One value serves all
/// threads.
#[derive(Debug)]
pub struct SurfaceDoor {
    runner: RunnerId,
    /// Begins the names of executions.
    prefix: String,
    /// Executions that were named.
    named: AtomicU64,
    views: Mutex<Views>,
    jobs: Mutex<RefreshJobs>,
}

/// Who asks, and under which name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SurfaceCaller {
    /// Who.
    pub actor: SurfaceActor,
    /// The call: the same again is a retry. Its turn is that of the session's conversation; of a client it does not matter.
    pub operation: OpKey,
}

/// The answer to a request, and what has happened.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceReply {
    /// The result of the method, or why there is none.
    pub result: Result<Value, SurfaceError>,
    /// What has happened, in order, for the clients that show the surface. A retry has none.
    pub events: Vec<SurfaceEvent>,
    /// The execution that has ended. A retry has none.
    pub audit: Vec<AuditRecord>,
}

impl SurfaceReply {
    /// A failure after which nothing has happened.
    pub(super) fn failed(error: impl Into<SurfaceError>) -> Self {
        Self { result: Err(error.into()), events: Vec::new(), audit: Vec::new() }
    }

    /// What an execution came to.
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
    /// A door without views. `runner` is one for each start of the host, and `seed` differs from host to host.
    pub fn new(runner: RunnerId, seed: u64) -> Self {
        // A name is made longer by it.
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

    /// Who shows which surface.
    pub fn views(&self) -> MutexGuard<'_, Views> {
        self.views.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What runs by itself.
    pub fn jobs(&self) -> MutexGuard<'_, RefreshJobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The clients that are sent the events of a canvas.
    pub fn followers(&self, canvas: &CanvasId) -> Vec<ClientId> {
        self.views().clients(canvas).cloned().collect()
    }

    /// Answers any request: an action is run to its end by `host`, which may take long. `notify` gets each event as it
    /// happens; the reply has them all.
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

    /// An action, ready to be run.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENTS` unless either an action or a binding is named.
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
                let message = "an action is named by its id or by a binding: give one of them";
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

    /// What is to be run now by itself. [`SurfaceDoor::job_over`] takes what came of each.
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
                Err(error) if error.retryable() => drop(self.jobs().settle(job.token, false, now)),
                Err(_) => self.jobs().forget(&job.key.canvas),
            }
        }
        runs
    }

    fn job(&self, job: &DueJob, surface: &Surface) -> Result<ActionRun, NameError> {
        let event = self.event();
        let operation = OpKey {
            conversation: ConversationId::new(self.runner.as_str())?,
            turn: Turn::ZERO,
            // The end of the execution has its plain name.
            call: CallId::new(&format!("job {event}"))?,
        };
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

    /// A job has ended.
    pub fn job_over(&self, job: &DueJob, over: &ActionOver, now: Timestamp) {
        let went_well = matches!(over, ActionOver::Ended { ended, .. } if ended.failure.is_none());
        self.jobs().settle(job.token, went_well, now);
    }

    /// Learns the jobs of a canvas: after a start, for each canvas of the store, and where its spec was changed by other
    /// means than this door, such as undo. Costs a read.
    ///
    /// # Errors
    ///
    /// Those of [`Engine::surface`], but for a canvas that is not there: it has no jobs.
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

    /// These are the jobs of a canvas from now on.
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

    /// An execution that was never named before: the runner is another one at each start.
    fn event(&self) -> EventId {
        let number = self.named.fetch_add(1, Ordering::Relaxed);
        EventId::new(&format!("{}-{number}", self.prefix)).expect("the prefix is short")
    }
}
