//! A model's turn on one server: the tool loop does no input or output, so the host here waits for whatever comes
//! first: the model's answer, a reply, a notice from another server.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::RevisionId;
use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::turn::Promotion;
use canvas_providers::{
    AnswerContext, Event, Interruption, LoopAction, LoopOptions, Outcome, Provider, RequestOptions, ToolLoop,
};
use canvas_store_postgres::Notification;
use canvas_tools::{CHECK_IN, ToolCall, ToolReply};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use super::database::now;
use super::protocol::{Milestone, Refused, Written};
use super::server::Server;
use super::{Order, ServerEvent, StoryResult};

/// How long the model writes an answer.
const WRITING: Duration = Duration::from_millis(60);

/// Where a call comes from: the model, or the loop itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallOrigin {
    Model,
    Renewal(LeaseId),
    Release(LeaseId),
}

type Replies = (CallOrigin, ToolCall, ToolReply);

/// What a waiting server gets first.
enum Incoming {
    Answer,
    Reply(Box<Replies>),
    Notification(Notification),
    /// A commit is held up.
    Held,
    Order(Option<Order>),
    /// It is time to poll again.
    Due,
}

/// The answer that is being written.
struct Answer {
    /// When it will be there.
    at: Instant,
    body: Value,
    /// Of the request that it answers.
    context: AnswerContext,
}

/// The state of a turn under way.
struct TurnState {
    answers: VecDeque<Value>,
    coming: Option<Answer>,
    replies: UnboundedReceiver<Replies>,
    reply: UnboundedSender<Replies>,
    /// The loop was interrupted, and the coordinator does not know it yet.
    stopped: bool,
}

impl Server {
    /// The model answers the message. It runs in the server's own task and not in that of a request, so nobody drops it
    /// before the lease is released.
    pub(super) async fn answer(&mut self) -> StoryResult {
        let mut turn = ToolLoop::new(LoopOptions::default(), mem::take(&mut self.history));
        let (reply, replies) = unbounded_channel();
        let answers = self.script.answers()?.into();
        let mut state = TurnState { answers, coming: None, replies, reply, stopped: false };
        let outcome = loop {
            match turn.poll(now()) {
                LoopAction::SendRequest => {
                    let context = self.encode(&turn)?;
                    let answer =
                        state.answers.pop_front().ok_or("the script has too few answers: add one")?;
                    state.coming = Some(Answer { at: Instant::now() + WRITING, body: answer, context });
                }
                LoopAction::RunCalls(calls) => self.run(CallOrigin::Model, calls, &state),
                LoopAction::RenewLease { lease_id } => {
                    let call = self.lease_call("canvas_renew_lease", lease_id)?;
                    self.run(CallOrigin::Renewal(lease_id), vec![call], &state);
                }
                LoopAction::ReleaseLease { lease_id } => {
                    let call = self.lease_call(CHECK_IN, lease_id)?;
                    self.run(CallOrigin::Release(lease_id), vec![call], &state);
                }
                LoopAction::Wait { until } => {
                    if state.stopped {
                        state.stopped = false;
                        self.reached(Milestone::Stopped);
                    }
                    let incoming = self.wait(&mut state, until).await;
                    self.handle(incoming, &mut turn, &mut state).await?;
                }
                LoopAction::Done(outcome) => break outcome,
            }
        };
        self.history = turn.into_events();
        self.end(&outcome).await
    }

    async fn wait(&mut self, state: &mut TurnState, until: Option<Timestamp>) -> Incoming {
        let due = until.map(|until| until.saturating_duration_since(now()));
        let due = due.map(|wait| Instant::now() + wait);
        let coming = state.coming.as_ref().map(|answer| answer.at);
        tokio::select! {
            () = at(coming) => Incoming::Answer,
            Some(reply) = state.replies.recv() => Incoming::Reply(Box::new(reply)),
            notice = self.listener.next() => Incoming::Notification(notice),
            () = self.engine.store().held() => Incoming::Held,
            order = self.orders.recv() => Incoming::Order(order),
            () = at(due) => Incoming::Due,
        }
    }

    async fn handle(
        &mut self,
        incoming: Incoming,
        turn: &mut ToolLoop,
        state: &mut TurnState,
    ) -> StoryResult {
        match incoming {
            Incoming::Answer => {
                let Some(answer) = state.coming.take() else { return Ok(()) };
                let answer = Provider::Anthropic.decode(&answer.body, &answer.context)?;
                if !answer.text().is_empty() {
                    self.print(format!("model: “{}”", answer.text()));
                }
                turn.on_response(answer)?;
            }
            Incoming::Reply(reply) => {
                let (origin, call, reply) = *reply;
                self.show(origin, &call, &reply)?;
                match origin {
                    CallOrigin::Model => turn.on_reply(&call.id, reply)?,
                    // The lease may have been lost in the meantime; then nothing waits for this.
                    CallOrigin::Renewal(lease_id) => drop(turn.on_renewed(lease_id, &reply)),
                    CallOrigin::Release(lease_id) => turn.on_released(lease_id)?,
                }
            }
            Incoming::Notification(Notification::Preempted { canvas, .. })
                if canvas == self.session.canvas =>
            {
                self.on_preemption(turn, state).await?;
            }
            // Notices may have been missed before, so look.
            Incoming::Notification(Notification::Listening) => self.on_preemption(turn, state).await?,
            Incoming::Notification(_) | Incoming::Due => {}
            Incoming::Held => {
                self.print(
                    "  the network is slow: it has left this server and is not at the database".into(),
                );
                self.reached(Milestone::OnItsWay);
            }
            Incoming::Order(Some(Order::ReleaseCommit)) => {
                self.print("the late write arrives at the database".into());
                self.engine.store().release();
            }
            Incoming::Order(Some(order)) => {
                return Err(format!("{order:?} cannot be taken while the model works: report this").into());
            }
            Incoming::Order(None) => return Err("the coordinator is gone".into()),
        }
        Ok(())
    }

    /// Somebody may have preempted the lease somewhere. An edit leaves the turn to the model, which learns of it by its next
    /// call; a message ends the turn.
    async fn on_preemption(&mut self, turn: &mut ToolLoop, state: &mut TurnState) -> StoryResult {
        self.engine.forget(&self.session.canvas);
        let head = self.snapshot().await?.head;
        // This server's own acts come back as notices too.
        if head.lock().epoch() <= self.epoch {
            return Ok(());
        }
        self.epoch = head.lock().epoch();
        if head.lock().turn() == self.session.turn && head.lock().is_turn_open() {
            self.print(format!(
                "has a notice of epoch {}: somebody has typed, the lease is over, the turn is not",
                self.epoch
            ));
            self.reached(Milestone::HeardTyping);
            return Ok(());
        }
        self.print(format!(
            "has a notice of epoch {}: the turn is over, the loop is interrupted",
            self.epoch
        ));
        turn.interrupt(Interruption::UserMessage);
        (state.coming, state.stopped) = (None, true);
        Ok(())
    }

    /// Runs calls in their order, beside the loop, which has to learn of a preemption while they run. A task of its own also
    /// brings each call to its end, whatever becomes of those who wait for it.
    fn run(&self, origin: CallOrigin, calls: Vec<ToolCall>, state: &TurnState) {
        let (engine, tools) = (Arc::clone(&self.engine), Arc::clone(&self.tools));
        let (mut session, reply) = (self.session.clone(), state.reply.clone());
        let slow = self.script.slow;
        if let Some(call) = calls.iter().find(|call| slow == Some(call.id.as_str())) {
            self.print("model: one more write leaves for the database:".into());
            self.show_patch(call);
        }
        tokio::spawn(async move {
            for call in calls {
                if slow == Some(call.id.as_str()) {
                    engine.store().hold_next();
                }
                let answer = tools.call(&engine, &mut session, &call, now()).await;
                // A loop that has ended takes no more replies.
                let _ = reply.send((origin, call, answer));
            }
        });
    }

    fn lease_call(&mut self, name: &str, lease_id: LeaseId) -> StoryResult<ToolCall> {
        let id = self.ids.fresh().into();
        Ok(ToolCall { id, name: name.into(), arguments: json!({"lease_id": lease_id}) })
    }

    /// Prints a reply, and reports revisions and refusals.
    fn show(&self, origin: CallOrigin, call: &ToolCall, reply: &ToolReply) -> StoryResult {
        let by = if origin == CallOrigin::Model { "model" } else { "loop" };
        let name = call.name.strip_prefix("canvas_").unwrap_or(&call.name);
        let reported = call.arguments["lease_id"].as_str().or_else(|| reply.lease_id());
        let lease: LeaseId =
            reported.ok_or_else(|| format!("{name} got no lease: {}", reply.body()))?.parse()?;
        let (epoch, what) = (lease.epoch(), format!("“{}”", added(call)));
        match (reply.code(), reply.body()["new_revision_id"].as_str()) {
            // Only on a slow machine does the loop renew, and the output is the same on each. The release waits, as each call
            // does, for the commit that is under way, and is answered before the write or after it.
            _ if matches!(origin, CallOrigin::Renewal(_)) => {}
            (Some(_), _) if matches!(origin, CallOrigin::Release(_)) => {}
            (Some(code), _) => {
                let message = reply.body()["error"]["message"].as_str().unwrap_or_default();
                self.print(format!("{by}: {name} under {lease} is refused: {code}"));
                self.print(format!("  {}", message.split(':').next().unwrap_or_default()));
                self.emit(ServerEvent::Refused(Refused { code: code.to_owned(), epoch, what }));
            }
            (None, Some(revision)) => {
                let revision: RevisionId = revision.parse()?;
                self.print(format!("{by}: {name} under {lease}: {revision}"));
                self.show_patch(call);
                self.emit(ServerEvent::Written(Written { revision, epoch, who: "model".into(), what }));
            }
            (None, None) => self.print(format!("{by}: {name}: {lease}")),
        }
        Ok(())
    }

    /// Encodes the request that would go over the wire, since every history must make one; returns what the answer is read with.
    fn encode(&self, turn: &ToolLoop) -> StoryResult<AnswerContext> {
        let (system, tools) = (self.tools.system_prompt(&self.engine), self.tools.specs(&self.engine));
        let options = RequestOptions::default();
        let request = Provider::Anthropic.request(
            &Provider::Anthropic.issuer("scripted"),
            &system,
            &tools,
            turn.events(),
            &options,
        )?;
        Ok(request.context)
    }

    fn show_patch(&self, call: &ToolCall) {
        changed(call).for_each(|line| self.print(format!("    | {line}")));
    }

    /// The turn is over, however it ended.
    async fn end(&mut self, outcome: &Outcome) -> StoryResult {
        let call = self.ids.fresh();
        let ended = self.session.end_turn(&self.engine, call, now()).await?;
        let draft = match ended.promotion {
            Promotion::Promoted => "the draft becomes the artefact",
            Promotion::Unchanged => "there is nothing to promote",
            Promotion::Deferred => "its draft is not promoted, since a user has preempted it",
        };
        self.print(format!("turn {} has ended, {}: {draft}", self.session.turn.get(), outcome.name()));
        if let Some(hidden) = ended.hidden_message {
            let lines = hidden.lines().count();
            self.print(format!("  a hidden message of {lines} lines has the changes since"));
            self.history.push(Event::user(hidden));
        }
        self.reached(Milestone::TurnEnded);
        Ok(())
    }
}

/// The lines that a call's patch removes and adds.
fn changed(call: &ToolCall) -> impl Iterator<Item = &str> {
    let patch = call.arguments["patch"].as_str().unwrap_or_default();
    patch.lines().filter(|line| line.starts_with(['+', '-']))
}

/// The line that a call's patch adds; in this story there is one.
fn added(call: &ToolCall) -> &str {
    changed(call).find_map(|line| line.strip_prefix('+')).unwrap_or_default()
}

/// Waits until this time; without one, forever.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
