//! Continuation of calls, which share commits, give up and end.

use std::sync::Arc;

use super::super::call::{CANVAS, ClientAnswer, Ended, OTHER, Op, Running, Work, event, version};
use super::super::flaw::Flaw;
use super::super::oracle::Rule;
use super::super::store::has;
use super::{Asked, Asker, Client, InFlightCommit, Links, Sending, Tool, World};
use crate::engine::cache::Begin;
use crate::engine::error::EngineError;
use crate::engine::queue::{CommitOutcomes, CommitQueue, WaiterId};
use crate::engine::run::Prepared;
use crate::engine::run::{Done, Next, Request, Run};
use crate::model::head::Head;
use crate::model::receipt::Receipt;

impl World {
    pub(super) fn is_at(&self, flight: &InFlightCommit, server: usize, id: WaiterId) -> bool {
        flight.client.server == server && flight.id == Some(id)
    }

    pub(super) fn hear(&mut self, flaw: Option<Flaw>, server: usize, outcomes: CommitOutcomes) {
        for (id, outcome) in outcomes {
            let at = self.flights.iter().position(|flight| self.is_at(flight, server, id));
            // Who has given up hears nothing.
            let Some(i) = at else { continue };
            let InFlightCommit { client, mut run, asked, .. } = self.flights.remove(i);
            let next = run.handle_outcome(outcome);
            self.go_on(flaw, (client, Some(id)), run, next, asked);
        }
    }

    pub(super) fn queue(&mut self, server: usize) -> &mut CommitQueue {
        Arc::make_mut(&mut self.queues[server])
    }

    /// A server sends what its queue has.
    pub(super) fn send(&mut self, flaw: Option<Flaw>, server: usize) {
        let Some((mut commit, outcomes)) = self.queue(server).take() else { return };
        let number = |id| {
            let mut flights = self.flights.iter();
            let flight = flights.find(|flight| self.is_at(flight, server, id));
            flight.map_or_else(|| self.oracle.dropped_last(), |flight| flight.client.number)
        };
        let parts: Vec<(WaiterId, &Prepared)> = self.queues[server].sent().collect();
        let links: Links = parts.iter().map(|(id, part)| (number(*id), Arc::clone(&part.head))).collect();
        match flaw {
            Some(Flaw::LatestLimit) => {
                let limits =
                    parts.iter().map(|(_, part)| part.change.as_ref().and_then(|change| change.not_after));
                let limits: Option<Vec<_>> = limits.collect();
                commit.not_after = limits.and_then(|limits| limits.into_iter().max());
            }
            Some(Flaw::DocumentsBetweenDropped) => {
                let kept = commit.head.document();
                let between: Vec<_> = parts.iter().map(|(_, part)| part.head.document()).collect();
                commit.blobs.retain(|blob| blob.id() == kept || !between.contains(&blob.id()));
            }
            Some(Flaw::LastReceiptAlone) => {
                let mut head = Head::clone(&commit.head);
                let of = |head: &Head| self.store.receipts(head, &commit.blobs);
                let last = links.len().checked_sub(2).map(|i| of(&links[i].1)).unwrap_or_default();
                let base = of(&self.store.row.head);
                let is_between = |one: &Receipt| has(&last, &one.operation) && !has(&base, &one.operation);
                head.receipts = of(&head).into_iter().filter(|one| !is_between(one)).collect();
                commit.head = Arc::new(head);
            }
            _ => {}
        }
        let asked = Asked(Some(self.cache(server).number()));
        let sending = Sending { commit, links, asked, asked_at: self.store.clock, answer: None };
        self.sendings[server] = Some(Arc::new(sending));
        self.hear(flaw, server, outcomes);
    }

    /// A caller gives up.
    pub(super) fn drop_call(&mut self, flaw: Option<Flaw>, i: usize) {
        let InFlightCommit { client, id, request, .. } = &self.flights[i];
        let (Client { number, server, .. }, id) = (*client, *id);
        let is_bumping = matches!(request, Some(Request::Commit(_)));
        let is_sent = self.sendings[server]
            .as_ref()
            .is_some_and(|sending| sending.links.iter().any(|link| link.0 == number));
        if is_bumping {
            self.send_later(Asker::Call(i));
        }
        let gone = self.flights.remove(i);
        if !is_sent && !gone.run.was_sent() {
            self.oracle.dropped(number);
        }
        let Some(id) = id.filter(|_| flaw != Some(Flaw::DroppedStays)) else { return };
        self.leave(flaw, server, id);
    }

    /// A call leaves the queue of its server. The last one takes the commit under way along, which may arrive all the same.
    pub(super) fn leave(&mut self, flaw: Option<Flaw>, server: usize, id: WaiterId) {
        if !self.flights.iter().any(|one| one.client.server == server && one.id.is_some()) {
            self.send_later(Asker::Queue(server));
            (self.queues[server], self.sendings[server]) = Default::default();
            return;
        }
        let outcomes = self.queue(server).leave(id);
        self.hear(flaw, server, outcomes);
    }

    pub(super) fn go_on(
        &mut self,
        flaw: Option<Flaw>,
        (client, mut id): (Client, Option<WaiterId>),
        run: Run<'static, Work>,
        next: Next<ClientAnswer>,
        asked: Asked,
    ) {
        let Client { number, server, .. } = client;
        let (mut request, mut asked, mut turn) = (None, asked, None);
        match next {
            Next::Done(ended) => return self.end(flaw, (client, id), ended, asked),
            Next::Request(question) => {
                asked = Asked(self.cache(server).ticket(&question).or(asked.0));
                request = Some(question);
            }
            next => {
                let part = if let Next::Join(part) = next { Some(part) } else { None };
                // By the number of the call, so that worlds do not differ by who has come and gone.
                let place = *id.get_or_insert_with(|| WaiterId::numbered(number));
                turn = self.queue(server).begin(place).map(|turn| Box::new((turn, part)));
            }
        }
        let (asked_at, decides) = (self.store.clock, turn.is_some());
        let flight = InFlightCommit { client, run, id, request, turn, asked, asked_at, answer: None };
        if decides && !self.left.turns {
            self.decide(flaw, flight);
        } else {
            self.flights.push(flight);
        }
    }

    /// The call with the turn decides.
    pub(super) fn decide(&mut self, flaw: Option<Flaw>, flight: InFlightCommit) {
        let InFlightCommit { mut client, mut run, id, turn, asked, .. } = flight;
        let Client { number, server, op, .. } = client;
        let (place, (turn, part)) = id.zip(turn.map(|turn| *turn)).expect("it has the turn");
        let (cache, now) = (Arc::clone(&self.caches[server]), self.at(server).now);
        let cached = || cache.start(&CANVAS, Begin::Cached, now);
        let queue = &self.queues[server];
        let next = turn.decide(&mut run, part, cached, |blob| queue.pending(blob));
        let (next, outcomes) = self.queue(server).end(place, next);
        if let Some(next) = next {
            self.go_on(flaw, (client, id), run, next, asked);
            return self.hear(flaw, server, outcomes);
        }
        let claims = self.queues[server].prepared(place).into_iter().flat_map(|part| part.head.claims.iter());
        let is_begin = claims.into_iter().any(|claim| claim.event == event(number));
        if flaw == Some(Flaw::StartedUnsettled) && is_begin && !client.has_started {
            client.has_started = true;
            self.oracle.tool_started();
        }
        if let (Some(Flaw::AnsweredEarly), Some(answer)) = (flaw, run.planned_answer()) {
            self.oracle.answered(number, op, &Ok(answer.clone()), &self.store);
        }
        let (request, asked_at, answer) = (None, self.store.clock, None);
        self.flights.push(InFlightCommit { client, run, id, request, turn: None, asked, asked_at, answer });
        self.hear(flaw, server, outcomes);
        if self.queues[server].is_alone(place) {
            self.send(flaw, server);
        }
    }

    fn end(
        &mut self,
        flaw: Option<Flaw>,
        (client, id): (Client, Option<WaiterId>),
        ended: Result<Done<ClientAnswer>, EngineError>,
        asked: Asked,
    ) {
        let Client { number, server, op, .. } = client;
        // Nothing is kept of the other canvas, so it shows when the cache has forgotten one last.
        let is_before_forgetting = asked.0.is_some_and(|asked| !self.caches[server].is_later(&OTHER, asked));
        if !(is_before_forgetting && flaw == Some(Flaw::ForgottenForAll)) {
            self.cache(server).ended(&CANVAS, &ended, asked.0);
        }
        if let (Ok(Done { row: Some(row), .. }), true) = (&ended, self.left.notify) {
            let shown = version(row);
            self.oracle.check(shown >= client.known, Rule::ReadsAreFresh);
            self.known[server] = self.known[server].max(shown);
        }
        let ended: Ended = ended.map(|done| done.answer);
        match (&ended, op) {
            (Ok(answer), Op::Press) => {
                let running = Running::of(answer, self.runner(server));
                if running.is_some() && !client.has_started {
                    self.oracle.tool_started();
                }
                self.tools.extend(running.map(|running| Tool { server, running, settled_by: None }));
            }
            // Who has no answer may ask again.
            (Err(_), Op::Settle) => {
                let own = self.tools.iter_mut().find(|tool| tool.settled_by == Some(number));
                own.into_iter().for_each(|tool| tool.settled_by = None);
            }
            (Ok(_), Op::Settle) => self.tools.retain(|tool| tool.settled_by != Some(number)),
            _ => {}
        }
        self.oracle.answered(number, op, &ended, &self.store);
        self.oracle.contradicts(&ended, client.wrote);
        if let Some(id) = id {
            self.leave(flaw, server, id);
        }
    }
}
