//! A turn that drives itself.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::task::{Context, Poll};
use std::time::Duration;

use canvas_tools::lease::{LeaseId, Timestamp};
use canvas_tools::{Briefing, CallHost, ToolCall, ToolReply, ToolSpec};

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

/// What a host may set for a turn that drives itself.
#[derive(Debug, Clone)]
pub struct TurnOptions {
    /// Who is asked.
    pub provider: Provider,
    /// At which host, and for which model.
    pub issuer: Issuer,
    /// The instructions.
    pub system: String,
    /// What the model is offered.
    pub tools: Vec<ToolSpec>,
    /// Options of each request.
    pub request: RequestOptions,
    /// Bounds of the turn.
    pub bounds: LoopOptions,
    /// When a request is sent again, and a call run again whose store did not answer.
    pub retries: Retries,
}

impl TurnOptions {
    /// A turn at this provider and model, with the tools of a host and the defaults of the rest.
    ///
    /// ```
    /// use canvas_core::lease::Timestamp;
    /// use canvas_core::store::MemoryStore;
    /// use canvas_core::{Engine, Policy};
    /// use canvas_providers::{Provider, Retries, TurnOptions};
    /// use canvas_tools::{DocumentTools, Tools};
    ///
    /// let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    /// let tools = Tools::new(vec![Box::new(DocumentTools::default())])?;
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

/// What happens in a turn, as it happens.
#[derive(Debug)]
pub enum TurnEvent<'a> {
    /// A piece of the answer that is coming.
    Stream(StreamEvent<'a>),
    /// The answer that was coming failed: what was shown of it is void, and the request is sent again after this time.
    Retry {
        /// Why: a code that stays.
        code: &'static str,
        /// One sentence.
        message: String,
        /// How long the turn waits first.
        after: Duration,
    },
    /// A call was answered.
    Reply(&'a ToolCall, &'a ToolReply),
    /// The loop has asked for something, or taken a report.
    Log(&'a LogEntry),
}

/// A turn of a model that drives itself, over the host's [`Transport`] and [`CallHost`].
///
/// Requests go out, calls run one after another, and leases are renewed while either takes its time. A request that fails in
/// passing is sent again, and what its answer brought is void. A call whose store did not answer is run again under the same id.
///
/// # What is left when a future is dropped
///
/// All state is in this value, requests and calls under way included; the future of [`Turn::run`] has none. So that future may be
/// dropped wherever it waits, and nothing is lost: another one goes on at the same place. Whoever wants an end instead calls
/// [`Turn::interrupt`] and runs the turn to it, which takes as long as the call under way and the release of leases.
///
/// A turn that is dropped itself is gone: its calls may have run, and its leases keep others out until they expire. Where that may
/// happen, a [`TurnGuard`](super::TurnGuard) hands it to the host.
pub struct Turn<T: Transport, H: CallHost + Clone + 'static> {
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
    /// Entries of the log that were told.
    told: usize,
    is_over: bool,
}

struct Request<T: Transport> {
    /// Attempts that have failed.
    failures: u32,
    stage: RequestStage<T>,
}

enum RequestStage<T: Transport> {
    UnderWay(Attempt<T>),
    Waiting(Kept<()>),
}

struct RunningCall {
    call: ToolCall,
    /// Attempts without an answer.
    failures: u32,
    reply: Kept<ToolReply>,
}

#[derive(Clone, Copy)]
enum LeaseCall {
    Renew(LeaseId),
    Release(LeaseId),
}

impl<T: Transport, H: CallHost + Clone + 'static> Turn<T, H> {
    /// A turn that continues this history, whose last event is mostly the user's message. `on_event` hears what happens; it
    /// is called while the turn is polled, so it does not block.
    pub fn new(
        options: TurnOptions,
        history: Vec<Event>,
        transport: T,
        host: H,
        on_event: impl FnMut(TurnEvent<'_>) + Send + 'static,
    ) -> Self {
        Self {
            tool_loop: ToolLoop::new(options.bounds, history),
            transport,
            host,
            options,
            on_event: Box::new(on_event),
            request: None,
            queue: VecDeque::new(),
            running: None,
            lease_calls: Vec::new(),
            timer: None,
            told: 0,
            is_over: false,
        }
    }

    /// Drives the turn to its end, when no lease is held and no call is awaited. The future may be dropped and made again; after
    /// the end it gives the same outcome.
    pub async fn run(&mut self) -> Outcome {
        poll_fn(|cx| self.poll(cx)).await
    }

    /// Ends the turn for the user: the request under way is dropped with what came of it, the calls that have not begun never do,
    /// and what is left is done by [`Turn::run`]. The canvas hears of the user by another way, such as
    /// [`Session::begin_turn`](canvas_tools::Session::begin_turn), which stops the call under way from committing.
    pub fn interrupt(&mut self, cause: Interruption) {
        self.tool_loop.interrupt(cause);
        self.request = None;
        for call in self.queue.drain(..) {
            // The turn may have been over, with the call forgotten.
            let _ = self.tool_loop.on_not_run(&call.id);
        }
        self.tell();
    }

    /// Whether [`Turn::run`] has come to the end.
    pub fn is_over(&self) -> bool {
        self.is_over
    }

    /// The whole history, at any moment one that [`Provider::request`] takes.
    pub fn events(&self) -> &[Event] {
        self.tool_loop.events()
    }

    /// The whole history, for the next turn.
    pub fn into_events(self) -> Vec<Event> {
        self.tool_loop.into_events()
    }

    /// Every action and report so far.
    pub fn log(&self) -> &[LogEntry] {
        self.tool_loop.log()
    }

    /// What all answers have cost so far.
    pub fn usage(&self) -> Usage {
        self.tool_loop.usage()
    }

    /// The leases that are held according to the replies.
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
                        // A clock that wakes too early would keep this poll from ever ending.
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

    /// Whether the loop got an answer, or another attempt has begun.
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

    /// Takes what came of an attempt, the n-th of its request.
    fn take(&mut self, attempted: Attempted, attempts: u32) {
        let (failure, usage, asked) = match &attempted {
            Attempted::Answer(decoded) => {
                let failure = decoded.failure.as_ref().map(|e| (e.code(), e.to_string(), e.retryable()));
                (failure, decoded.usage, None)
            }
            Attempted::Unusable(error, asked) => {
                (Some((error.code(), error.to_string(), error.retryable())), Usage::default(), *asked)
            }
            Attempted::Unsent(error) => {
                (Some((error.code(), error.to_string(), error.retryable())), Usage::default(), None)
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
                self.tool_loop.on_transport_error(error.to_string(), error.retryable())
            }
        };
        taken.expect("a request is under way");
    }

    /// Whether the loop got a reply, or another call has begun.
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
        // After an interruption the loop waits for a lifetime of a lease, and no longer.
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
            // The lease may have ended meanwhile, or the loop have waited long enough.
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

impl<T: Transport, H: CallHost + Clone + 'static> fmt::Debug for Turn<T, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, tool_loop, is_over, .. } = self;
        let mut out = f.debug_struct("Turn");
        out.field("options", options).field("tool_loop", tool_loop).field("is_over", is_over);
        out.finish_non_exhaustive()
    }
}
