//! The tool loop of one turn, without input or output of its own.

mod action;
mod leases;
mod log;

use std::collections::BTreeSet;

use canvas_tools::lease::{LeaseId, Policy, Timestamp};
use canvas_tools::{ToolCall, ToolReply};

pub use self::action::{Interruption, LoopAction, Outcome};
pub use self::log::{CallName, LogEntry, LogEvent};

use self::leases::Leases;
use crate::decoded::{DecodeError, Decoded, StopReason};
use crate::event::{Body, Event};
use crate::names::UniqueIds;
use crate::not_executed::NotExecuted;

/// What a host may set for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopOptions {
    /// Maximum requests of the turn. The calls of the last answer still run.
    pub max_steps: u32,
    /// The lease policy of the engine behind the tools. The loop takes the lifetime from it: that is how long it waits
    /// for the reports of releases and for replies that come after the end, and a renewal comes after a third of it at
    /// the latest. Whether a renewal would move the expiry at all is in the replies.
    pub lease: Policy,
}

impl Default for LoopOptions {
    fn default() -> Self {
        Self { max_steps: 8, lease: Policy::default() }
    }
}

/// One turn of a model: requests and calls in turn until there are no more calls.
///
/// The host polls until it gets [`LoopAction::Wait`] or [`LoopAction::Done`], does each action before these, and reports.
/// Reports that were not asked for are refused and change nothing. The loop takes leases from
/// [`ToolReply::lease_change`], asks for their renewal while it waits, and for the release of each before it is done,
/// however the turn ends. At every moment its events, repaired, make a valid request.
///
/// It does not retry: a transport failure ends the turn, so a host that wants to try again does so before it
/// reports one. It does not know which canvas a lease is for.
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

/// A report that was not asked for. The loop is as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoopError {
    /// No request is under way.
    #[error("No request is under way; poll first, and report one answer for each request.")]
    NoRequest,
    /// No such call was handed out.
    #[error("No call {call_id:?} was handed out; report replies under the ids of RunCalls.")]
    UnknownCall {
        /// The id.
        call_id: String,
    },
    /// The call has its answer.
    #[error("The call {call_id:?} was answered before; report each reply once.")]
    AlreadyAnswered {
        /// The id.
        call_id: String,
    },
    /// The lease is not held, or its release was not asked for.
    #[error("No action is open for the lease {lease_id}; report only what poll asked for.")]
    UnknownLease {
        /// The id.
        lease_id: LeaseId,
    },
}

canvas_tools::coded_error!(LoopError {
    Self::NoRequest => "LOOP_NO_REQUEST";
    Self::UnknownCall { .. } => "LOOP_UNKNOWN_CALL";
    Self::AlreadyAnswered { .. } => "LOOP_ALREADY_ANSWERED";
    Self::UnknownLease { .. } => "LOOP_UNKNOWN_LEASE";
});

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
        }
    }

    /// The next action at this time. Each request, call and release is asked for once.
    pub fn poll(&mut self, now: Timestamp) -> LoopAction {
        let ttl = self.options.lease.ttl;
        self.leases.schedule(now, ttl);
        if matches!(self.state, State::Ready) && self.step >= self.options.max_steps {
            self.end(Outcome::MaxSteps);
        }
        match &mut self.state {
            State::Ready => {
                self.state = State::Asked;
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

    /// Takes the answer to the request.
    ///
    /// Calls whose id was used before get a fresh one, in the events and for the host.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_response(&mut self, mut answer: Decoded) -> Result<(), LoopError> {
        self.expect_request()?;
        let raw_stop_reason = answer.raw_stop_reason.clone();
        self.record(LogEvent::Response { raw_stop_reason, calls: answer.calls().count() });
        let mut calls = Vec::new();
        for event in &mut answer.events {
            if let Body::ToolCall(call) = &mut event.body {
                if let Some(fresh) = self.ids.claim(&call.id) {
                    call.id = fresh;
                }
                calls.push(call.clone());
            }
        }
        let silent = answer.events.is_empty();
        self.events.append(&mut answer.events);
        let refused = answer.stop_reason == StopReason::Refusal;
        let mut to_run = Vec::new();
        let called = !calls.is_empty();
        for call in calls {
            match call.to_call().filter(|_| !refused) {
                Some(complete) => to_run.push(complete),
                None if refused => self.answer_not_executed(&call.id, &call.name, NotExecuted::Declined),
                None => self.answer_not_executed(&call.id, &call.name, NotExecuted::of(&call)),
            }
        }
        match answer.stop_reason {
            StopReason::Refusal => self.end(Outcome::Refused),
            _ if !to_run.is_empty() => self.state = State::Called(to_run),
            _ if called => self.state = State::Ready,
            StopReason::Pause => self.state = State::Ready,
            StopReason::Length => self.end(Outcome::Truncated),
            StopReason::ToolUse if silent => self.end(Outcome::Unusable {
                code: "RESPONSE_WITHOUT_CALLS",
                message: "The answer announces calls and holds none; send the request again.".to_owned(),
            }),
            StopReason::End | StopReason::ToolUse | StopReason::Other => self.end(Outcome::Completed),
        }
        Ok(())
    }

    /// Takes an answer that could not be decoded: the turn ends.
    ///
    /// # Errors
    /// If no request is under way.
    pub fn on_unusable(&mut self, error: &DecodeError) -> Result<(), LoopError> {
        self.expect_request()?;
        self.end(Outcome::Unusable { code: error.code(), message: error.to_string() });
        Ok(())
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
        self.end(Outcome::TransportFailed { message: message.into(), retryable });
        Ok(())
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
        let State::Running(calls) = &mut self.state else { return };
        let Some(index) = calls.iter().position(|call| call.id == call_id) else { return };
        let call = calls.remove(index);
        let all_in = calls.is_empty();
        self.answered.insert(call_id.to_owned());
        self.record(LogEvent::Reply { call_id: call_id.to_owned(), ok: reply.is_ok() });
        self.events.push(Event::result(call.id, call.name, reply.body().clone()));
        if all_in {
            self.state = State::Ready;
        }
    }

    fn answer_not_executed(&mut self, id: &str, name: &str, why: NotExecuted) {
        self.answered.insert(id.to_owned());
        self.record(LogEvent::NotExecuted { call_id: id.to_owned(), code: why.code() });
        self.events.push(why.answer(id, name));
    }
}
