//! Runs and queues over a store: asks what they want to know, and tells the cache and the watchers.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};

use canvas_lease::Timestamp;

use super::cache::Begin;
use super::context::RunContext;
use super::documents::Lost;
use super::queue::{Flight, Guest, Sending, Step, Verdict};
use super::run::{Done, Next, Request, Response, Run};
use super::task::Task;
use super::{Engine, EngineError, Snapshot, backoff};
use crate::model::id::CanvasId;
use crate::store::contract::{Commit, Committed, Store};

impl<S: Store> Engine<S> {
    /// Drives a task to its end: asks the store what the run wants to know, and waits in the queue for what it commits.
    pub(super) async fn run<T: Task>(
        &self,
        canvas: &CanvasId,
        task: T,
        begin: Begin,
        now: Timestamp,
    ) -> Result<(T::Answer, Option<Snapshot>), EngineError> {
        let context = RunContext { canvas, policy: &self.policy, types: &self.types, now };
        let mut run = Run::new(context, task);
        let cached = |begin| self.cache().start(canvas, begin, now);
        let mut next = match begin {
            // It may be decided on what is not stored yet.
            Begin::Cached => Next::Turn,
            begin => {
                let (cached, trusted) = cached(begin);
                run.start(cached, trusted)
            }
        };
        let (mut ticket, mut guest, mut lost) = (None, None, Lost::default());
        loop {
            let part = match next {
                Next::Turn => None,
                Next::Join(part) => Some(part),
                Next::Request(request) => {
                    ticket = self.cache().ticket(&request).or(ticket);
                    let response = self.ask(canvas, request, &mut lost).await;
                    next = run.handle_response(response);
                    continue;
                }
                Next::Done(ended) => {
                    self.cache().ended(canvas, &ended, ticket);
                    let ended = ended.map_err(|error| lost.name(error));
                    return ended.map(|Done { answer, row, .. }| (answer, Snapshot::of(row, now)));
                }
            };
            let guest = guest.get_or_insert_with(|| self.queues.enter(canvas, &self.watches));
            next = match guest.cell.decide(guest.seat, &mut run, part, || cached(Begin::Cached)) {
                Some(next) => next,
                None => {
                    // Whose name a pause follows from, where there are any.
                    let who = self.pause.is_some().then(|| run.operation().map(backoff::name)).flatten();
                    let mut verdict =
                        poll_fn(|context| self.poll_verdict(canvas, guest, &who, context)).await;
                    if let Verdict::Conflict(row) = &mut verdict {
                        self.expand_sent(canvas, row).await;
                    }
                    run.handle_verdict(verdict)
                }
            };
        }
    }

    /// What the store answers to a run.
    async fn ask(&self, canvas: &CanvasId, request: Request, lost: &mut Lost) -> Response {
        let asked = self.watches.ticket();
        match request {
            Request::Load => {
                let mut loaded = self.store.load(canvas).await;
                if let Ok(row) = &mut loaded {
                    self.expand_sent(canvas, row).await;
                    self.watches.loaded(canvas, asked, row.as_ref());
                }
                Response::Row(loaded)
            }
            Request::Blobs(ids) => Response::Blobs(self.blobs(canvas, &ids, lost).await),
            Request::Commit(bump) => {
                let planned = self.watches.plan(bump.expected.as_ref(), [(&bump.head, None)].into_iter());
                let mut committed = self.store.commit(bump).await;
                if let Ok(Committed::Conflict(row)) = &mut committed {
                    self.expand_sent(canvas, row).await;
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

    /// Drives the commit under way, whoever's it is, or sends the next, until there is a verdict.
    fn poll_verdict(
        &self,
        canvas: &CanvasId,
        guest: &Guest<'_>,
        who: &Option<String>,
        context: &mut Context<'_>,
    ) -> Poll<Verdict> {
        loop {
            match guest.cell.step(guest.seat, context.waker(), &self.watches) {
                Step::Verdict(verdict) => return Poll::Ready(verdict),
                Step::Send(commit, sending) => guest.cell.send(self.send(canvas, commit, sending, who)),
                Step::Wait => {}
            }
            let Poll::Ready((Flight { ticket, planned, .. }, committed)) = guest.cell.poll_flight() else {
                return Poll::Pending;
            };
            let row = committed.as_ref().ok().and_then(|committed| guest.cell.stored(committed));
            self.cache().committed(canvas, committed.as_ref().map(|_| row), ticket);
            // Watchers hear of it before anybody has an answer.
            self.watches.committed(canvas, &planned, committed.as_ref().ok());
            guest.cell.complete(guest.seat, committed);
        }
    }

    fn send(
        &self,
        canvas: &CanvasId,
        commit: Commit,
        Sending { losses, planned }: Sending,
        who: &Option<String>,
    ) -> Flight {
        let (store, pause, longest) =
            (Arc::clone(&self.store), Arc::clone(&self.pause), self.policy.back_off);
        let (canvas, who) = (canvas.clone(), who.clone().unwrap_or_default());
        let ticket = self.cache().number();
        let commit = Box::pin(async move {
            let mut committed = store.commit(commit).await;
            // Who has waited looks again. Where that fails, the row of the conflict is good enough.
            if let Ok(Committed::Conflict(row)) = &mut committed
                && pause.wait(longest, losses + 1, &who).await
                && let Ok(newer) = store.load(&canvas).await
            {
                *row = newer;
            }
            committed
        });
        Flight { commit, ticket, planned }
    }
}
