//! Requests to the store, their execution, and the arrival of its answers.

use std::sync::Arc;

use super::super::call::{CANVAS, OTHER};
use super::super::flaw::Flaw;
use super::super::oracle::Rule;
use super::super::store::{Row, loaded};
use super::steps::broken;
use super::{Answered, Asker, InFlightCommit, Late, Links, Sending, World};
use crate::engine::run::CommitOutcome;
use crate::engine::run::{Request, Response};
use crate::model::head::Head;
use crate::store::contract::{Commit, Committed};
use crate::store::error::{StoreError, StoreErrorKind};

impl World {
    pub(super) fn sending(&mut self, server: usize) -> &mut Sending {
        Arc::make_mut(self.sendings[server].as_mut().expect("it commits"))
    }

    pub(super) fn send_later(&mut self, asker: Asker) {
        let late = match asker {
            Asker::Call(i) => {
                let InFlightCommit { client, request, asked_at, .. } = &self.flights[i];
                let Some(Request::Commit(commit)) = request else { return };
                let (commit, links) = (commit.clone(), Links::new());
                Late { number: client.number, server: client.server, commit, links, sent_at: *asked_at }
            }
            Asker::Queue(server) => {
                let Some(sending) = &self.sendings[server] else { return };
                let Sending { commit, links, asked_at, .. } = &**sending;
                let number = links.first().map_or(0, |link| link.0);
                Late { number, server, commit: commit.clone(), links: links.clone(), sent_at: *asked_at }
            }
        };
        self.late.push(late);
        self.late.sort_by_key(|late| late.number);
    }

    /// The store executes the request, unless it did so before, and its answer arrives or is lost.
    pub(super) fn answer(&mut self, flaw: Option<Flaw>, asker: Asker, lose: bool) {
        let answer = match asker {
            Asker::Call(i) => self.flights[i].answer.take().map(|answer| match answer {
                Answered::Row(row) => Response::Row(Ok(row)),
                Answered::Committed(committed) => Response::Committed(Ok(committed)),
            }),
            Asker::Queue(server) => {
                self.sending(server).answer.take().map(|done| Response::Committed(Ok(done)))
            }
        };
        let response = answer.unwrap_or_else(|| self.serve_asker(flaw, asker, !lose));
        let response = match response {
            Response::Committed(Ok(_)) if lose && flaw == Some(Flaw::LostCalledDefinite) => {
                Response::Committed(Err(
                    StoreError::new(StoreErrorKind::Failed).with_source("nothing was written")
                ))
            }
            Response::Committed(_) if lose => Response::Committed(Err(broken())),
            response => response,
        };
        self.respond(flaw, asker, response);
    }

    pub(super) fn serve_asker(&mut self, flaw: Option<Flaw>, asker: Asker, is_heard: bool) -> Response {
        match asker {
            Asker::Call(i) => {
                let InFlightCommit { client, request, asked_at, .. } = &self.flights[i];
                let (client, asked_at) = (*client, *asked_at);
                let request = request.clone().expect("it asks");
                self.serve(flaw, &request, (client.number, client.server), (asked_at, is_heard))
            }
            Asker::Queue(server) => {
                let Sending { commit, links, asked_at, .. } = self.sending(server).clone();
                let committed = self.serve_commit(flaw, &commit, &links, (0, server), (asked_at, is_heard));
                if let Committed::Done { .. } = committed {
                    let wrote = |flight: &&mut InFlightCommit| {
                        links.iter().any(|link| link.0 == flight.client.number)
                    };
                    self.flights.iter_mut().filter(wrote).for_each(|flight| flight.client.wrote = true);
                }
                Response::Committed(Ok(committed))
            }
        }
    }

    /// Executes a call's request and returns the store's response.
    pub(super) fn serve(
        &mut self,
        flaw: Option<Flaw>,
        request: &Request,
        (number, server): (u8, usize),
        (sent_at, is_heard): (i64, bool),
    ) -> Response {
        match request {
            Request::Load => Response::Row(Ok(Some(loaded(&self.store.row, self.heard(server))))),
            Request::Blobs(ids) => {
                Response::Blobs(Ok(ids.iter().map(|id| self.store.blobs.get(id).cloned()).collect()))
            }
            Request::Commit(bump) => {
                let committed = self.serve_commit(flaw, bump, &[], (number, server), (sent_at, is_heard));
                Response::Committed(Ok(committed))
            }
        }
    }

    /// Executes a commit and returns the store's answer. A server that does not hear the answer is notified.
    pub(super) fn serve_commit(
        &mut self,
        flaw: Option<Flaw>,
        commit: &Commit,
        links: &[(u8, Arc<Head>)],
        (number, server): (u8, usize),
        (sent_at, is_heard): (i64, bool),
    ) -> Committed {
        let clock = self.heard(server);
        let (committed, replaced) = self.store.commit(flaw, commit, clock, sent_at);
        if let Some(old) = replaced {
            let Row { head, version } = self.store.row.clone();
            let (honest, leased) = (self.left.skew == 0, self.left.rules.has_lease());
            let bump = (number, Arc::clone(&head));
            let mut below = old.head;
            for (i, (number, leads_to)) in links.iter().chain(links.is_empty().then_some(&bump)).enumerate() {
                // Of the last what the store has.
                let above = if i + 1 < links.len() { leads_to } else { &head };
                self.oracle.landed(*number, (&below, above), &self.store, (honest, leased));
                let is_stored = self.store.blobs.contains_key(&above.document());
                self.oracle.check(is_stored, Rule::EachStored);
                below = Arc::clone(above);
            }
            for other in (0..2).filter(|other| !(is_heard && *other == server)) {
                self.notify(flaw, other, version);
            }
        }
        committed
    }

    pub(super) fn notify(&mut self, flaw: Option<Flaw>, server: usize, version: u64) {
        if self.left.notify {
            self.known[server] = version;
            if flaw != Some(Flaw::NotificationIgnored) {
                self.cache(server).forget(&CANVAS);
            }
        }
    }

    pub(super) fn respond(&mut self, flaw: Option<Flaw>, asker: Asker, response: Response) {
        match (asker, response) {
            (Asker::Call(i), response) => {
                let InFlightCommit { client, mut run, id, asked, .. } = self.flights.remove(i);
                self.cache(client.server).answered(&CANVAS, &response);
                let next = run.handle_response(response);
                self.go_on(flaw, (client, id), run, next, asked);
            }
            (Asker::Queue(server), Response::Committed(committed)) => self.complete(flaw, server, committed),
            (Asker::Queue(_), _) => unreachable!("a queue only commits"),
        }
    }

    /// Reports the outcome of a commit to the queue of a server.
    pub(super) fn complete(
        &mut self,
        flaw: Option<Flaw>,
        server: usize,
        committed: Result<Committed, StoreError>,
    ) {
        let Some(sending) = self.sendings[server].take() else { return };
        let row = match &committed {
            Ok(Committed::Done { version, clock }) => self.queues[server].stored(version, *clock),
            _ => None,
        };
        let ticket = sending.asked.0.expect("it was numbered");
        let is_before_forgetting = !self.caches[server].is_later(&OTHER, ticket);
        if !(is_before_forgetting && flaw == Some(Flaw::ForgottenForAll)) {
            self.cache(server).committed(&CANVAS, committed.as_ref().map(|_| row), ticket);
        }
        let done = match &committed {
            Ok(Committed::Done { version, clock }) => Some((version.clone(), *clock)),
            _ => None,
        };
        let mut outcomes = self.queue(server).complete(committed);
        if let (Some(Flaw::AnsweredUponTheOld), Some((version, clock))) = (flaw, done) {
            let looks = outcomes.iter_mut().filter(|(_, outcome)| matches!(outcome, CommitOutcome::Reload));
            for (_, outcome) in looks {
                *outcome = CommitOutcome::Stored { version: version.clone(), clock, host_at: clock };
            }
        }
        if flaw == Some(Flaw::SettledForOne) {
            let lost =
                outcomes.iter_mut().filter(|(_, outcome)| matches!(outcome, CommitOutcome::Unknown { .. }));
            lost.skip(1).for_each(|(_, outcome)| *outcome = CommitOutcome::Retry);
        }
        if let (Some(Flaw::AnswersSwapped), [(one, _), (other, _), ..]) = (flaw, &outcomes[..]) {
            let at = |id| self.flights.iter().position(|flight| self.is_at(flight, server, id));
            if let (Some(i), Some(j)) = (at(*one), at(*other)) {
                let client = self.flights[i].client;
                self.flights[i].client = std::mem::replace(&mut self.flights[j].client, client);
            }
        }
        self.hear(flaw, server, outcomes);
    }
}
