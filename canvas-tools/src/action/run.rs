//! One execution of an action as a state machine without I/O.

use canvas_core::surface::{
    ActionBegun, ActionEnded, ActionFailure, ActionRequest, ActionWork, BeginAction, EventId, FinishAction,
    RunnerId, RunningAction, SurfaceCommandRefusal, SurfaceEvent, SurfaceEventKind,
};
use canvas_core::{Answered, CallId, CanvasId, ConversationId, OpKey};
use serde_json::Value;

use super::host::{SessionMessage, ToolInvocation};

/// An action in progress. It returns the next step and takes the step's outcome.
///
/// The steps are begin, call and finish. If you lose the machine between begin and finish, by a crash or a dropped
/// future, the execution is lost. The canvas reports this after the deadline, and the action is not run again.
#[derive(Debug, Clone)]
pub struct ActionRun {
    canvas: CanvasId,
    operation: OpKey,
    runner: RunnerId,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    Begin(BeginAction),
    Work(Box<RunningAction>),
    Finish(FinishAction),
    Over(ActionOver),
}

/// The next step of an action, which the host or the engine performs. The enum is exhaustive, so a host that does not
/// perform a new step does not compile.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionStep<'r> {
    /// Let the engine decide this command under [`ActionRun::operation`], then call [`ActionRun::begun`].
    Begin(&'r BeginAction),
    /// Call the tool, then [`ActionRun::settle`].
    Call(ToolInvocation),
    /// Send the message, then call [`ActionRun::settle`].
    Send(SessionMessage),
    /// Let the engine decide this command under [`ActionRun::operation`], then call [`ActionRun::finished`].
    Finish(&'r FinishAction),
    /// The action is over, with this result.
    Over(&'r ActionOver),
}

/// The end of an execution, as reported to its caller.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionOver {
    /// The engine refused the action, and this attempt did not run it.
    Refused(Box<SurfaceCommandRefusal>),
    /// The action ran, successfully or not.
    Ended {
        /// The record of the execution, with its revision and changed paths.
        ended: Box<ActionEnded>,
        /// The answer of the tool or the session. `None` if it failed or is no longer known.
        result: Option<Value>,
        /// Whether an earlier attempt of the same call ran it.
        replayed: bool,
    },
}

impl ActionRun {
    /// Creates the execution of a requested action. `event` must be new; not even an earlier attempt of the same call
    /// may have used it.
    pub fn new(
        canvas: CanvasId,
        operation: OpKey,
        request: ActionRequest,
        event: EventId,
        runner: RunnerId,
    ) -> Self {
        let begin = BeginAction { request, event, runner: runner.clone() };
        Self { canvas, operation, runner, state: State::Begin(begin) }
    }

    /// Returns the canvas that the action belongs to.
    pub const fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    /// Returns the key for the next engine command. The end uses a key of the runner, which no caller can take.
    #[expect(clippy::missing_panics_doc, reason = "all names have the same limits")]
    pub fn operation(&self) -> OpKey {
        let State::Finish(FinishAction { running, .. }) = &self.state else { return self.operation.clone() };
        let (conversation, call) =
            (ConversationId::new(self.runner.as_str()), CallId::new(running.event().as_str()));
        let (conversation, call) =
            conversation.and_then(|who| Ok((who, call?))).expect("all names are alike");
        OpKey::of(conversation, call)
    }

    /// Returns the id of the execution. If an earlier attempt ran the action, this is the id of that execution.
    pub fn event(&self) -> Option<&EventId> {
        match &self.state {
            State::Begin(begin) => Some(&begin.event),
            State::Work(running) => Some(running.event()),
            State::Finish(finish) => Some(finish.running.event()),
            State::Over(ActionOver::Ended { ended, .. }) => Some(&ended.record.event_id),
            State::Over(ActionOver::Refused(_)) => None,
        }
    }

    /// Returns the execution while it is running, or `None` before and after that.
    pub fn running(&self) -> Option<&RunningAction> {
        match &self.state {
            State::Work(running) => Some(running),
            _ => None,
        }
    }

    /// Returns the next step.
    pub fn step(&self) -> ActionStep<'_> {
        match &self.state {
            State::Begin(begin) => ActionStep::Begin(begin),
            State::Work(running) => work(running),
            State::Finish(finish) => ActionStep::Finish(finish),
            State::Over(over) => ActionStep::Over(over),
        }
    }

    /// Takes the engine's answer to [`ActionStep::Begin`] and returns the events for clients.
    pub fn begun(&mut self, answered: Answered<BeginAction>) -> Vec<SurfaceEvent> {
        let Answered { result, replayed, snapshot } = answered;
        match result {
            Err(refusal) => {
                self.state = State::Over(ActionOver::Refused(Box::new(refusal)));
                Vec::new()
            }
            Ok(ActionBegun::Run(running)) => {
                let started = SurfaceEvent::new(
                    SurfaceEventKind::ActionStarted,
                    self.canvas.clone(),
                    snapshot.head.revision(),
                    snapshot.clock,
                );
                let started = started.of_action(&running.plan.action, running.event());
                self.state = State::Work(running);
                vec![started]
            }
            Ok(ActionBegun::Ended { ended, result }) => {
                let events = if replayed {
                    Vec::new()
                } else {
                    [vec![self.started(&ended)], self.ended(&ended)].concat()
                };
                self.state = State::Over(ActionOver::Ended { ended, result, replayed });
                events
            }
        }
    }

    /// Takes the host's outcome. Only the first one counts; later ones are dropped.
    pub fn settle(&mut self, outcome: Result<Value, ActionFailure>) {
        if let State::Work(running) = &self.state {
            self.state = State::Finish(FinishAction { running: running.clone(), outcome });
        }
    }

    /// Takes the engine's answer to [`ActionStep::Finish`] and returns the events for clients.
    pub fn finished(&mut self, answered: Answered<FinishAction>) -> Vec<SurfaceEvent> {
        let State::Finish(finish) = &self.state else { return Vec::new() };
        let Answered { result, replayed, .. } = answered;
        let (over, events) = match result {
            Err(refusal) => (ActionOver::Refused(Box::new(refusal)), Vec::new()),
            Ok(ended) => {
                let events = if replayed { Vec::new() } else { self.ended(&ended) };
                let result = finish.outcome.clone().ok().filter(|_| ended.failure.is_none());
                (ActionOver::Ended { ended: Box::new(ended), result, replayed: false }, events)
            }
        };
        self.state = State::Over(over);
        events
    }

    fn started(&self, ended: &ActionEnded) -> SurfaceEvent {
        let record = &ended.record;
        let kind = SurfaceEventKind::ActionStarted;
        SurfaceEvent::new(kind, self.canvas.clone(), ended.revision, record.started_at)
            .of_action(&record.action_id, &record.event_id)
    }

    /// Returns the events of an execution's end for clients: an update with the changed paths, if there are any, and
    /// then the outcome.
    fn ended(&self, ended: &ActionEnded) -> Vec<SurfaceEvent> {
        let record = &ended.record;
        let event = |kind| {
            SurfaceEvent::new(kind, self.canvas.clone(), ended.revision, record.ended_at)
                .of_action(&record.action_id, &record.event_id)
        };
        let kind = match ended.failure {
            None => SurfaceEventKind::ActionFinished,
            Some(_) => SurfaceEventKind::ActionFailed,
        };
        if ended.changed_paths.is_empty() {
            return vec![event(kind)];
        }
        let changed = ended.changed_paths.clone();
        vec![event(SurfaceEventKind::Updated).at_paths(changed.clone()), event(kind).at_paths(changed)]
    }
}

fn work(running: &RunningAction) -> ActionStep<'_> {
    let (event_id, timeout) = (running.event().clone(), running.plan.work.timeout());
    match &running.plan.work {
        ActionWork::Tool { tool, arguments, .. } => {
            let (tool, arguments) = (tool.clone(), arguments.clone());
            ActionStep::Call(ToolInvocation { event_id, tool, arguments, timeout })
        }
        ActionWork::Session { session_key, message, .. } => {
            let (session_key, text) = (session_key.clone(), message.clone());
            ActionStep::Send(SessionMessage { event_id, session_key, text, timeout })
        }
        ActionWork::State => unreachable!("the engine changes a state when it begins the action"),
    }
}
