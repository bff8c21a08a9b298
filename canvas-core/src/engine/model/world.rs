//! Two servers, one row, and everything that happens on the way between them.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use canvas_lease::Timestamp;
use stateright::{Model, Property};

use super::call::{CANVAS, ClientAnswer, Ended, LEASE, OTHER, Op, Runner, Running, Work, at, event, version};
use super::flaw::Flaw;
use super::oracle::{Oracle, Rule};
use super::store::{Row, RowStore, START, TOOL, loaded};
use crate::engine::cache::{Begin, Cache, Ticket};
use crate::engine::context::RunContext;
use crate::engine::run::{Done, Next, Request, Response, Run};
use crate::model::blob::BlobId;
use crate::model::claims::Claim;
use crate::store::contract::{Commit, Committed, Loaded};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::surface::{Ceiling, ToolContract, ToolDeclaration, ToolName};
use crate::transition::policy::Policy;
use crate::transition::rollout::Rollout;
use crate::transition::view::Types;

/// With the tool, which runs without being confirmed.
static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let tool = ToolName::new(TOOL).expect("a name");
    let contract = ToolContract::new(tool.clone(), ToolDeclaration::default()).expect("no schema");
    let (tools, trust) = ([(tool.clone(), contract)].into(), [tool].into());
    Types { ceiling: Arc::new(Ceiling { tools, trust, ..Ceiling::default() }), ..Types::default() }
});

/// A lease lives two ticks.
fn policy(history: u64) -> Policy {
    let lease = canvas_lease::Policy {
        ttl: Duration::from_millis(2),
        max_hold: Duration::from_millis(100),
        clock_tolerance: Duration::from_millis(1),
    };
    Policy { lease, history, receipt_lifetime: Duration::ZERO, ..Policy::default() }
}

/// Without a journal and ages of receipts, which would make different states of worlds that differ in their past alone.
static POLICY: LazyLock<Policy> = LazyLock::new(|| policy(0));

static WITH_JOURNAL: LazyLock<Policy> = LazyLock::new(|| policy(100));

static RETAKING: LazyLock<Policy> = LazyLock::new(|| Policy { retake: true, ..policy(0) });

/// A write needs no lease here, so that only what its author has seen keeps it from the user's text.
static REBASING: LazyLock<Policy> =
    LazyLock::new(|| Policy { rebase: true, rollout: Rollout::LeaseOptional, ..policy(100) });

/// What the host has switched on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Rules {
    Usual,
    /// An expired lease is taken anew with a write.
    Retake,
    /// A write that names no base is moved past what its author has not seen.
    Rebase,
}

/// How often each thing may happen. Every counter needs a bound, or the states never end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Budget {
    /// How often each call is made.
    pub(super) starts: [u8; Op::ALL.len()],
    /// Calls under way at once.
    pub(super) at_once: usize,
    /// Answers to commits that are lost.
    pub(super) lost: u8,
    /// Commits that the server believes lost and that may still arrive.
    pub(super) delayed: u8,
    /// Commits that arrive and may arrive again.
    pub(super) doubled: u8,
    /// Failures of the store that it admits.
    pub(super) definite: u8,
    /// Loads that show the row before the current one.
    pub(super) stale: u8,
    /// Answers that arrive some time after they were made.
    pub(super) slow: u8,
    /// Servers that forget everything; what they have sent may still arrive.
    pub(super) crashes: u8,
    pub(super) ticks: u8,
    /// By how much the store's clock, as the second server hears it, and that server's own, are ahead.
    pub(super) skew: i64,
    /// The store notifies each server of the commits whose answers it does not get, and reads are served from caches.
    pub(super) notify: bool,
    /// Notifications of what has not changed, for this canvas or another.
    pub(super) rumours: u8,
    /// There is a journal.
    pub(super) journal: bool,
    pub(super) rules: Rules,
    /// Collections of old blobs.
    pub(super) collections: u8,
}

/// Who waits for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Client {
    number: u8,
    server: usize,
    op: Op,
    /// For a read: [`World::known`] of the server when it began.
    known: u64,
    /// A commit of it has landed that was more than a bump.
    wrote: bool,
    /// It has started the tool.
    has_started: bool,
}

/// The question that the row of a run answers. Only its place among the numbers of the cache counts, and that is in
/// [`World::key`].
#[derive(Debug, Clone, Copy, Default)]
struct Asked(Option<Ticket>);

impl PartialEq for Asked {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Asked {}

impl std::hash::Hash for Asked {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// A call under way at a server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Flight {
    client: Client,
    run: Run<'static, Work>,
    request: Request,
    asked: Asked,
    /// The clock when that was asked.
    asked_at: i64,
    /// What the store has answered, where that has not arrived yet.
    answer: Option<Answered>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Answered {
    Row(Option<Loaded>),
    Committed(Committed),
}

/// A commit that is still on its way, and whose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Late {
    number: u8,
    server: usize,
    commit: Commit,
    sent_at: i64,
}

/// A tool at work, or done, for all that its server knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Tool {
    server: usize,
    running: Running,
    /// The number of the call that ends it.
    settled_by: Option<u8>,
}

#[derive(Debug, Clone)]
pub(super) struct World {
    store: RowStore,
    caches: [Arc<Cache>; 2],
    /// The version of the newest row that each server has answered or was notified of, where the store notifies.
    known: [u64; 2],
    flights: Vec<Flight>,
    late: Vec<Late>,
    tools: Vec<Tool>,
    /// How often each server has started again.
    restarts: [u8; 2],
    started: u8,
    left: Budget,
    pub(super) oracle: Oracle,
}

fn empty_cache() -> Arc<Cache> {
    Arc::new(Cache::new(usize::MAX))
}

impl World {
    fn key(&self) -> impl PartialEq + std::hash::Hash + '_ {
        let Self { store, caches, known, flights, late, tools, restarts, started, left, oracle } = self;
        // A row of the past matters only while it can still be shown.
        let before = store.before.as_ref().filter(|_| left.stale > 0);
        let is_later = |flight: &Flight| {
            let cache = &caches[flight.client.server];
            flight.asked.0.is_some_and(|ticket| cache.is_later(&CANVAS, ticket))
        };
        let later: Vec<_> = flights.iter().map(is_later).collect();
        let cached = [0, 1].map(|server| caches[server].row(&CANVAS));
        let collected = (&store.dropped, &store.collection);
        (
            (&store.row, before, store.clock, collected, cached, later, known),
            (flights, late, tools, restarts, started, left, oracle),
        )
    }
}

impl PartialEq for World {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl std::hash::Hash for World {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    Start {
        op: Op,
        server: usize,
    },
    /// A server says what a tool has answered.
    Settle(usize),
    /// The store does what a call asks, and its answer arrives.
    Answer(usize),
    /// As before, and the commit arrives once more, later or never.
    AnswerAndDouble(usize),
    /// The store does it, and the answer arrives later, by [`Action::Answer`].
    AnswerSlowly(usize),
    /// The store does it, and the answer is lost.
    LoseAnswer(usize),
    /// The commit is under way longer than the server waits.
    Delay(usize),
    FailForSure(usize),
    AnswerFromThePast(usize),
    /// What was on its way arrives.
    Arrive(usize),
    Crash {
        server: usize,
    },
    /// A server is notified of a canvas that has not changed.
    Rumour {
        server: usize,
        other: bool,
    },
    Tick,
    /// Somebody finds out what the canvas needs.
    PlanCollection,
    /// The rest is dropped.
    Collect,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct WorldModel {
    pub(super) flaw: Option<Flaw>,
    pub(super) budget: Budget,
}

impl Model for WorldModel {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let mut world = World {
            store: RowStore::new(self.budget.starts[Op::Press as usize] > 0),
            caches: [(); 2].map(|()| empty_cache()),
            known: [0; 2],
            flights: Vec::new(),
            late: Vec::new(),
            tools: Vec::new(),
            restarts: [0; 2],
            started: 0,
            left: Budget { skew: 0, notify: false, ..self.budget },
            oracle: Oracle::default(),
        };
        // The model has the lease, and has seen the text, so that its reads leave nothing to commit.
        for work in [Work::Begin, Work::Call(Op::Read)] {
            let (mut run, mut next) = Run::start(world.at(0), work, None, false);
            while let Next::Request(request) = next {
                next = run.handle_response(world.serve(self.flaw, &request, (0, 0), START, true));
            }
        }
        world.left = self.budget;
        world.store.before = None;
        vec![world]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        let left = &world.left;
        for op in Op::ALL.into_iter().filter(|_| world.flights.len() < left.at_once) {
            if left.starts[op as usize] == 0 {
                continue;
            }
            if op == Op::Settle {
                let free = world.tools.iter().enumerate().filter(|(_, tool)| tool.settled_by.is_none());
                actions.extend(free.map(|(i, _)| Action::Settle(i)));
            } else {
                actions.extend((0..2).map(|server| Action::Start { op, server }));
            }
        }
        for (i, flight) in world.flights.iter().enumerate() {
            actions.push(Action::Answer(i));
            if flight.answer.is_some() {
                continue;
            }
            let loads = matches!(flight.request, Request::Load);
            let commits = matches!(flight.request, Request::Commit(_));
            let may = [
                (left.lost, commits, Action::LoseAnswer(i)),
                (left.delayed, commits, Action::Delay(i)),
                (left.doubled, commits, Action::AnswerAndDouble(i)),
                (left.slow, loads || commits, Action::AnswerSlowly(i)),
                (left.definite, true, Action::FailForSure(i)),
                (left.stale, loads && world.store.before.is_some(), Action::AnswerFromThePast(i)),
            ];
            actions.extend(may.into_iter().filter(|(count, when, _)| *count > 0 && *when).map(|may| may.2));
        }
        actions.extend((0..world.late.len()).map(Action::Arrive));
        if left.crashes > 0 {
            actions.extend((0..2).map(|server| Action::Crash { server }));
        }
        if left.rumours > 0 {
            for server in 0..2 {
                actions.extend([false, true].map(|other| Action::Rumour { server, other }));
            }
        }
        if left.ticks > 0 {
            actions.push(Action::Tick);
        }
        match world.store.collection {
            Some(_) => actions.push(Action::Collect),
            None if left.collections > 0 => actions.push(Action::PlanCollection),
            None => {}
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        next.act(self.flaw, action);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        // A property is a plain function, so each rule needs one of its own.
        macro_rules! always {
            ($($rule:ident)*) => {
                vec![$(Property::always(Rule::$rule.text(), |_: &Self, world: &World| {
                    world.oracle.broken != Some(Rule::$rule)
                })),*]
            };
        }
        let rules = always!(NothingLost NothingForgotten DoneOnce UnderTheLease InTime TakenAnew AnswersTrue AnswersAgree
            NeverIsNever NumbersRise HistoryStays ReadsAreFresh StartsOnce EndsOnce);
        rules.into_iter().chain(dangers()).collect()
    }
}

/// Situations that must come up, or the machine was never tried.
pub(super) fn dangers() -> Vec<Property<WorldModel>> {
    fn commits(world: &World, op: Op) -> usize {
        let is_it = |flight: &&Flight| flight.client.op == op && matches!(flight.request, Request::Commit(_));
        world.flights.iter().filter(is_it).count()
    }
    vec![
        Property::sometimes("two writes are being committed at once", |_, world: &World| {
            commits(world, Op::WriteA) > 0 && commits(world, Op::WriteB) > 0
        }),
        Property::sometimes("a call and its retry are being committed at once", |_, world: &World| {
            commits(world, Op::WriteA) > 1
        }),
        Property::sometimes("a write is being committed when its lease is preempted", |_, world: &World| {
            commits(world, Op::WriteA) > 0 && world.store.row.head.lock().epoch().get() > 0
        }),
        Property::sometimes(
            "a write is on its way when its lease has expired",
            |model: &WorldModel, world: &World| {
                let lease = world.store.row.head.lock().lease();
                let expired = lease.is_some_and(|lease| lease.expires_at <= at(world.store.clock));
                model.budget.skew == 0 && expired && !world.late.is_empty()
            },
        ),
        Property::sometimes("a commit is on its way when its call is made again", |_, world: &World| {
            let late = |flight: &Flight| world.late.iter().any(|late| late.number != flight.client.number);
            world.flights.iter().any(|flight| flight.client.op == Op::WriteA && late(flight))
        }),
        Property::sometimes("a commit is on its way when somebody asks about it", |_, world: &World| {
            !world.late.is_empty() && commits(world, Op::AskA) > 0
        }),
        Property::sometimes("another has the lease when a write is on its way", |_, world: &World| {
            let is_another = world.store.row.head.lock().fence().get() > 1;
            is_another && (commits(world, Op::WriteA) > 0 || !world.late.is_empty())
        }),
        Property::sometimes("a server is notified while its commit is on its way", |_, world: &World| {
            let late = |flight: &Flight| {
                let cache = &world.caches[flight.client.server];
                flight.asked.0.is_some_and(|ticket| !cache.is_later(&CANVAS, ticket))
            };
            commits(world, Op::WriteA) > 0 && world.flights.iter().any(late)
        }),
        Property::sometimes("an expired lease was taken anew", |model: &WorldModel, world: &World| {
            let lease = world.store.row.head.lock().lease();
            model.budget.rules == Rules::Retake
                && lease.is_some_and(|lease| lease.id != *LEASE && lease.holder.as_str() == "model")
        }),
        Property::sometimes(
            "a write was moved past what its author had not seen",
            |model: &WorldModel, world: &World| {
                model.budget.rules == Rules::Rebase
                    && world.store.row.head.document() == BlobId::of(b"c\nx\n")
            },
        ),
        Property::sometimes("an action is begun twice at once", |_, world: &World| {
            commits(world, Op::Press) > 1
        }),
        Property::sometimes(
            "a begin is on its way when its action is asked for again",
            |_, world: &World| {
                let begins = |late: &Late| !late.commit.head.claims.is_empty();
                world.store.row.head.claims.is_empty()
                    && world.late.iter().any(begins)
                    && commits(world, Op::Press) > 0
            },
        ),
        Property::sometimes(
            "an action is asked for again when its runner has crashed",
            |_, world: &World| {
                let is_alive =
                    |claim: &Claim| (0..2).any(|server| claim.runner == world.runner(server).name());
                let mut claims = world.store.row.head.claims.iter();
                claims.any(|claim| !is_alive(claim)) && commits(world, Op::Press) > 0
            },
        ),
        Property::sometimes("an action is lost when its tool ends", |_, world: &World| {
            world.store.row.head.audit.records > 0 && commits(world, Op::Settle) > 0
        }),
    ]
}

fn broken() -> StoreError {
    StoreError::new(StoreErrorKind::Indeterminate).caused("the connection broke")
}

impl World {
    fn at(&self, server: usize) -> RunContext<'static> {
        let policy = match self.left.rules {
            Rules::Retake => &RETAKING,
            Rules::Rebase => &REBASING,
            Rules::Usual if self.left.journal => &WITH_JOURNAL,
            Rules::Usual => &POLICY,
        };
        RunContext { canvas: &CANVAS, policy, types: &TYPES, now: self.heard(server) }
    }

    /// The clock as a server hears it, its own and the store's alike.
    fn heard(&self, server: usize) -> Timestamp {
        at(self.store.clock + if server == 1 { self.left.skew } else { 0 })
    }

    fn runner(&self, server: usize) -> Runner {
        Runner { server, starts: self.restarts[server] }
    }

    fn cache(&mut self, server: usize) -> &mut Cache {
        Arc::make_mut(&mut self.caches[server])
    }

    fn act(&mut self, flaw: Option<Flaw>, action: Action) {
        match action {
            Action::Start { op, server } => self.start(flaw, op, server),
            Action::Settle(i) => {
                let Tool { server, running, settled_by } = &mut self.tools[i];
                *settled_by = Some(self.started + 1);
                let (server, work) = (*server, Work::Settle(running.clone()));
                self.start_work(flaw, Op::Settle, server, work);
            }
            Action::Answer(i) => self.answer(flaw, i, false),
            Action::AnswerAndDouble(i) => {
                self.left.doubled -= 1;
                self.send_later(&self.flights[i].clone());
                self.answer(flaw, i, false);
            }
            Action::AnswerSlowly(i) => {
                self.left.slow -= 1;
                self.flights[i].answer = match self.serve_flight(flaw, i, true) {
                    Response::Row(row) => row.ok().map(Answered::Row),
                    Response::Committed(committed) => committed.ok().map(Answered::Committed),
                    Response::Blobs(_) => unreachable!("only answers about the row are slow"),
                };
            }
            Action::LoseAnswer(i) => {
                self.left.lost -= 1;
                self.answer(flaw, i, true);
            }
            Action::Delay(i) => {
                self.left.delayed -= 1;
                let flight = self.flights.remove(i);
                self.send_later(&flight);
                self.respond(flaw, flight, Response::Committed(Err(broken())));
            }
            Action::FailForSure(i) => {
                self.left.definite -= 1;
                let flight = self.flights.remove(i);
                let fault = StoreError::new(StoreErrorKind::Failed).caused("the disk is full");
                let response = match flight.request {
                    Request::Load => Response::Row(Err(fault)),
                    Request::Blobs(_) => Response::Blobs(Err(fault)),
                    Request::Commit(_) => Response::Committed(Err(fault)),
                };
                self.respond(flaw, flight, response);
            }
            Action::AnswerFromThePast(i) => {
                self.left.stale -= 1;
                let flight = self.flights.remove(i);
                let clock = self.heard(flight.client.server);
                let row = self.store.before.as_ref().map(|row| loaded(row, clock));
                self.respond(flaw, flight, Response::Row(Ok(row)));
            }
            Action::Arrive(i) => {
                let Late { number, server, commit, sent_at } = self.late.remove(i);
                self.serve(flaw, &Request::Commit(commit), (number, server), sent_at, false);
            }
            Action::Crash { server } => {
                self.left.crashes -= 1;
                self.caches[server] = empty_cache();
                self.restarts[server] += 1;
                self.tools.retain(|tool| tool.server != server);
                let flights = std::mem::take(&mut self.flights);
                let (gone, stay): (Vec<_>, Vec<_>) =
                    flights.into_iter().partition(|flight| flight.client.server == server);
                self.flights = stay;
                gone.iter().for_each(|flight| self.send_later(flight));
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
        self.flights.sort_by_key(|flight| flight.client.number);
    }

    /// A call begins, as [`Engine::call`](crate::Engine::call) begins it.
    fn start(&mut self, flaw: Option<Flaw>, op: Op, server: usize) {
        let number = if flaw == Some(Flaw::EventNamedTwice) { 0 } else { self.started + 1 };
        let work = match op {
            Op::Press => Work::Press { event: number, runner: self.runner(server) },
            Op::EditBase if flaw == Some(Flaw::BaseIgnored) => Work::Overwrite,
            Op::WriteA if flaw == Some(Flaw::OldText) => Work::Paste,
            Op::WriteA if flaw == Some(Flaw::OldLock) => Work::Seize,
            op => Work::of(op),
        };
        self.start_work(flaw, op, server, work);
    }

    fn start_work(&mut self, flaw: Option<Flaw>, op: Op, server: usize, work: Work) {
        self.left.starts[op as usize] -= 1;
        self.started += 1;
        let (at, is_read) = (self.at(server), op == Op::Read);
        let begin = Begin::of_call(is_read, self.left.notify);
        let (cached, trusted) = self.caches[server].start(&CANVAS, begin, at.now);
        let (run, next) = Run::start(at, work, cached, trusted);
        let known = if is_read { self.known[server] } else { 0 };
        let client = Client { number: self.started, server, op, known, wrote: false, has_started: false };
        self.go_on(flaw, client, run, next, Asked(None));
    }

    fn send_later(&mut self, flight: &Flight) {
        if let Request::Commit(commit) = &flight.request {
            let Client { number, server, .. } = flight.client;
            self.late.push(Late { number, server, commit: commit.clone(), sent_at: flight.asked_at });
            self.late.sort_by_key(|late| late.number);
        }
    }

    /// The store does what a call asks, unless it has, and its answer arrives or is lost.
    fn answer(&mut self, flaw: Option<Flaw>, i: usize, lose: bool) {
        let response = match self.flights[i].answer.take() {
            Some(Answered::Row(row)) => Response::Row(Ok(row)),
            Some(Answered::Committed(committed)) => Response::Committed(Ok(committed)),
            None => self.serve_flight(flaw, i, !lose),
        };
        let response = match response {
            Response::Committed(Ok(_)) if lose && flaw == Some(Flaw::LostCalledDefinite) => {
                Response::Committed(
                    Err(StoreError::new(StoreErrorKind::Failed).caused("nothing was written")),
                )
            }
            Response::Committed(_) if lose => Response::Committed(Err(broken())),
            response => response,
        };
        let flight = self.flights.remove(i);
        self.respond(flaw, flight, response);
    }

    fn serve_flight(&mut self, flaw: Option<Flaw>, i: usize, is_heard: bool) -> Response {
        let Flight { client, request, asked_at, run, .. } = &self.flights[i];
        let (client, request, asked_at, is_own) = (*client, request.clone(), *asked_at, run.is_committing());
        let response = self.serve(flaw, &request, (client.number, client.server), asked_at, is_heard);
        if let (Request::Commit(_), Response::Committed(Ok(Committed::Done { .. }))) = (&request, &response) {
            self.flights[i].client.wrote |= is_own;
        }
        response
    }

    /// What the store does and answers. A server that does not hear the answer is notified.
    fn serve(
        &mut self,
        flaw: Option<Flaw>,
        request: &Request,
        (number, server): (u8, usize),
        sent_at: i64,
        is_heard: bool,
    ) -> Response {
        let clock = self.heard(server);
        match request {
            Request::Load => Response::Row(Ok(Some(loaded(&self.store.row, clock)))),
            Request::Blobs(ids) => {
                Response::Blobs(Ok(ids.iter().map(|id| self.store.blobs.get(id).cloned()).collect()))
            }
            Request::Commit(commit) => {
                let (committed, replaced) = self.store.commit(flaw, commit, clock, sent_at);
                if let Some(old) = replaced {
                    let Row { head, version } = self.store.row.clone();
                    let (honest, leased) = (self.left.skew == 0, self.left.rules != Rules::Rebase);
                    self.oracle.landed(number, (&old.head, &head), self.store.clock, (honest, leased));
                    for other in (0..2).filter(|other| !(is_heard && *other == server)) {
                        self.notify(flaw, other, version);
                    }
                }
                Response::Committed(Ok(committed))
            }
        }
    }

    fn notify(&mut self, flaw: Option<Flaw>, server: usize, version: u64) {
        if self.left.notify {
            self.known[server] = version;
            if flaw != Some(Flaw::NotificationIgnored) {
                self.cache(server).forget(&CANVAS);
            }
        }
    }

    fn respond(&mut self, flaw: Option<Flaw>, flight: Flight, response: Response) {
        let Flight { client, mut run, asked, .. } = flight;
        self.cache(client.server).answered(&CANVAS, &response);
        let next = run.handle_response(response);
        self.go_on(flaw, client, run, next, asked);
    }

    fn go_on(
        &mut self,
        flaw: Option<Flaw>,
        mut client: Client,
        run: Run<'static, Work>,
        next: Next<ClientAnswer>,
        asked: Asked,
    ) {
        let Client { number, server, op, .. } = client;
        let ended = match next {
            Next::Request(request) => {
                let begins =
                    |commit: &Commit| commit.head.claims.iter().any(|claim| claim.event == event(number));
                let is_begin = matches!(&request, Request::Commit(commit) if begins(commit));
                if flaw == Some(Flaw::StartedUnsettled) && is_begin && !client.has_started {
                    client.has_started = true;
                    self.oracle.tool_started();
                }
                let asked = Asked(self.cache(server).ticket(&request).or(asked.0));
                let asked_at = self.store.clock;
                self.flights.push(Flight { client, run, request, asked, asked_at, answer: None });
                return;
            }
            Next::Done(ended) => ended,
        };
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
        self.oracle.answered(number, op, &ended);
        self.oracle.contradicts(&ended, client.wrote);
    }
}
