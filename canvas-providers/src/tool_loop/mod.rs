//! The tool loop of one turn, without input or output of its own.

mod action;
mod answer;
mod error;
mod leases;
mod log;
mod options;
mod overflow;

use std::collections::BTreeSet;

use canvas_tools::lease::{LeaseId, Timestamp};
use canvas_tools::{ToolCall, ToolReply};

pub use self::action::{Interruption, LoopAction, Outcome};
pub use self::error::LoopError;
pub use self::log::{CallName, LogEntry, LogEvent};
pub use self::options::LoopOptions;

use self::answer::{Judgement, Next};
use self::leases::Leases;
use crate::decoded::{DecodeError, Decoded};
use crate::encoded::EncodeError;
use crate::event::{Body, Event};
use crate::names::UniqueIds;
use crate::not_executed::NotExecuted;
use crate::stream_event::StreamEvent;
use crate::usage::Usage;

/// One turn of a model: requests and calls in turn until there are no more calls.
///
/// The host polls until it gets [`LoopAction::Wait`] or [`LoopAction::Done`], does each action before these, and reports.
/// Reports that were not asked for are refused and change nothing. The loop takes leases from
/// [`ToolReply::lease_change`], asks for their renewal while it waits, and for the release of each before it is done,
/// however the turn ends. At every moment its events, repaired, make a valid request.
///
/// It does not know which canvas a lease is for. [`Turn`](crate::Turn) drives one for hosts that run futures.
///
/// # Requests and calls that fail
///
/// A failure that is reported ends the turn: [`ToolLoop::on_transport_error`] and [`ToolLoop::on_unusable`] where nothing came,
/// [`ToolLoop::on_response`] where the answer broke off, which keeps what came of it. A host that wants to try again sends the
/// same request before it reports one, drops what the failed attempt brought, and counts it by [`ToolLoop::on_retry`].
/// A call whose reply never came is run again as it is: by its id it is answered as the first time.
///
/// # Leases and narrative
///
/// A lease is renewed while an answer comes, unless that has brought only text so far: a lease whose renewal is due then is
/// released, so that nobody waits for a model that narrates. The host tells what comes by [`ToolLoop::on_stream_event`];
/// without it nothing is known of an answer before its end.
///
/// # A turn that is dropped
///
/// A loop that is dropped before [`LoopAction::Done`] releases nothing: its lease keeps others out until it expires,
/// 15 seconds after the last call by default, and its draft is promoted by the user's next message. Web servers drop the
/// future of a request when the client goes away, and a task that is aborted ends in the same way. So a host spawns the
/// turn as a task of its own and lets the request wait for that task, which goes on alone:
///
/// ```text
/// let turn = tokio::spawn(async move { drive(tool_loop, session).await });
/// // Dropping the handle leaves the task running.
/// let ended = turn.await?;
/// ```
///
/// Whoever wants to end a turn early calls [`ToolLoop::interrupt`] inside that task and drives it on to its end. The same
/// holds for each call: one that is dropped while it commits may or may not have been done, and the same call again, by
/// the same id, is answered as the first one.
#[derive(Debug)]
pub struct ToolLoop {
    options: LoopOptions,
    events: Vec<Event>,
    ids: UniqueIds,
    state: State,
    leases: Leases,
    /// Calls that were handed out and then interrupted: of their replies only the leases count.
    abandoned: BTreeSet<String>,
    /// Until when the replies to abandoned calls are awaited; set by the first poll after the end.
    abandoned_until: Option<Timestamp>,
    answered: BTreeSet<String>,
    log: Vec<LogEntry>,
    step: u32,
    usage: Usage,
    /// Answers in a row that did not advance the turn.
    stalls: u32,
    /// How the turn ends once the calls have run, whatever they say.
    ending: Option<Outcome>,
    coming: Coming,
}

/// What has come of the answer that is under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    /// Nothing, or thinking.
    Nothing,
    Text,
    Call,
}

#[derive(Debug)]
enum State {
    /// A request is to be sent.
    Ready,
    /// A request is under way.
    Asked,
    /// Calls are to be run.
    Called(Vec<ToolCall>),
    /// Calls are being run; these have no reply yet.
    Running(Vec<ToolCall>),
    /// The turn has ended. Leases may still have to be released.
    Over(Outcome),
}

impl ToolLoop {
    /// A turn that continues this history, whose last event is mostly the user's message.
    pub fn new(options: LoopOptions, history: Vec<Event>) -> Self {
        let mut ids = UniqueIds::default();
        for call in history.iter().filter_map(Event::call) {
            ids.claim(&call.id);
        }
        Self {
            options,
            events: history,
            ids,
            state: State::Ready,
            leases: Leases::default(),
            abandoned: BTreeSet::new(),
            abandoned_until: None,
            answered: BTreeSet::new(),
            log: Vec::new(),
            step: 0,
            usage: Usage::default(),
            stalls: 0,
            ending: None,
            coming: Coming::Nothing,
        }
    }

    /// The next action at this time. Each request, call and release is asked for once.
    pub fn poll(&mut self, now: Timestamp) -> LoopAction {
        let ttl = self.options.lease.ttl;
        self.leases.schedule(now, ttl);
        if let Some(outcome) = self.bound().filter(|_| matches!(self.state, State::Ready)) {
            self.end(outcome);
        }
        match &mut self.state {
            State::Ready => {
                self.state = State::Asked;
                self.coming = Coming::Nothing;
                self.step += 1;
                self.record(LogEvent::Request);
                LoopAction::SendRequest
            }
            State::Called(calls) => {
                let calls = std::mem::take(calls);
                self.state = State::Running(calls.clone());
                let names =
                    calls.iter().map(|call| CallName { id: call.id.clone(), name: call.name.clone() });
                self.record(LogEvent::Calls { calls: names.collect() });
                LoopAction::RunCalls(calls)
            }
            State::Asked if self.coming == Coming::Text => match self.leases.release_due(now, ttl) {
                Some(lease_id) => {
                    self.record(LogEvent::Release { lease_id });
                    LoopAction::ReleaseLease { lease_id }
                }
                None => LoopAction::Wait { until: self.leases.next_renewal() },
            },
            State::Asked | State::Running(_) => match self.leases.renewal(now, ttl) {
                Some(lease_id) => {
                    self.record(LogEvent::Renew { lease_id });
                    LoopAction::RenewLease { lease_id }
                }
                None => LoopAction::Wait { until: self.leases.next_renewal() },
            },
            State::Over(outcome) => {
                let outcome = outcome.clone();
                if let Some(lease_id) = self.leases.release(now, ttl) {
                    self.record(LogEvent::Release { lease_id });
                    LoopAction::ReleaseLease { lease_id }
                } else if let Some(until) = self.leases.releasing_until(now) {
                    LoopAction::Wait { until: Some(until) }
                } else if let Some(until) = self.abandoned_until(now) {
                    LoopAction::Wait { until: Some(until) }
                } else {
                    LoopAction::Done(outcome)
                }
            }
        }
    }

    /// Takes a piece of the answer that is coming: what it is decides whether leases are kept meanwhile. Without effect where
    /// no request is under way.
    pub fn on_stream_event(&mut self, event: &StreamEvent<'_>) {
        match event {
            StreamEvent::Call { .. } | StreamEvent::Arguments { .. } => self.coming = Coming::Call,
            StreamEvent::Text { delta, .. } if self.coming == Coming::Nothing && !delta.trim().is_empty() => {
                self.coming = Coming::Text;
            }
            StreamEvent::Text { .. } | StreamEvent::Thinking { .. } | StreamEvent::Unknown { .. } => {}
        }
    }

    /// Takes the answer to the request. One with a [`failure`](Decoded::failure) ends the turn.
    ///
    /// Calls whose id was used before get a fresh one, in the events and for the host.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_response(&mut self, mut answer: Decoded) -> Result<(), LoopError> {
        self.expect_request()?;
        self.usage += answer.usage;
        for event in &mut answer.events {
            if let Body::ToolCall(call) = &mut event.body
                && let Some(fresh) = self.ids.claim(&call.id)
            {
                call.id = fresh;
            }
        }
        let Judgement { run, refuse, next } = answer::judge(&answer);
        self.record(LogEvent::Response {
            raw_stop_reason: answer.raw_stop_reason.take(),
            calls: answer.calls().count(),
            usage: answer.usage,
            failure: answer.failure.as_ref().map(DecodeError::code),
        });
        self.events.append(&mut answer.events);
        for (call, why) in refuse {
            self.answer_not_executed(&call.id, &call.name, why);
        }
        match next {
            Next::End(outcome) if run.is_empty() => return self.end_with(outcome),
            Next::End(outcome) => self.ending = Some(outcome),
            Next::Stall(outcome) if self.stalls == self.options.max_stalls => return self.end_with(outcome),
            Next::Stall(_) => self.stalls += 1,
            Next::GoOn => self.stalls = 0,
        }
        self.state = if run.is_empty() { State::Ready } else { State::Called(run) };
        Ok(())
    }

    /// Takes an attempt that failed and of which nothing is kept, since the host sends the same request again: what it cost
    /// counts. The request stays under way.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_retry(&mut self, code: &'static str, usage: Usage) -> Result<(), LoopError> {
        self.expect_request()?;
        self.usage += usage;
        self.coming = Coming::Nothing;
        self.record(LogEvent::Retry { code, usage });
        Ok(())
    }

    /// Takes an answer that could not be decoded: the turn ends.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_unusable(&mut self, error: &DecodeError) -> Result<(), LoopError> {
        self.expect_request()?;
        self.end_with(answer::unusable(error))
    }

    /// Takes the report that no request can be made: the turn ends.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_unsendable(&mut self, error: &EncodeError) -> Result<(), LoopError> {
        self.expect_request()?;
        self.end_with(Outcome::Unusable {
            code: error.code(),
            message: error.to_string(),
            retryable: error.retryable(),
        })
    }

    /// Takes the failure of a request: the turn ends.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_transport_error(
        &mut self,
        message: impl Into<String>,
        retryable: bool,
    ) -> Result<(), LoopError> {
        self.expect_request()?;
        self.end_with(Outcome::TransportFailed { message: message.into(), retryable })
    }

    /// Takes the reply to one call. A reply after an interruption changes no events, but it may bring a lease: poll again
    /// after it.
    ///
    /// # Errors
    /// If no such call was handed out, or it has its answer.
    pub fn on_reply(&mut self, call_id: &str, reply: ToolReply) -> Result<(), LoopError> {
        self.expect_call(call_id)?;
        self.take_reply(call_id, reply);
        Ok(())
    }

    /// Takes the report that a call was handed out, has not begun and will not. It is answered as interrupted, and the loop
    /// goes on without a reply to it.
    ///
    /// # Errors
    /// As [`ToolLoop::on_reply`].
    pub fn on_not_run(&mut self, call_id: &str) -> Result<(), LoopError> {
        self.expect_call(call_id)?;
        if self.abandoned.remove(call_id) {
            return Ok(());
        }
        if let Some(call) = self.close(call_id) {
            self.answer_not_executed(&call.id, &call.name, NotExecuted::Interrupted);
        }
        Ok(())
    }

    /// Takes the reply to a renewal.
    ///
    /// # Errors
    /// If the lease is not held.
    pub fn on_renewed(&mut self, lease_id: LeaseId, reply: &ToolReply) -> Result<(), LoopError> {
        if !self.leases.is_held(lease_id) {
            return Err(LoopError::UnknownLease { lease_id });
        }
        self.leases.observe_reply(reply.lease_change());
        Ok(())
    }

    /// Takes the end of a release, whether it succeeded or not.
    ///
    /// # Errors
    /// If that was not asked for.
    pub fn on_released(&mut self, lease_id: LeaseId) -> Result<(), LoopError> {
        if self.leases.released(lease_id) { Ok(()) } else { Err(LoopError::UnknownLease { lease_id }) }
    }

    /// Ends the turn for the user. Calls without a reply are answered as interrupted. After the end of the turn it has
    /// no effect.
    pub fn interrupt(&mut self, cause: Interruption) {
        let (calls, handed_out) = match std::mem::replace(&mut self.state, State::Ready) {
            State::Over(outcome) => {
                self.state = State::Over(outcome);
                return;
            }
            State::Called(calls) => (calls, false),
            State::Running(calls) => (calls, true),
            State::Ready | State::Asked => (Vec::new(), false),
        };
        for call in calls {
            self.answer_not_executed(&call.id, &call.name, NotExecuted::Interrupted);
            if handed_out {
                self.abandoned.insert(call.id);
            }
        }
        self.end(Outcome::Interrupted { cause });
    }

    /// The whole history: the events that the loop began with, answers and results.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The whole history, for the next turn.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }

    /// What all answers of the turn have cost so far, those that were not used included.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Every action and report so far.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// The leases that are held according to the replies.
    pub fn leases(&self) -> impl Iterator<Item = LeaseId> {
        self.leases.held()
    }

    /// Until when to wait for calls that were under way at the interruption: each may still bring a lease. The wait is one
    /// lifetime of a lease.
    fn abandoned_until(&mut self, now: Timestamp) -> Option<Timestamp> {
        if self.abandoned.is_empty() {
            return None;
        }
        let lifetime = self.options.lease.ttl;
        let until = *self.abandoned_until.get_or_insert_with(|| now.saturating_add(lifetime));
        (now < until).then_some(until)
    }

    fn record(&mut self, event: LogEvent) {
        self.log.push(LogEntry { step: self.step, event });
    }

    fn end(&mut self, outcome: Outcome) {
        self.record(LogEvent::End { outcome: outcome.clone() });
        self.state = State::Over(outcome);
    }

    fn end_with(&mut self, outcome: Outcome) -> Result<(), LoopError> {
        self.end(outcome);
        Ok(())
    }

    /// What forbids another request.
    fn bound(&self) -> Option<Outcome> {
        let tokens = self.usage.input_tokens.saturating_add(self.usage.output_tokens);
        if let Some(ending) = &self.ending {
            Some(ending.clone())
        } else if self.step >= self.options.max_steps {
            Some(Outcome::MaxSteps)
        } else {
            self.options.max_tokens.filter(|max| tokens >= *max).map(|_| Outcome::MaxTokens)
        }
    }

    fn expect_request(&self) -> Result<(), LoopError> {
        if matches!(self.state, State::Asked) { Ok(()) } else { Err(LoopError::NoRequest) }
    }

    fn expect_call(&self, call_id: &str) -> Result<(), LoopError> {
        let running = match &self.state {
            State::Running(calls) => calls.iter().any(|call| call.id == call_id),
            _ => false,
        };
        if running || self.abandoned.contains(call_id) {
            Ok(())
        } else if self.answered.contains(call_id) {
            Err(LoopError::AlreadyAnswered { call_id: call_id.to_owned() })
        } else {
            Err(LoopError::UnknownCall { call_id: call_id.to_owned() })
        }
    }

    /// The call is known to be open.
    fn take_reply(&mut self, call_id: &str, reply: ToolReply) {
        self.leases.observe_reply(reply.lease_change());
        if self.abandoned.remove(call_id) {
            return;
        }
        let Some(call) = self.close(call_id) else { return };
        self.answered.insert(call_id.to_owned());
        self.record(LogEvent::Reply { call_id: call_id.to_owned(), ok: reply.is_ok() });
        self.events.push(Event::result(call.id, call.name, reply.body().clone()));
    }

    /// Takes a call that is being run off the list. After the last one comes the next request.
    fn close(&mut self, call_id: &str) -> Option<ToolCall> {
        let State::Running(calls) = &mut self.state else { return None };
        let index = calls.iter().position(|call| call.id == call_id)?;
        let call = calls.remove(index);
        if calls.is_empty() {
            self.state = State::Ready;
        }
        Some(call)
    }

    fn answer_not_executed(&mut self, id: &str, name: &str, why: NotExecuted) {
        self.answered.insert(id.to_owned());
        self.record(LogEvent::NotExecuted { call_id: id.to_owned(), code: why.code() });
        self.events.push(why.answer(id, name));
    }
}
