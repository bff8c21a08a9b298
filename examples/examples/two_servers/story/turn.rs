//! A model's turn on one server: the tool loop does no input or output, so the host here waits for whatever comes
//! first: the model's answer, a reply, a notice from another server.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::{Promotion, RevisionId};
use canvas_examples::postgres::Notice;
use canvas_providers::{
    Event, Interruption, LoopAction, LoopOptions, Outcome, Provider, Renames, RequestOptions, ToolLoop,
};
use canvas_tools::{CHECK_IN, ToolCall, ToolReply, call_document_tool, document_tools, system_prompt};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until};

use super::place::now;
use super::server::Server;
use super::words::{Mark, Refused, Wrote};
use super::{Order, Told, Word};

/// How long the model writes an answer.
const WRITING: Duration = Duration::from_millis(60);

/// Whose call it is: the model's, or one that the loop makes by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errand {
    Call,
    Renewal(LeaseId),
    Release(LeaseId),
}

type Replies = (Errand, ToolCall, ToolReply);

/// What has come.
enum News {
    Answer,
    Reply(Replies),
    Notice(Notice),
    /// The slow commit has left.
    Left,
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
    renames: Renames,
}

/// What is under way.
struct Desk {
    answers: VecDeque<Value>,
    coming: Option<Answer>,
    replies: UnboundedReceiver<Replies>,
    reply: UnboundedSender<Replies>,
    /// Leases that are being given back.
    releases: usize,
    /// The loop was stopped, and the stage does not know yet.
    stopped: bool,
}

impl Server {
    /// The model answers the message.
    pub(super) async fn answer(&mut self) -> Told {
        let mut turn = ToolLoop::new(LoopOptions::default(), mem::take(&mut self.history));
        let (reply, replies) = unbounded_channel();
        let answers = self.part.answers()?.into();
        let mut desk = Desk { answers, coming: None, replies, reply, releases: 0, stopped: false };
        let outcome = loop {
            match turn.poll(now()) {
                LoopAction::SendRequest => {
                    let renames = encode(&turn)?;
                    let answer = desk.answers.pop_front().ok_or("the script has too few answers: add one")?;
                    desk.coming = Some(Answer { at: Instant::now() + WRITING, body: answer, renames });
                }
                LoopAction::RunCalls(calls) => self.run(Errand::Call, calls, &desk),
                LoopAction::RenewLease { lease_id } => {
                    let call = self.lease_call("canvas_renew_lease", lease_id)?;
                    self.run(Errand::Renewal(lease_id), vec![call], &desk);
                }
                LoopAction::ReleaseLease { lease_id } => {
                    desk.releases += 1;
                    let call = self.lease_call(CHECK_IN, lease_id)?;
                    self.run(Errand::Release(lease_id), vec![call], &desk);
                }
                LoopAction::Wait { until } => {
                    if desk.stopped && desk.releases == 0 {
                        desk.stopped = false;
                        self.reached(Mark::Stopped);
                    }
                    let news = self.wait(&mut desk, until).await;
                    self.take(news, &mut turn, &mut desk).await?;
                }
                LoopAction::Done(outcome) => break outcome,
            }
        };
        self.history = turn.into_events();
        self.end(&outcome).await
    }

    async fn wait(&mut self, desk: &mut Desk, until: Option<Timestamp>) -> News {
        let due = until.map(|until| until.saturating_since(now()));
        let due = due.map(|wait| Instant::now() + wait);
        let coming = desk.coming.as_ref().map(|answer| answer.at);
        tokio::select! {
            () = at(coming) => News::Answer,
            Some(reply) = desk.replies.recv() => News::Reply(reply),
            notice = self.listener.next() => News::Notice(notice),
            () = self.engine.store().left() => News::Left,
            order = self.orders.recv() => News::Order(order),
            () = at(due) => News::Due,
        }
    }

    async fn take(&mut self, news: News, turn: &mut ToolLoop, desk: &mut Desk) -> Told {
        match news {
            News::Answer => {
                let Some(answer) = desk.coming.take() else { return Ok(()) };
                let answer = Provider::Anthropic.decode(&answer.body, &answer.renames)?;
                if !answer.text().is_empty() {
                    self.say(format!("model: “{}”", answer.text()));
                }
                turn.on_response(answer)?;
            }
            News::Reply((errand, call, reply)) => {
                self.show(errand, &call, &reply)?;
                match errand {
                    Errand::Call => turn.on_reply(&call.id, reply)?,
                    // It may have been lost in the meantime, and is no longer in question.
                    Errand::Renewal(lease_id) => drop(turn.on_renewed(lease_id, &reply)),
                    Errand::Release(lease_id) => {
                        desk.releases -= 1;
                        turn.on_released(lease_id)?;
                    }
                }
            }
            News::Notice(Notice::Preempted { canvas, .. }) if canvas == self.session.canvas => {
                self.hear(turn, desk).await?;
            }
            // What was missed is found by looking.
            News::Notice(Notice::Listening) => self.hear(turn, desk).await?,
            News::Notice(_) | News::Due => {}
            News::Left => {
                self.say("  the network is slow: it has left this server and not arrived".into());
                self.reached(Mark::OnItsWay);
            }
            News::Order(Some(Order::LetGo)) => {
                self.say("the late write arrives at the database".into());
                self.engine.store().let_go();
            }
            News::Order(Some(order)) => {
                return Err(format!("{order:?} is not for a server whose model works: report this").into());
            }
            News::Order(None) => return Err("the stage is gone".into()),
        }
        Ok(())
    }

    /// Somebody has stepped in somewhere. An edit leaves the turn to the model, which will be told by its next call;
    /// a message ends the turn.
    async fn hear(&mut self, turn: &mut ToolLoop, desk: &mut Desk) -> Told {
        self.engine.forget(&self.session.canvas);
        let head = self.snapshot().await?.head;
        // This server's own acts come back as notices too.
        if head.lock().epoch() <= self.epoch {
            return Ok(());
        }
        self.epoch = head.lock().epoch();
        if head.lock().turn() == self.session.turn && head.lock().turn_open() {
            self.say(format!(
                "hears of epoch {}: somebody has typed, the lease is over, the turn is not",
                self.epoch
            ));
            self.reached(Mark::HeardTyping);
            return Ok(());
        }
        self.say(format!("hears of epoch {}: the turn is over, the loop is interrupted", self.epoch));
        turn.interrupt(Interruption::UserMessage);
        (desk.coming, desk.stopped) = (None, true);
        Ok(())
    }

    /// Runs calls in their order, beside the loop: it must hear of a preemption while they are on their way.
    fn run(&self, errand: Errand, calls: Vec<ToolCall>, desk: &Desk) {
        let (engine, session, reply) = (Arc::clone(&self.engine), self.session.clone(), desk.reply.clone());
        let slow = self.part.slow;
        if let Some(call) = calls.iter().find(|call| slow == Some(call.id.as_str())) {
            self.say("model: one more write leaves for the database:".into());
            self.show_patch(call);
        }
        tokio::spawn(async move {
            for call in calls {
                if slow == Some(call.id.as_str()) {
                    engine.store().keep_next();
                }
                let answer = call_document_tool(&engine, &session, &call, now()).await;
                // A loop that has ended asks no more.
                let _ = reply.send((errand, call, answer));
            }
        });
    }

    fn lease_call(&mut self, name: &str, lease_id: LeaseId) -> Told<ToolCall> {
        let id = self.call_id()?.as_str().to_owned();
        Ok(ToolCall { id, name: name.into(), arguments: json!({"lease_id": lease_id}) })
    }

    /// What a reply looks like to the reader, and what of it the stage keeps.
    fn show(&self, errand: Errand, call: &ToolCall, reply: &ToolReply) -> Told {
        let by = if errand == Errand::Call { "model" } else { "loop" };
        let name = call.name.strip_prefix("canvas_").unwrap_or(&call.name);
        let told = call.arguments["lease_id"].as_str().or_else(|| reply.lease_id());
        let lease: LeaseId = told.ok_or_else(|| format!("{name} got no lease: {}", reply.body()))?.parse()?;
        let (epoch, what) = (lease.epoch(), format!("“{}”", added(call)));
        match (reply.code(), reply.body()["new_revision_id"].as_str()) {
            // Only a slow machine makes the loop renew, and the story is the same on each.
            _ if matches!(errand, Errand::Renewal(_)) => {}
            (Some(code), _) if matches!(errand, Errand::Release(_)) => {
                self.say(format!("{by}: {name} of {lease}, which is over already ({code})"));
            }
            (Some(code), _) => {
                let message = reply.body()["error"]["message"].as_str().unwrap_or_default();
                self.say(format!("{by}: {name} under {lease} is refused: {code}"));
                self.say(format!("  {}", message.split(':').next().unwrap_or_default()));
                self.voice(Word::Refused(Refused { code: code.to_owned(), epoch, what }));
            }
            (None, Some(revision)) => {
                let revision: RevisionId = revision.parse()?;
                self.say(format!("{by}: {name} under {lease}: {revision}"));
                self.show_patch(call);
                self.voice(Word::Wrote(Wrote { revision, epoch, who: "model".into(), what }));
            }
            (None, None) => self.say(format!("{by}: {name}: {lease}")),
        }
        Ok(())
    }

    fn show_patch(&self, call: &ToolCall) {
        changed(call).for_each(|line| self.say(format!("    | {line}")));
    }

    /// The turn is over, however it ended.
    async fn end(&mut self, outcome: &Outcome) -> Told {
        let call = self.call_id()?;
        let ended = self.session.end_turn(&self.engine, call, now()).await?;
        let draft = match ended.promotion {
            Promotion::Promoted => "the draft becomes the artefact",
            Promotion::Unchanged => "there is nothing to promote",
            Promotion::StaleEpoch => "its draft is not promoted, for a user came between",
        };
        self.say(format!("turn {} has ended, {}: {draft}", self.session.turn.get(), outcome.name()));
        if let Some(hidden) = ended.hidden_message {
            let lines = hidden.lines().count();
            self.say(format!("  a hidden message of {lines} lines tells its chat what has changed since"));
            self.history.push(Event::user(hidden));
        }
        self.reached(Mark::TurnEnded);
        Ok(())
    }
}

/// The lines that a call's patch removes and adds.
fn changed(call: &ToolCall) -> impl Iterator<Item = &str> {
    let patch = call.arguments["patch"].as_str().unwrap_or_default();
    patch.lines().filter(|line| line.starts_with(['+', '-']))
}

/// What a call's patch adds, in this story one line.
fn added(call: &ToolCall) -> &str {
    changed(call).find_map(|line| line.strip_prefix('+')).unwrap_or_default()
}

/// Encodes the request that would go over the wire, since every history must make one; returns its renames.
fn encode(turn: &ToolLoop) -> Told<Renames> {
    let tools = document_tools();
    let options = RequestOptions::default();
    let system = system_prompt(&tools);
    let request = Provider::Anthropic.request("scripted", &system, &tools, turn.events(), &options)?;
    Ok(request.renames)
}

/// Waits until then, or for ever.
async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
