//! A turn that drives itself.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use canvas_tools::lease::{LeaseId, Timestamp};
use canvas_tools::{Briefing, CallHost, CodedError as _, ToolCall, ToolReply, ToolSpec};

use super::Kept;
use super::attempt::{Attempt, Attempted};
use super::retries::Retries;
use super::transport::Transport;
use crate::encoded::RequestOptions;
use crate::envelope::Issuer;
use crate::event::Event;
use crate::provider::Provider;
use crate::stream_event::StreamEvent;
use crate::tool_loop::{Interruption, LogEntry, LoopAction, LoopOptions, Outcome, ToolLoop};
use crate::usage::Usage;

/// Options of a turn that drives itself.
#[derive(Debug, Clone)]
pub struct TurnOptions {
    /// The provider that receives the requests.
    pub provider: Provider,
    /// The host and the model at that provider.
    pub issuer: Issuer,
    /// Instructions sent with each request, in addition to those in the history.
    pub system: String,
    /// The tools offered to the model.
    pub tools: Vec<ToolSpec>,
    /// Options applied to each request of the turn.
    pub request: RequestOptions,
    /// Limits of requests, tokens and stalls, and the lease policy.
    pub bounds: LoopOptions,
    /// The rules for sending a request again, and for running a call again if the store did not answer.
    pub retries: Retries,
}

impl TurnOptions {
    /// Creates options for a turn at this provider and model, with the host's tools and with defaults for the rest.
    ///
    /// ```
    /// use canvas_core::lease::Timestamp;
    /// use canvas_core::store::MemoryStore;
    /// use canvas_core::{Engine, Policy};
    /// use canvas_providers::{Provider, Retries, TurnOptions};
    /// use canvas_tools::{DocumentTools, Tools};
    ///
    /// let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    /// let tools = Tools::new(DocumentTools::default())?;
    /// let provider = Provider::Anthropic;
    /// let options = TurnOptions {
    ///     retries: Retries { attempts: 2, ..Retries::default() },
    ///     ..TurnOptions::new(provider, provider.issuer("the-model"), tools.briefing(&engine))
    /// };
    /// assert_eq!(options.bounds.lease, engine.policy().lease);
    /// # Ok::<(), canvas_tools::ToolsError>(())
    /// ```
    pub fn new(provider: Provider, issuer: Issuer, briefing: Briefing) -> Self {
        let Briefing { system, tools, lease } = briefing;
        let bounds = LoopOptions { lease, ..LoopOptions::default() };
        let (request, retries) = (RequestOptions::default(), Retries::default());
        Self { provider, issuer, system, tools, request, bounds, retries }
    }
}

/// An event reported while a turn runs.
#[derive(Debug)]
#[non_exhaustive]
pub enum TurnEvent<'a> {
    /// A piece of the answer that is arriving.
    Stream(StreamEvent<'a>),
    /// The attempt failed, and the request will be sent again after a wait. If you already show a part of the answer,
    /// discard it.
    Retry {
        /// Stable code of the error, such as `PROVIDER_ERROR`.
        code: &'static str,
        /// The error message, in one sentence.
        message: String,
        /// The wait before the next attempt.
        after: Duration,
    },
    /// The host's final reply to a call, after any retries.
    Reply(&'a ToolCall, &'a ToolReply),
    /// The loop requested an action, or took a report.
    Log(&'a LogEntry),
}

/// A turn of a model that drives itself, over the host's [`Transport`] and [`CallHost`].
///
/// The turn sends requests, runs calls one after another, and renews leases while either takes time. If a request fails
/// transiently, it is sent again, and the partial answer of the failed attempt is discarded. If the store does not
/// answer a call, the call is run again under the same id.
///
/// # What is left when a future is dropped
///
/// All state is in this value, including requests and calls under way. The future returned by [`TurnDriver::run`] has no
/// state, so you can drop it at any await point and call [`TurnDriver::run`] again to continue at the same place. To end the
/// turn early instead, call [`TurnDriver::interrupt`] and then run the turn to its end, which takes as long as the call under
/// way and the release of leases.
///
/// If the turn itself is dropped, it is lost. Its calls may have run, and its leases block others until they expire. If
/// that can happen, wrap the turn in a [`TurnGuard`](super::TurnGuard), which hands it to the host instead.
pub struct TurnDriver<T: Transport, H: CallHost + Clone + 'static> {
    transport: T,
    host: H,
    options: TurnOptions,
    tool_loop: ToolLoop,
    on_event: Box<dyn FnMut(TurnEvent<'_>) + Send>,
    request: Option<Request<T>>,
    queue: VecDeque<ToolCall>,
    running: Option<RunningCall>,
    lease_calls: Vec<(LeaseCall, Kept<ToolReply>)>,
    timer: Option<(Timestamp, Kept<()>)>,
    /// Number of log entries passed to `on_event`.
    told: usize,
    is_over: bool,
}

struct Request<T: Transport> {
    /// Failed attempts at this request.
    failures: u32,
    stage: RequestStage<T>,
}

enum RequestStage<T: Transport> {
    UnderWay(Attempt<T>),
    Waiting(Kept<()>),
}

struct RunningCall {
    call: ToolCall,
    /// Attempts that the store did not answer.
    failures: u32,
    reply: Kept<ToolReply>,
}

#[derive(Clone, Copy)]
enum LeaseCall {
    Renew(LeaseId),
    Release(LeaseId),
}

impl<T: Transport, H: CallHost + Clone + 'static> TurnDriver<T, H> {
    /// Creates a turn with an empty history. Set the history with [`TurnDriver::with_history`] before you run it.
    pub fn new(options: TurnOptions, transport: T, host: H) -> Self {
        Self {
            tool_loop: ToolLoop::new(options.bounds, Vec::new()),
            transport,
            host,
            options,
            on_event: Box::new(|_| {}),
            request: None,
            queue: VecDeque::new(),
            running: None,
            lease_calls: Vec::new(),
            timer: None,
            told: 0,
            is_over: false,
        }
    }

    /// Starts the turn with this history, whose last event is usually the user's message.
    pub fn with_history(self, history: Vec<Event>) -> Self {
        let Self { options, transport, host, on_event, .. } = self;
        let tool_loop = ToolLoop::new(options.bounds, history);
        Self { tool_loop, on_event, ..Self::new(options, transport, host) }
    }

    /// Calls this function with each event. It is called while the turn is polled, so it must not block.
    pub fn on_event(mut self, on_event: impl FnMut(TurnEvent<'_>) + Send + 'static) -> Self {
        self.on_event = Box::new(on_event);
        self
    }

    /// Drives the turn to its end. By then, no lease is held and no call is awaited. You can drop the future and call
    /// `run` again. After the end, it returns the same outcome again.
    pub async fn run(&mut self) -> Outcome {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Ends the turn early on behalf of the user. The request under way is dropped with its partial answer, and calls
    /// that have not begun will never run. Run the turn with [`TurnDriver::run`] to finish the rest. This does not tell
    /// the canvas that the user stepped in. For that, use another way, such as
    /// [`Session::begin_turn`](canvas_tools::Session::begin_turn), which stops the call under way from committing.
    pub fn interrupt(&mut self, cause: Interruption) {
        self.tool_loop.interrupt(cause);
        self.request = None;
        for call in self.queue.drain(..) {
            // The turn may already be over and no longer know the call.
            let _ = self.tool_loop.on_not_run(&call.id);
        }
        self.tell();
    }

    /// Whether [`TurnDriver::run`] reached the end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns the whole history. You can pass it to [`Provider::request`] at any time.
    pub fn events(&self) -> &[Event] {
        self.tool_loop.events()
    }

    /// Returns the whole history, for the next turn.
    pub fn into_events(self) -> Vec<Event> {
        self.tool_loop.into_events()
    }

    /// Returns every action and report so far.
    pub fn log(&self) -> &[LogEntry] {
        self.tool_loop.log()
    }

    /// Returns the tokens used by all answers so far.
    pub fn usage(&self) -> Usage {
        self.tool_loop.usage()
    }

    /// Returns the leases held according to the replies.
    pub fn leases(&self) -> impl Iterator<Item = LeaseId> {
        self.tool_loop.leases()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        loop {
            let mut reported = self.poll_request(cx);
            reported |= self.poll_call(cx);
            reported |= self.poll_lease_calls(cx);
            let action = self.tool_loop.poll(self.transport.now());
            self.tell();
            match action {
                LoopAction::SendRequest => self.send(0),
                LoopAction::RunCalls(calls) => self.queue.extend(calls),
                LoopAction::RenewLease { lease_id } => self.call_lease(LeaseCall::Renew(lease_id)),
                LoopAction::ReleaseLease { lease_id } => self.call_lease(LeaseCall::Release(lease_id)),
                LoopAction::Wait { .. } if reported => {}
                LoopAction::Wait { until } => match self.poll_timer(cx, until) {
                    Poll::Ready(()) if until.is_some_and(|until| self.transport.now() < until) => {
                        // With a clock that wakes too early, this poll would otherwise never return.
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    Poll::Ready(()) => {}
                    Poll::Pending => return Poll::Pending,
                },
                LoopAction::Done(outcome) => {
                    self.is_over = true;
                    return Poll::Ready(outcome);
                }
            }
        }
    }

    fn poll_timer(&mut self, cx: &mut Context<'_>, until: Option<Timestamp>) -> Poll<()> {
        let Some(until) = until else {
            self.timer = None;
            return Poll::Pending;
        };
        if self.timer.as_ref().is_none_or(|(at, _)| *at != until) {
            self.timer = Some((until, self.sleep(until)));
        }
        let Some((_, sleep)) = &mut self.timer else { return Poll::Pending };
        let woken = sleep.as_mut().poll(cx);
        if woken.is_ready() {
            self.timer = None;
        }
        woken
    }

    fn sleep(&self, until: Timestamp) -> Kept<()> {
        let transport = self.transport.clone();
        Box::pin(async move { transport.sleep_until(until).await })
    }

    fn send(&mut self, failures: u32) {
        let TurnOptions { provider, issuer, system, tools, request, .. } = &self.options;
        match provider.request(issuer, system, tools, self.tool_loop.events(), request) {
            Ok(request) => {
                let attempt = Attempt::new(&self.transport, *provider, request);
                self.request = Some(Request { failures, stage: RequestStage::UnderWay(attempt) });
            }
            Err(error) => {
                self.request = None;
                self.tool_loop.on_unsendable(&error).expect("a request is under way");
            }
        }
    }

    /// Polls the request under way. Returns whether the loop got an answer or another attempt began.
    fn poll_request(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(request) = &mut self.request else { return false };
        let failures = request.failures;
        match &mut request.stage {
            RequestStage::Waiting(wait) => {
                if wait.as_mut().poll(cx).is_pending() {
                    return false;
                }
                self.send(failures);
            }
            RequestStage::UnderWay(attempt) => {
                let (tool_loop, on_event) = (&mut self.tool_loop, &mut self.on_event);
                let polled = attempt.poll(cx, &mut |event| {
                    tool_loop.on_stream_event(&event);
                    on_event(TurnEvent::Stream(event));
                });
                let Poll::Ready(attempted) = polled else { return false };
                self.take(attempted, failures + 1);
            }
        }
        true
    }

    /// Handles the result of an attempt. `attempts` counts the attempts at this request, including this one.
    fn take(&mut self, attempted: Attempted, attempts: u32) {
        let (failure, usage, asked) = match &attempted {
            Attempted::Answer(decoded) => {
                let failure = decoded.failure.as_ref().map(|e| (e.code(), e.to_string(), e.is_retryable()));
                (failure, decoded.usage, None)
            }
            Attempted::Unusable(error, asked) => {
                (Some((error.code(), error.to_string(), error.is_retryable())), Usage::default(), *asked)
            }
            Attempted::Unsent(error) => {
                (Some((error.code(), error.to_string(), error.is_retryable())), Usage::default(), None)
            }
        };
        let wait = self.options.retries.wait(attempts, asked, self.transport.jitter());
        if let (Some((code, message, true)), Some(after)) = (failure, wait) {
            self.tool_loop.on_retry(code, usage).expect("a request is under way");
            (self.on_event)(TurnEvent::Retry { code, message, after });
            let wait = self.sleep(self.transport.now().saturating_add(after));
            self.request = Some(Request { failures: attempts, stage: RequestStage::Waiting(wait) });
            return;
        }
        self.request = None;
        let taken = match attempted {
            Attempted::Answer(decoded) => self.tool_loop.on_response(decoded),
            Attempted::Unusable(error, _) => self.tool_loop.on_unusable(&error),
            Attempted::Unsent(error) => {
                self.tool_loop.on_transport_error(error.to_string(), error.is_retryable())
            }
        };
        taken.expect("a request is under way");
    }

    /// Polls the call under way, or begins the next one. Returns whether the loop got a reply or a call began.
    fn poll_call(&mut self, cx: &mut Context<'_>) -> bool {
        let Some(running) = &mut self.running else {
            let Some(call) = self.queue.pop_front() else { return false };
            let reply = self.call(&call, None);
            self.running = Some(RunningCall { call, failures: 0, reply });
            return true;
        };
        let Poll::Ready(reply) = running.reply.as_mut().poll(cx) else { return false };
        let Some(RunningCall { call, failures, .. }) = self.running.take() else { return false };
        let failures = failures + 1;
        let wait = self.options.retries.wait(failures, None, self.transport.jitter());
        if let Some(wait) = wait.filter(|_| reply.is_unanswered()) {
            let reply = self.call(&call, Some(wait));
            self.running = Some(RunningCall { call, failures, reply });
            return true;
        }
        (self.on_event)(TurnEvent::Reply(&call, &reply));
        // After an interruption the loop waits for one lease lifetime, and no longer.
        let _ = self.tool_loop.on_reply(&call.id, reply);
        true
    }

    fn call(&self, call: &ToolCall, wait: Option<Duration>) -> Kept<ToolReply> {
        let (transport, host, call) = (self.transport.clone(), self.host.clone(), call.clone());
        Box::pin(async move {
            if let Some(wait) = wait {
                transport.sleep_until(transport.now().saturating_add(wait)).await;
            }
            host.call(&call, transport.now()).await
        })
    }

    fn call_lease(&mut self, what: LeaseCall) {
        let (transport, host) = (self.transport.clone(), self.host.clone());
        let reply: Kept<ToolReply> = match what {
            LeaseCall::Renew(lease) => Box::pin(async move { host.renew(lease, transport.now()).await }),
            LeaseCall::Release(lease) => Box::pin(async move { host.release(lease, transport.now()).await }),
        };
        self.lease_calls.push((what, reply));
    }

    fn poll_lease_calls(&mut self, cx: &mut Context<'_>) -> bool {
        let mut reported = false;
        let tool_loop = &mut self.tool_loop;
        self.lease_calls.retain_mut(|(what, reply)| {
            let Poll::Ready(reply) = reply.as_mut().poll(cx) else { return true };
            reported = true;
            // The lease may have ended meanwhile, or the loop may have stopped waiting.
            let _ = match *what {
                LeaseCall::Renew(lease) => tool_loop.on_renewed(lease, &reply),
                LeaseCall::Release(lease) => tool_loop.on_released(lease),
            };
            false
        });
        reported
    }

    fn tell(&mut self) {
        for entry in self.tool_loop.log().iter().skip(self.told) {
            (self.on_event)(TurnEvent::Log(entry));
        }
        self.told = self.tool_loop.log().len();
    }
}

impl<T: Transport, H: CallHost + Clone + 'static> fmt::Debug for TurnDriver<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, tool_loop, is_over, .. } = self;
        let mut out = f.debug_struct("TurnDriver");
        out.field("options", options).field("tool_loop", tool_loop).field("is_over", is_over);
        out.finish_non_exhaustive()
    }
}
