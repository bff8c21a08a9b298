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
use canvas_tools::{CodedError, ToolCall, ToolReply};

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

/// One turn of a model: alternating requests and calls until there are no more calls.
///
/// The host polls until it gets [`LoopAction::Wait`] or [`LoopAction::Done`], performs each action returned before
/// these, and reports the result. Reports that the loop did not request return an error and have no effect. The loop
/// learns of leases from [`ToolReply::lease_change`], requests their renewal while it waits, and requests the release
/// of each lease before it is done, however the turn ends. Its events, once repaired, make a valid request at any time.
///
/// The loop does not know which canvas a lease is for. If your host runs futures, use [`TurnDriver`](crate::TurnDriver), which
/// drives a loop.
///
/// # Requests and calls that fail
///
/// A reported failure ends the turn. Report it with [`ToolLoop::on_transport_error`] or [`ToolLoop::on_unusable`] if no
/// answer arrived, and with [`ToolLoop::on_response`] if the answer broke off; the latter keeps the parts that arrived.
/// To retry instead, send the same request again before you report a failure, discard the partial answer of the failed
/// attempt, and count its usage with [`ToolLoop::on_retry`]. If the reply to a call never arrived, run the same call
/// again: its id makes it return the first result.
///
/// # Leases and narrative
///
/// A lease is renewed while an answer arrives, unless the answer consists only of text so far. In that case, the lease
/// is released when a renewal is due, so that others do not wait for a model that narrates. Report the pieces of the
/// answer with [`ToolLoop::on_stream_event`]. Without it, the loop cannot see an answer before its end.
///
/// # A turn that is dropped
///
/// If a loop is dropped before [`LoopAction::Done`], it releases no lease. The lease then blocks others until it
/// expires, which is 15 seconds after the last call by default, and the user's next message promotes its draft. Web
/// servers drop the future of a request when the client disconnects, and an aborted task has the same effect. You
/// should therefore spawn the turn as its own task and let the request wait for that task, which continues if the
/// request is dropped:
///
/// ```text
/// let turn = tokio::spawn(async move { drive(tool_loop, session).await });
/// // Dropping the handle leaves the task running.
/// let ended = turn.await?;
/// ```
///
/// To end a turn early, call [`ToolLoop::interrupt`] inside that task and drive the loop to its end. The same applies
/// to each call. If a call is dropped while it commits, it may or may not have been applied; running the same call
/// again, with the same id, returns the result of the first one.
#[derive(Debug)]
pub struct ToolLoop {
    options: LoopOptions,
    events: Vec<Event>,
    ids: UniqueIds,
    state: State,
    leases: Leases,
    /// Calls handed out and then interrupted. Only the leases in their replies count.
    abandoned: BTreeSet<String>,
    /// The time until which replies to abandoned calls are awaited. The first poll after the end sets it.
    abandoned_until: Option<Timestamp>,
    answered: BTreeSet<String>,
    log: Vec<LogEntry>,
    step: u32,
    usage: Usage,
    /// Consecutive answers that did not advance the turn.
    stalls: u32,
    /// The outcome to end with once the calls have run, whatever their replies are.
    ending: Option<Outcome>,
    coming: Coming,
}

/// The kind of content that the answer under way has so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    /// Empty, or thinking only.
    Nothing,
    Text,
    Call,
}

#[derive(Debug)]
enum State {
    /// A request has to be sent.
    Ready,
    /// A request is under way.
    Asked,
    /// Calls have to be run.
    Called(Vec<ToolCall>),
    /// Calls are running; these do not have a reply yet.
    Running(Vec<ToolCall>),
    /// The turn ended, but leases may still have to be released.
    Over(Outcome),
}

impl ToolLoop {
    /// Creates a loop that continues this history, whose last event is usually the user's message.
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

    /// Returns the next action at this time. Each request, call and release is requested only once.
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

    /// Takes a piece of the answer that is arriving. Its kind decides whether leases are kept meanwhile. Has no effect
    /// if no request is under way.
    pub fn on_stream_event(&mut self, event: &StreamEvent<'_>) {
        match event {
            StreamEvent::Call { .. } | StreamEvent::Arguments { .. } => self.coming = Coming::Call,
            StreamEvent::Text { delta, .. } if self.coming == Coming::Nothing && !delta.trim().is_empty() => {
                self.coming = Coming::Text;
            }
            StreamEvent::Text { .. } | StreamEvent::Thinking { .. } | StreamEvent::Unknown { .. } => {}
        }
    }

    /// Takes the answer to the request. If it has a [`failure`](Decoded::failure), the turn ends.
    ///
    /// If a call's id was used before, the call gets a fresh one, both in the events and for the host.
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
            failure: answer.failure.as_ref().map(CodedError::code),
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

    /// Records the usage of a failed attempt whose answer is discarded because the host sends the same request again.
    /// The request stays under way.
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

    /// Ends the turn because the answer could not be decoded.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_unusable(&mut self, error: &DecodeError) -> Result<(), LoopError> {
        self.expect_request()?;
        self.end_with(answer::unusable(error))
    }

    /// Ends the turn because no request can be made.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_unsendable(&mut self, error: &EncodeError) -> Result<(), LoopError> {
        self.expect_request()?;
        self.end_with(Outcome::Unusable {
            code: error.code(),
            message: error.to_string(),
            retryable: error.is_retryable(),
        })
    }

    /// Ends the turn because the request failed.
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

    /// Takes the reply to one call. After an interruption, a reply does not change the events but may acquire a lease,
    /// so poll again after it.
    ///
    /// # Errors
    /// If no such call was handed out, or it already has its answer.
    pub fn on_reply(&mut self, call_id: &str, reply: ToolReply) -> Result<(), LoopError> {
        self.expect_call(call_id)?;
        self.take_reply(call_id, reply);
        Ok(())
    }

    /// Takes the report that a call was handed out but will never begin. The call gets an error result that reports the
    /// interruption, and the loop no longer waits for its reply.
    ///
    /// # Errors
    /// Like [`ToolLoop::on_reply`].
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

    /// Takes the report that a release ended, whether it succeeded or not.
    ///
    /// # Errors
    /// If the loop did not request the release.
    pub fn on_released(&mut self, lease_id: LeaseId) -> Result<(), LoopError> {
        if self.leases.released(lease_id) { Ok(()) } else { Err(LoopError::UnknownLease { lease_id }) }
    }

    /// Ends the turn early on behalf of the user. Calls without a reply get an error result that reports the
    /// interruption. Has no effect after the end of the turn.
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

    /// Returns the whole history: the events that the loop began with, answers and results.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// Returns the whole history, for the next turn.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }

    /// Returns the tokens used by all answers of the turn so far, including discarded attempts.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns every action and report so far.
    pub fn log(&self) -> &[LogEntry] {
        &self.log
    }

    /// Returns the leases held according to the replies.
    pub fn leases(&self) -> impl Iterator<Item = LeaseId> {
        self.leases.held()
    }

    /// Returns the time until which to wait for calls that were under way at the interruption, because each may still
    /// acquire a lease. The wait is one lease lifetime.
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

    /// Returns the outcome that prevents another request.
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

    /// Takes the reply to a call. The caller checked that the call is open.
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

    /// Removes a running call from the list. After the last one, the next request is due.
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
