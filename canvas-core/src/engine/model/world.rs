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
use crate::engine::queue::{Lane, Part, Seat, Verdict, Verdicts};
use crate::engine::run::{Done, Next, Request, Response, Run};
use crate::model::blob::BlobId;
use crate::model::claims::Claim;
use crate::model::head::Head;
use crate::model::receipt::Receipt;
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

/// Which server a call may come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Places {
    Any,
    /// All to one.
    One,
    /// The user's edits to one, all others to the other.
    EditApart,
}

impl Places {
    fn of(self, op: Op) -> std::ops::Range<usize> {
        match self {
            Self::Any => 0..2,
            Self::EditApart if op == Op::Edit => 1..2,
            Self::One | Self::EditApart => 0..1,
        }
    }
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
    /// Callers that give up before they have an answer.
    pub(super) drops: u8,
    pub(super) places: Places,
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
    /// Its place in the queue of its server.
    seat: Option<Seat>,
    /// None where it waits in the queue.
    request: Option<Request>,
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

/// A commit of a server's queue, under way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Sending {
    commit: Commit,
    links: Links,
    asked: Asked,
    asked_at: i64,
    answer: Option<Committed>,
}

/// The calls of a commit, by number, each with the head that it leads to. Empty for a bump.
type Links = Vec<(u8, Arc<Head>)>;

/// A commit that is still on its way, and whose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Late {
    number: u8,
    server: usize,
    commit: Commit,
    links: Links,
    sent_at: i64,
}

/// What waits for the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A call, which loads or bumps.
    Call(usize),
    /// The queue of a server, which commits.
    Queue(usize),
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
    /// The queue of each server.
    lanes: [Arc<Lane>; 2],
    sendings: [Option<Arc<Sending>>; 2],
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
        let Self {
            store,
            caches,
            known,
            lanes,
            sendings,
            flights,
            late,
            tools,
            restarts,
            started,
            left,
            oracle,
        } = self;
        // A row of the past matters only while it can still be shown.
        let before = store.before.as_ref().filter(|_| left.stale > 0);
        let is_later = |(server, asked): (usize, Asked)| {
            asked.0.is_some_and(|ticket| caches[server].is_later(&CANVAS, ticket))
        };
        let sent = sendings.iter().enumerate().filter_map(|(i, sending)| Some((i, sending.as_ref()?.asked)));
        let later = flights.iter().map(|flight| (flight.client.server, flight.asked)).chain(sent);
        let later: Vec<_> = later.map(is_later).collect();
        let cached = [0, 1].map(|server| caches[server].row(&CANVAS));
        let collected = (&store.dropped, &store.collection);
        (
            (&store.row, before, store.clock, collected, cached, later, known),
            (flights, late, tools, restarts, started, left, oracle, lanes, sendings),
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
    /// The store does what is asked, and its answer arrives.
    Answer(Asker),
    /// As before, and the commit arrives once more, later or never.
    AnswerAndDouble(Asker),
    /// The store does it, and the answer arrives later, by [`Action::Answer`].
    AnswerSlowly(Asker),
    /// The store does it, and the answer is lost.
    LoseAnswer(Asker),
    /// The commit is under way longer than the server waits.
    Delay(Asker),
    FailForSure(Asker),
    AnswerFromThePast(usize),
    /// What was on its way arrives.
    Arrive(usize),
    Crash {
        server: usize,
    },
    /// A server sends what its queue has gathered.
    Send(usize),
    /// A caller gives up.
    Drop(usize),
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
            lanes: Default::default(),
            sendings: [None, None],
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
            world.run_alone(self.flaw, work);
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
                actions.extend(left.places.of(op).map(|server| Action::Start { op, server }));
            }
        }
        let calls = world.flights.iter().enumerate().filter_map(|(i, flight)| {
            let (commits, is_answered) =
                (matches!(flight.request.as_ref()?, Request::Commit(_)), flight.answer.is_some());
            Some((Asker::Call(i), matches!(flight.request, Some(Request::Load)), commits, is_answered))
        });
        let queues = world.sendings.iter().enumerate().filter_map(|(server, sending)| {
            Some((Asker::Queue(server), false, true, sending.as_ref()?.answer.is_some()))
        });
        for (asker, loads, commits, is_answered) in calls.chain(queues) {
            actions.push(Action::Answer(asker));
            if is_answered {
                continue;
            }
            let may = [
                (left.lost, commits, Action::LoseAnswer(asker)),
                (left.delayed, commits, Action::Delay(asker)),
                (left.doubled, commits, Action::AnswerAndDouble(asker)),
                (left.slow, loads || commits, Action::AnswerSlowly(asker)),
                (left.definite, true, Action::FailForSure(asker)),
            ];
            actions.extend(may.into_iter().filter(|(count, when, _)| *count > 0 && *when).map(|may| may.2));
            if let (Asker::Call(i), true) = (asker, left.stale > 0 && loads && world.store.before.is_some()) {
                actions.push(Action::AnswerFromThePast(i));
            }
        }
        actions.extend((0..2).filter(|server| world.lanes[*server].is_ready()).map(Action::Send));
        if left.drops > 0 {
            actions.extend((0..world.flights.len()).map(Action::Drop));
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
            NeverIsNever NumbersRise HistoryStays ReadsAreFresh StartsOnce EndsOnce EachStored DroppedIsNever);
        rules.into_iter().chain(dangers()).collect()
    }
}

/// Situations that must come up, or the machine was never tried.
pub(super) fn dangers() -> Vec<Property<WorldModel>> {
    fn commits(world: &World, op: Op) -> usize {
        let is_bump = |flight: &Flight| matches!(flight.request, Some(Request::Commit(_)));
        let is_it =
            |flight: &&Flight| flight.client.op == op && (is_bump(flight) || flight.run.is_committing());
        world.flights.iter().filter(is_it).count()
    }
    fn shared(world: &World) -> impl Iterator<Item = &Sending> {
        world.sendings.iter().flatten().map(|sending| &**sending).filter(|sending| sending.links.len() > 1)
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
            let late = |(sending, cache): (&Option<Arc<Sending>>, &Arc<Cache>)| {
                let asked = sending.as_ref().and_then(|sending| sending.asked.0);
                asked.is_some_and(|ticket| !cache.is_later(&CANVAS, ticket))
            };
            commits(world, Op::WriteA) > 0 && world.sendings.iter().zip(&world.caches).any(late)
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
        Property::sometimes("a commit of several calls has lost", |_, world: &World| {
            shared(world).any(|sending| {
                let expected = sending.commit.expected.as_ref().map(|version| version.as_str().to_owned());
                expected != Some(world.store.row.version.to_string())
            })
        }),
        Property::sometimes("a commit of several calls is of unknown fate", |_, world: &World| {
            world.late.iter().any(|late| late.links.len() > 1)
        }),
        Property::sometimes("a call that was dropped left others to be decided again", |_, world: &World| {
            world.oracle.has_dropped() && world.lanes.iter().any(|lane| lane.is_ready())
        }),
        Property::sometimes("a call waits for what it was answered upon", |_, world: &World| {
            world.flights.iter().any(|flight| flight.run.is_standing())
        }),
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
                let fault = StoreError::new(StoreErrorKind::Failed).caused("the disk is full");
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
                (self.lanes[server], self.sendings[server]) = Default::default();
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
        if self.left.at_once == 2 {
            // Nobody else could come before it is sent.
            (0..2).for_each(|server| self.send(flaw, server));
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
        let mut run = Run::new(at, work);
        let next = match Begin::of_call(is_read, self.left.notify) {
            Begin::Cached => Next::Turn,
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
    fn run_alone(&mut self, flaw: Option<Flaw>, work: Work) {
        let (mut run, mut lane) = (Run::new(self.at(0), work), Lane::default());
        let (seat, mut next) = (lane.enter(), Next::Turn);
        loop {
            let part = match next {
                Next::Done(_) => return,
                Next::Request(request) => {
                    next = run.handle_response(self.serve(flaw, &request, (0, 0), (START, true)));
                    continue;
                }
                Next::Join(part) => Some(part),
                Next::Turn => None,
            };
            if let Some(more) = lane.decide(seat, &mut run, part, || (None, false)) {
                next = more;
                continue;
            }
            let (commit, _) = lane.take().expect("it is alone");
            let (committed, _) = self.store.commit(flaw, &commit, self.heard(0), START);
            let (_, verdict) = lane.complete(Ok(committed)).pop().expect("it is alone");
            next = run.handle_verdict(verdict);
        }
    }

    fn sending(&mut self, server: usize) -> &mut Sending {
        Arc::make_mut(self.sendings[server].as_mut().expect("it commits"))
    }

    fn send_later(&mut self, asker: Asker) {
        let late = match asker {
            Asker::Call(i) => {
                let Flight { client, request, asked_at, .. } = &self.flights[i];
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

    /// The store does what is asked, unless it has, and its answer arrives or is lost.
    fn answer(&mut self, flaw: Option<Flaw>, asker: Asker, lose: bool) {
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
                Response::Committed(
                    Err(StoreError::new(StoreErrorKind::Failed).caused("nothing was written")),
                )
            }
            Response::Committed(_) if lose => Response::Committed(Err(broken())),
            response => response,
        };
        self.respond(flaw, asker, response);
    }

    fn serve_asker(&mut self, flaw: Option<Flaw>, asker: Asker, is_heard: bool) -> Response {
        match asker {
            Asker::Call(i) => {
                let Flight { client, request, asked_at, .. } = &self.flights[i];
                let (client, asked_at) = (*client, *asked_at);
                let request = request.clone().expect("it asks");
                self.serve(flaw, &request, (client.number, client.server), (asked_at, is_heard))
            }
            Asker::Queue(server) => {
                let Sending { commit, links, asked_at, .. } = self.sending(server).clone();
                let committed = self.serve_commit(flaw, &commit, &links, (0, server), (asked_at, is_heard));
                if let Committed::Done { .. } = committed {
                    let wrote =
                        |flight: &&mut Flight| links.iter().any(|link| link.0 == flight.client.number);
                    self.flights.iter_mut().filter(wrote).for_each(|flight| flight.client.wrote = true);
                }
                Response::Committed(Ok(committed))
            }
        }
    }

    /// What the store does and answers to a call.
    fn serve(
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

    /// What the store does and answers to a commit. A server that does not hear the answer is notified.
    fn serve_commit(
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
            let (honest, leased) = (self.left.skew == 0, self.left.rules != Rules::Rebase);
            let bump = (number, Arc::clone(&head));
            let mut below = old.head;
            for (i, (number, leads_to)) in links.iter().chain(links.is_empty().then_some(&bump)).enumerate() {
                // Of the last what the store has.
                let above = if i + 1 < links.len() { leads_to } else { &head };
                self.oracle.landed(*number, (&below, above), self.store.clock, (honest, leased));
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

    fn notify(&mut self, flaw: Option<Flaw>, server: usize, version: u64) {
        if self.left.notify {
            self.known[server] = version;
            if flaw != Some(Flaw::NotificationIgnored) {
                self.cache(server).forget(&CANVAS);
            }
        }
    }

    fn respond(&mut self, flaw: Option<Flaw>, asker: Asker, response: Response) {
        match (asker, response) {
            (Asker::Call(i), response) => {
                let Flight { client, mut run, seat, asked, .. } = self.flights.remove(i);
                self.cache(client.server).answered(&CANVAS, &response);
                let next = run.handle_response(response);
                self.go_on(flaw, (client, seat), run, next, asked);
            }
            (Asker::Queue(server), Response::Committed(committed)) => self.complete(flaw, server, committed),
            (Asker::Queue(_), _) => unreachable!("a queue only commits"),
        }
    }

    /// The queue of a server hears what has become of its commit.
    fn complete(&mut self, flaw: Option<Flaw>, server: usize, committed: Result<Committed, StoreError>) {
        let Some(sending) = self.sendings[server].take() else { return };
        let row = match &committed {
            Ok(Committed::Done { version, clock }) => self.lanes[server].stored(version, *clock),
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
        let mut verdicts = self.lane(server).complete(committed);
        if let (Some(Flaw::AnsweredUponTheOld), Some((version, clock))) = (flaw, done) {
            let looks = verdicts.iter_mut().filter(|(_, verdict)| matches!(verdict, Verdict::Look));
            for (_, verdict) in looks {
                *verdict = Verdict::Stored { version: version.clone(), clock, host_at: clock };
            }
        }
        if flaw == Some(Flaw::SettledForOne) {
            let lost = verdicts.iter_mut().filter(|(_, verdict)| matches!(verdict, Verdict::Lost { .. }));
            lost.skip(1).for_each(|(_, verdict)| *verdict = Verdict::Again);
        }
        if let (Some(Flaw::AnswersSwapped), [(one, _), (other, _), ..]) = (flaw, &verdicts[..]) {
            let at = |seat| self.flights.iter().position(|flight| self.is_at(flight, server, seat));
            if let (Some(i), Some(j)) = (at(*one), at(*other)) {
                let client = self.flights[i].client;
                self.flights[i].client = std::mem::replace(&mut self.flights[j].client, client);
            }
        }
        self.hear(flaw, server, verdicts);
    }

    fn is_at(&self, flight: &Flight, server: usize, seat: Seat) -> bool {
        flight.client.server == server && flight.seat == Some(seat)
    }

    fn hear(&mut self, flaw: Option<Flaw>, server: usize, verdicts: Verdicts) {
        for (seat, verdict) in verdicts {
            let at = self.flights.iter().position(|flight| self.is_at(flight, server, seat));
            // Who has given up hears nothing.
            let Some(i) = at else { continue };
            let Flight { client, mut run, asked, .. } = self.flights.remove(i);
            let next = run.handle_verdict(verdict);
            self.go_on(flaw, (client, Some(seat)), run, next, asked);
        }
    }

    fn lane(&mut self, server: usize) -> &mut Lane {
        Arc::make_mut(&mut self.lanes[server])
    }

    /// A server sends what its queue has.
    fn send(&mut self, flaw: Option<Flaw>, server: usize) {
        let Some((mut commit, verdicts)) = self.lane(server).take() else { return };
        let number = |seat| {
            let mut flights = self.flights.iter();
            let flight = flights.find(|flight| self.is_at(flight, server, seat));
            flight.map_or_else(|| self.oracle.dropped_last(), |flight| flight.client.number)
        };
        let parts: Vec<(Seat, &Part)> = self.lanes[server].sent().collect();
        let links: Links = parts.iter().map(|(seat, part)| (number(*seat), Arc::clone(&part.head))).collect();
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
                let last = links.len().checked_sub(2).map(|i| &links[i].1.receipts);
                let base = &self.store.row.head.receipts;
                let is_between = |receipt: &&Receipt| {
                    last.is_some_and(|last| last.has_newly(&receipt.operation))
                        && !base.has_newly(&receipt.operation)
                };
                head.receipts = head.receipts.iter().filter(|one| !is_between(one)).cloned().collect();
                commit.head = Arc::new(head);
            }
            _ => {}
        }
        let asked = Asked(Some(self.cache(server).number()));
        let sending = Sending { commit, links, asked, asked_at: self.store.clock, answer: None };
        self.sendings[server] = Some(Arc::new(sending));
        self.hear(flaw, server, verdicts);
    }

    /// A caller gives up.
    fn drop_call(&mut self, flaw: Option<Flaw>, i: usize) {
        let Flight { client, seat, request, .. } = &self.flights[i];
        let (Client { number, server, .. }, seat) = (*client, *seat);
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
        let Some(seat) = seat.filter(|_| flaw != Some(Flaw::DroppedStays)) else { return };
        self.leave(flaw, server, seat);
    }

    /// A call leaves the queue of its server. The last one takes the commit under way along, which may arrive all the same.
    fn leave(&mut self, flaw: Option<Flaw>, server: usize, seat: Seat) {
        if !self.flights.iter().any(|one| one.client.server == server && one.seat.is_some()) {
            self.send_later(Asker::Queue(server));
            (self.lanes[server], self.sendings[server]) = Default::default();
            return;
        }
        let verdicts = self.lane(server).leave(seat);
        self.hear(flaw, server, verdicts);
    }

    fn go_on(
        &mut self,
        flaw: Option<Flaw>,
        (mut client, mut seat): (Client, Option<Seat>),
        mut run: Run<'static, Work>,
        mut next: Next<ClientAnswer>,
        asked: Asked,
    ) {
        let Client { number, server, op, .. } = client;
        let ended = loop {
            let part = match next {
                Next::Done(ended) => break ended,
                Next::Request(request) => {
                    let asked = Asked(self.cache(server).ticket(&request).or(asked.0));
                    let (asked_at, request) = (self.store.clock, Some(request));
                    self.flights.push(Flight { client, run, seat, request, asked, asked_at, answer: None });
                    return;
                }
                Next::Join(part) => Some(part),
                Next::Turn => None,
            };
            // By the number of the call, so that worlds do not differ by who has come and gone.
            let place = *seat.get_or_insert_with(|| Seat::numbered(number));
            let (cache, now) = (Arc::clone(&self.caches[server]), self.at(server).now);
            let cached = || cache.start(&CANVAS, Begin::Cached, now);
            if let Some(more) = self.lane(server).decide(place, &mut run, part, cached) {
                next = more;
                continue;
            }
            let claims = self.lanes[server].part(place).into_iter().flat_map(|part| part.head.claims.iter());
            let is_begin = claims.into_iter().any(|claim| claim.event == event(number));
            if flaw == Some(Flaw::StartedUnsettled) && is_begin && !client.has_started {
                client.has_started = true;
                self.oracle.tool_started();
            }
            if let (Some(Flaw::AnsweredEarly), Some(answer)) = (flaw, run.planned_answer()) {
                self.oracle.answered(number, op, &Ok(answer.clone()), &self.store.row.head);
            }
            let (request, asked_at) = (None, self.store.clock);
            self.flights.push(Flight { client, run, seat, request, asked, asked_at, answer: None });
            if self.lanes[server].is_alone(place) {
                self.send(flaw, server);
            }
            return;
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
        self.oracle.answered(number, op, &ended, &self.store.row.head);
        self.oracle.contradicts(&ended, client.wrote);
        if let Some(seat) = seat {
            self.leave(flaw, server, seat);
        }
    }
}
