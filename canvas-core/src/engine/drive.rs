//! Drives runs and queues over a store: it answers their requests, and updates the cache and the watchers.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use canvas_lease::Timestamp;

use super::cache::Begin;
use super::context::RunContext;
use super::documents::Lost;
use super::observe::CommitNumber;
use super::queue::{InFlightCommit, SendContext, Step, Waiter};
use super::run::{CommitOutcome, Done, Next, Request, Response, Run};
use super::task::{Decide, Keeping, Task, Verdict};
use super::trace::{Trace, Traced};
use super::{Engine, EngineError, Snapshot, backoff, seen};
use crate::store::contract::{Commit, Committed, Loaded, Store};
use crate::store::error::StoreError;

impl<S: Store> Engine<S> {
    /// Drives a task to its end.
    pub(super) async fn run<T: Task>(
        &self,
        trace: Trace<'_>,
        task: T,
        begin: Begin,
        now: Timestamp,
    ) -> Result<(T::Answer, Option<Snapshot>), EngineError> {
        let mut task = Keeping::new(task);
        let (verdict, snapshot) = self.drive(trace, &mut task, begin, now).await?;
        Ok((task.into_answer(verdict), snapshot))
    }

    /// Sends the requests of a run to the store, and waits in the queue for its commits.
    async fn drive(
        &self,
        trace: Trace<'_>,
        task: &mut dyn Decide,
        begin: Begin,
        now: Timestamp,
    ) -> Result<(Verdict, Option<Snapshot>), EngineError> {
        let canvas = trace.canvas();
        let context = RunContext { canvas, policy: &self.policy, types: &self.types, now };
        let mut run = Run::new(context, Traced::new(task, trace));
        let cached = |begin| self.cache().start(canvas, begin, now);
        let mut next = match begin {
            // The run may decide on state that is not stored yet.
            Begin::Cached => Next::Decide,
            begin => {
                let (cached, trusted) = cached(begin);
                run.start(cached, trusted)
            }
        };
        let (mut ticket, mut waiter, mut lost) = (None, None, Lost::default());
        let mut doubt = None;
        loop {
            if !run.is_in_doubt()
                && let Some(began) = doubt.take()
            {
                trace.settled(began, run.settlement());
            }
            trace.decided(run.decided_on(), run.task().take());
            let prepared = match next {
                Next::Decide => None,
                Next::Join(prepared) => Some(prepared),
                Next::Request(request) => {
                    ticket = self.cache().ticket(&request).or(ticket);
                    let response = self.ask(trace, request, &mut lost).await;
                    next = run.handle_response(response);
                    continue;
                }
                Next::Done(ended) => {
                    self.cache().ended(canvas, &ended, ticket);
                    // The commit in place of the lost one expects no row either, so the lost one can never arrive.
                    if let (Ok(_), Some(began)) = (&ended, doubt) {
                        trace.settled(began, run.settlement());
                    }
                    let ended = ended.map_err(|error| lost.name(error));
                    return ended.map(|Done { answer, row, .. }| (answer, Snapshot::of(row, now)));
                }
            };
            let waiter = waiter.get_or_insert_with(|| self.queues.enter(canvas, &self.watches));
            let decided = waiter.queue.decide(waiter.id, &mut run, prepared, || cached(Begin::Cached));
            trace.decided(run.decided_on(), run.task().take());
            next = match decided {
                Some(next) => next,
                None => {
                    let began = trace.now();
                    // The name that a pause is derived from, if the host has a function to wait by.
                    let who = self.pause.is_some().then(|| run.operation().map(backoff::name)).flatten();
                    let (mut outcome, commit) =
                        poll_fn(|context| self.poll_outcome(trace, waiter, &who, context)).await;
                    trace.waited(began, commit, &outcome);
                    match &mut outcome {
                        CommitOutcome::Conflict(row) => self.expand_sent(trace, row).await,
                        CommitOutcome::Unknown { .. } => doubt = Some(trace.now()),
                        _ => {}
                    }
                    run.handle_outcome(outcome)
                }
            };
        }
    }

    /// Drives a task that only reads an existing canvas.
    pub(super) async fn read<T: Task>(
        &self,
        trace: Trace<'_>,
        task: T,
        now: Timestamp,
    ) -> Result<(T::Answer, Snapshot), EngineError> {
        let (answer, snapshot) = self.run(trace, task, Begin::Load, now).await?;
        Ok((answer, seen(trace.canvas(), snapshot)?))
    }

    /// Sends a request of a run to the store.
    async fn ask(&self, trace: Trace<'_>, request: Request, lost: &mut Lost) -> Response {
        let (canvas, asked) = (trace.canvas(), self.watches.ticket());
        match request {
            Request::Load => {
                let mut loaded = self.load(trace).await;
                if let Ok(row) = &mut loaded {
                    self.expand_sent(trace, row).await;
                    self.watches.loaded(canvas, asked, row.as_ref());
                }
                Response::Row(loaded)
            }
            Request::Blobs(ids) => Response::Blobs(self.blobs(trace, &ids, lost).await),
            Request::Commit(bump) => {
                let planned = self.watches.plan(bump.expected.as_ref(), [(&bump.head, None)].into_iter());
                let mut committed = self.commit(trace, bump).await;
                if let Ok(Committed::Conflict(row)) = &mut committed {
                    self.expand_sent(trace, row).await;
                }
                let response = Response::Committed(committed);
                self.cache().answered(canvas, &response);
                if let Response::Committed(committed) = &response {
                    self.watches.committed(canvas, &planned, committed.as_ref().ok());
                }
                response
            }
        }
    }

    pub(super) async fn load(&self, trace: Trace<'_>) -> Result<Option<Loaded>, StoreError> {
        let began = trace.now();
        let loaded = self.store.load(trace.canvas()).await;
        trace.loaded(began, &loaded);
        loaded
    }

    /// Sends a commit that contains no call, such as an empty bump of the version.
    pub(super) async fn commit(&self, trace: Trace<'_>, commit: Commit) -> Result<Committed, StoreError> {
        let sent = trace.commit(CommitNumber(trace.tracer().number()), 0, &commit);
        let committed = self.store.commit(commit).await;
        sent.end(&committed);
        committed
    }

    /// Drives the commit in flight, even if another call sent it, or sends the next one, until there is an outcome.
    fn poll_outcome(
        &self,
        trace: Trace<'_>,
        waiter: &Waiter<'_>,
        who: &Option<String>,
        context: &mut Context<'_>,
    ) -> Poll<(CommitOutcome, Option<CommitNumber>)> {
        let canvas = trace.canvas();
        loop {
            match waiter.queue.step(waiter.id, context.waker(), &self.watches) {
                Step::Outcome(outcome, commit) => return Poll::Ready((outcome, commit)),
                Step::Send(commit, sending) => {
                    waiter.queue.send(self.send(trace, commit, sending, who));
                }
                Step::Wait => {}
            }
            let Poll::Ready((InFlightCommit { ticket, planned, number, .. }, committed)) =
                waiter.queue.poll_in_flight()
            else {
                return Poll::Pending;
            };
            let row = committed.as_ref().ok().and_then(|committed| waiter.queue.stored(committed));
            self.cache().committed(canvas, committed.as_ref().map(|_| row), ticket);
            // Watchers learn of it before any call returns.
            self.watches.committed(canvas, &planned, committed.as_ref().ok());
            waiter.queue.complete(waiter.id, number, committed);
        }
    }

    fn send(
        &self,
        trace: Trace<'_>,
        commit: Commit,
        SendContext { losses, planned, calls }: SendContext,
        who: &Option<String>,
    ) -> InFlightCommit {
        let (store, pause, longest) =
            (Arc::clone(&self.store), Arc::clone(&self.pause), self.policy.back_off);
        let (canvas, who) = (trace.canvas().clone(), who.clone().unwrap_or_default());
        let ticket = self.cache().number();
        let (tracer, call) = (trace.tracer().clone(), trace.call);
        let number = CommitNumber(tracer.number());
        let commit = Box::pin(async move {
            let trace = tracer.of(call, &canvas);
            // Reported here, so that a panic of the observer counts as one of the store.
            let sent = trace.commit(number, calls, &commit);
            let mut committed = store.commit(commit).await;
            sent.end(&committed);
            // After a pause, load again. If that fails, the row of the conflict is good enough.
            if let Ok(Committed::Conflict(row)) = &mut committed
                && pause.wait(trace, longest, losses + 1, &who).await
            {
                let began = trace.now();
                let loaded = store.load(&canvas).await;
                trace.loaded(began, &loaded);
                if let Ok(newer) = loaded {
                    *row = newer;
                }
            }
            committed
        });
        InFlightCommit { commit, ticket, planned, number }
    }
}
