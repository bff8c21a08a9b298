//! The effect of each action on a world, and the start of calls.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::super::call::{CANVAS, OTHER, Op, Runner, Work, at};
use super::super::flaw::Flaw;
use super::super::store::{START, loaded};
use super::budget::TYPES;
use super::{Action, Answered, Asked, Asker, Client, Late, Tool, World, empty_cache};
use crate::engine::cache::{Begin, Cache};
use crate::engine::context::RunContext;
use crate::engine::queue::CommitQueue;
use crate::engine::run::{Next, Request, Response, Run};
use crate::store::error::{StoreError, StoreErrorKind};

pub(super) fn broken() -> StoreError {
    StoreError::new(StoreErrorKind::Indeterminate).with_source("the connection broke")
}

impl World {
    pub(super) fn at(&self, server: usize) -> RunContext<'static> {
        RunContext { canvas: &CANVAS, policy: self.left.policy(), types: &TYPES, now: self.heard(server) }
    }

    /// The clock as a server hears it, its own and the store's alike.
    pub(super) fn heard(&self, server: usize) -> Timestamp {
        at(self.store.clock + if server == 1 { self.left.skew } else { 0 })
    }

    pub(super) fn runner(&self, server: usize) -> Runner {
        Runner { server, starts: self.restarts[server] }
    }

    pub(super) fn cache(&mut self, server: usize) -> &mut Cache {
        Arc::make_mut(&mut self.caches[server])
    }

    pub(super) fn act(&mut self, flaw: Option<Flaw>, action: Action) {
        match action {
            Action::Start { op, server } => self.start(flaw, op, server),
            Action::Settle(i) => {
                let Tool { server, running, settled_by } = &mut self.tools[i];
                *settled_by = Some(self.started + 1);
                let (server, work) = (*server, Work::Settle(running.clone()));
                self.start_work(flaw, Op::Settle, server, work);
            }
            Action::Answer(asker) => self.answer(flaw, asker, false),
            Action::AnswerAndDouble(asker) => {
                self.left.doubled -= 1;
                self.send_later(asker);
                self.answer(flaw, asker, false);
            }
            Action::AnswerSlowly(asker) => {
                self.left.slow -= 1;
                match (asker, self.serve_asker(flaw, asker, true)) {
                    (Asker::Call(i), Response::Row(row)) => {
                        self.flights[i].answer = row.ok().map(Answered::Row);
                    }
                    (Asker::Call(i), Response::Committed(committed)) => {
                        self.flights[i].answer = committed.ok().map(Answered::Committed);
                    }
                    (Asker::Queue(server), Response::Committed(committed)) => {
                        self.sending(server).answer = committed.ok();
                    }
                    _ => unreachable!("only answers about the row are slow"),
                }
            }
            Action::LoseAnswer(asker) => {
                self.left.lost -= 1;
                self.answer(flaw, asker, true);
            }
            Action::Delay(asker) => {
                self.left.delayed -= 1;
                self.send_later(asker);
                self.respond(flaw, asker, Response::Committed(Err(broken())));
            }
            Action::FailForSure(asker) => {
                self.left.definite -= 1;
                let fault = StoreError::new(StoreErrorKind::Failed).with_source("the disk is full");
                let request = match asker {
                    Asker::Call(i) => self.flights[i].request.as_ref(),
                    Asker::Queue(_) => None,
                };
                let response = match request {
                    Some(Request::Load) => Response::Row(Err(fault)),
                    Some(Request::Blobs(_)) => Response::Blobs(Err(fault)),
                    Some(Request::Commit(_)) | None => Response::Committed(Err(fault)),
                };
                self.respond(flaw, asker, response);
            }
            Action::AnswerFromThePast(i) => {
                self.left.stale -= 1;
                let clock = self.heard(self.flights[i].client.server);
                let row = self.store.before.as_ref().map(|row| loaded(row, clock));
                self.respond(flaw, Asker::Call(i), Response::Row(Ok(row)));
            }
            Action::Arrive(i) => {
                let Late { number, server, commit, links, sent_at } = self.late.remove(i);
                self.serve_commit(flaw, &commit, &links, (number, server), (sent_at, false));
            }
            Action::Decide(i) => {
                let flight = self.flights.remove(i);
                self.decide(flaw, flight);
            }
            Action::Send(server) => self.send(flaw, server),
            Action::Drop(i) => {
                self.left.drops -= 1;
                self.drop_call(flaw, i);
            }
            Action::Crash { server } => {
                self.left.crashes -= 1;
                self.caches[server] = empty_cache();
                self.restarts[server] += 1;
                self.tools.retain(|tool| tool.server != server);
                self.send_later(Asker::Queue(server));
                for i in 0..self.flights.len() {
                    if self.flights[i].client.server == server {
                        self.send_later(Asker::Call(i));
                    }
                }
                (self.queues[server], self.sendings[server]) = Default::default();
                self.flights.retain(|flight| flight.client.server != server);
            }
            Action::Rumour { server, other } => {
                self.left.rumours -= 1;
                self.cache(server).forget(if other { &OTHER } else { &CANVAS });
            }
            Action::Tick => {
                self.left.ticks -= 1;
                self.store.clock += 1;
            }
            Action::PlanCollection => {
                self.left.collections -= 1;
                self.store.plan_collection(flaw);
            }
            Action::Collect => self.store.collect(flaw),
        }
        if self.left.at_once == 2 && !self.left.turns {
            // Nobody else could come before it is sent.
            (0..2).for_each(|server| self.send(flaw, server));
        }
        self.flights.sort_by_key(|flight| flight.client.number);
    }

    /// A call begins, as [`Engine::call`](crate::Engine::call) begins it.
    pub(super) fn start(&mut self, flaw: Option<Flaw>, op: Op, server: usize) {
        let number = if flaw == Some(Flaw::EventNamedTwice) { 0 } else { self.started + 1 };
        let work = match op {
            Op::Press => Work::Press { event: number, runner: self.runner(server) },
            Op::EditBase if flaw == Some(Flaw::BaseIgnored) => Work::Overwrite,
            Op::WriteA if flaw == Some(Flaw::OldText) => Work::Paste,
            Op::WriteA if flaw == Some(Flaw::OldLock) => Work::Seize,
            Op::AcceptOther if flaw == Some(Flaw::OldParts) => Work::AcceptOld,
            Op::MessageOther if flaw == Some(Flaw::TurnsShared) => Work::EndAll,
            Op::WriteOther if flaw == Some(Flaw::ContextIgnored) => Work::Uproot,
            op => Work::of(op),
        };
        self.start_work(flaw, op, server, work);
    }

    pub(super) fn start_work(&mut self, flaw: Option<Flaw>, op: Op, server: usize, work: Work) {
        self.left.starts[op as usize] -= 1;
        self.started += 1;
        let (at, is_read) = (self.at(server), op == Op::Read);
        let mut run = Run::new(at, work);
        let next = match Begin::of_call(is_read, self.left.notify) {
            Begin::Cached => Next::Decide,
            begin => {
                let (cached, trusted) = self.caches[server].start(&CANVAS, begin, at.now);
                run.start(cached, trusted)
            }
        };
        let known = if is_read { self.known[server] } else { 0 };
        let client = Client { number: self.started, server, op, known, wrote: false, has_started: false };
        self.go_on(flaw, (client, None), run, next, Asked(None));
    }

    /// A call of the first server that nothing disturbs.
    pub(super) fn run_alone(&mut self, flaw: Option<Flaw>, work: Work) {
        let (mut run, mut queue) = (Run::new(self.at(0), work), CommitQueue::default());
        let (id, mut next) = (queue.enter(), Next::Decide);
        loop {
            let part = match next {
                Next::Done(_) => return,
                Next::Request(request) => {
                    next = run.handle_response(self.serve(flaw, &request, (0, 0), (START, true)));
                    continue;
                }
                Next::Join(part) => Some(part),
                Next::Decide => None,
            };
            let turn = queue.begin(id).expect("it is alone");
            let decided = turn.decide(&mut run, part, || (None, false), |_| None);
            if let (Some(more), _) = queue.end(id, decided) {
                next = more;
                continue;
            }
            let (commit, _) = queue.take().expect("it is alone");
            let (committed, _) = self.store.commit(flaw, &commit, self.heard(0), START);
            let (_, outcome) = queue.complete(Ok(committed)).pop().expect("it is alone");
            next = run.handle_outcome(outcome);
        }
    }
}
