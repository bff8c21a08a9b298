//! One execution of an action as a machine without input or output.

use canvas_core::lease::Turn;
use canvas_core::surface::{
    ActionBegun, ActionEnded, ActionFailure, ActionRequest, ActionWork, BeginAction, EventId, FinishAction,
    RunnerId, RunningAction, SurfaceCommandRefusal, SurfaceEvent, SurfaceEventKind,
};
use canvas_core::{Answered, CallId, CanvasId, ConversationId, OpKey};
use serde_json::Value;

use super::host::{SessionMessage, ToolInvocation};

/// An action on its way: it says what is to be done next, and is told what came of it.
///
/// Begin, call and finish follow each other. Whoever loses the machine between begin and finish, by a crash or a dropped
/// future, has lost the execution: the canvas says so after the deadline, and nobody runs it again.
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

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionStep<'r> {
    /// Have the engine decide this under [`ActionRun::operation`], then call [`ActionRun::begun`].
    Begin(&'r BeginAction),
    /// Call the tool, then [`ActionRun::settle`].
    Call(ToolInvocation),
    /// Send the message, then call [`ActionRun::settle`].
    Send(SessionMessage),
    /// Have the engine decide this under [`ActionRun::operation`], then call [`ActionRun::finished`].
    Finish(&'r FinishAction),
    /// Nothing: this is what it came to.
    Over(&'r ActionOver),
}

/// What an execution came to.
#[derive(Debug, Clone, PartialEq)]
pub enum ActionOver {
    /// The rules refused it, and nothing was run by this try.
    Refused(Box<SurfaceCommandRefusal>),
    /// It was run, well or not.
    Ended {
        /// What is recorded of it.
        ended: Box<ActionEnded>,
        /// What the tool, or the session, has answered.
        result: Option<Value>,
        /// An earlier try of the same call ran it.
        replayed: bool,
    },
}

impl ActionRun {
    /// An action that is asked for. `event` was never used before, also not by an earlier try of the same call.
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

    /// The canvas.
    pub const fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    /// The key for the next command of the engine. The end has one of the runner, which no caller can take.
    #[expect(clippy::missing_panics_doc, reason = "all names have the same limits")]
    pub fn operation(&self) -> OpKey {
        let State::Finish(FinishAction { running, .. }) = &self.state else { return self.operation.clone() };
        let (conversation, call) =
            (ConversationId::new(self.runner.as_str()), CallId::new(running.event().as_str()));
        let (conversation, call) =
            conversation.and_then(|who| Ok((who, call?))).expect("all names are alike");
        OpKey { conversation, turn: Turn::ZERO, call }
    }

    /// The execution; of one that was run before, that one.
    pub fn event(&self) -> Option<&EventId> {
        match &self.state {
            State::Begin(begin) => Some(&begin.event),
            State::Work(running) => Some(running.event()),
            State::Finish(finish) => Some(finish.running.event()),
            State::Over(ActionOver::Ended { ended, .. }) => Some(&ended.record.event_id),
            State::Over(ActionOver::Refused(_)) => None,
        }
    }

    /// What is under way; `None` before and after.
    pub fn running(&self) -> Option<&RunningAction> {
        match &self.state {
            State::Work(running) => Some(running),
            _ => None,
        }
    }

    /// What is to be done next.
    pub fn step(&self) -> ActionStep<'_> {
        match &self.state {
            State::Begin(begin) => ActionStep::Begin(begin),
            State::Work(running) => work(running),
            State::Finish(finish) => ActionStep::Finish(finish),
            State::Over(over) => ActionStep::Over(over),
        }
    }

    /// The engine has decided [`ActionStep::Begin`]. Gives what the clients are told.
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

    /// The host has done its part, or failed. Once only: what comes later is dropped.
    pub fn settle(&mut self, outcome: Result<Value, ActionFailure>) {
        if let State::Work(running) = &self.state {
            self.state = State::Finish(FinishAction { running: running.clone(), outcome });
        }
    }

    /// The engine has decided [`ActionStep::Finish`]. Gives what the clients are told.
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

    /// What clients are told of its end: first what has changed, then how it ended.
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
