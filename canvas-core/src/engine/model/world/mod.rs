//! Two servers, one row, and everything that happens on the way between them.

mod budget;
mod calls;
mod dangers;
mod steps;
mod wire;

use std::sync::Arc;

use stateright::{Model, Property};

use super::call::{CANVAS, Op, Running, Work};
use super::flaw::Flaw;
use super::oracle::{Oracle, Rule};
use super::store::RowStore;
use crate::engine::cache::{Cache, Ticket};
use crate::engine::queue::{CommitQueue, Turn, WaiterId};
use crate::engine::run::{Prepared, Request, Run};
use crate::model::head::Head;
use crate::store::contract::{Commit, Committed, Loaded};

pub(super) use self::budget::{Budget, Places, Rules};
pub(super) use self::dangers::dangers;

/// A caller that waits for its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Client {
    number: u8,
    server: usize,
    op: Op,
    /// For a read: [`World::known`] of the server when it began.
    known: u64,
    /// Whether one of its commits was stored and changed more than the version.
    wrote: bool,
    /// Whether it started the tool.
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
struct InFlightCommit {
    client: Client,
    run: Run<'static, Work>,
    /// Its place in the queue of its server.
    id: Option<WaiterId>,
    /// `None` while it waits in the queue.
    request: Option<Request>,
    /// Whether it has the turn to decide, with its decision on a row of its own.
    turn: Option<Box<(Turn, Option<Prepared>)>>,
    asked: Asked,
    /// The clock at the time of that request.
    asked_at: i64,
    /// The store's answer, if it did not arrive yet.
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

/// The origin of a request to the store.
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
    /// The version of the newest row that each server received or was notified of, if the store notifies.
    known: [u64; 2],
    /// The queue of each server, in which calls wait to share a commit.
    queues: [Arc<CommitQueue>; 2],
    sendings: [Option<Arc<Sending>>; 2],
    flights: Vec<InFlightCommit>,
    late: Vec<Late>,
    tools: Vec<Tool>,
    /// Number of restarts of each server.
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
            queues,
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
            (flights, late, tools, restarts, started, left, oracle, queues, sendings),
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
    /// A server reports the outcome of a tool.
    Settle(usize),
    /// The store executes the request, and its answer arrives.
    Answer(Asker),
    /// Like `Answer`, and the commit arrives once more, later or never.
    AnswerAndDouble(Asker),
    /// The store executes the request, and the answer arrives later, by [`Action::Answer`].
    AnswerSlowly(Asker),
    /// The store executes the request, and the answer is lost.
    LoseAnswer(Asker),
    /// The commit is under way longer than the server waits.
    Delay(Asker),
    FailForSure(Asker),
    AnswerFromThePast(usize),
    /// A delayed commit arrives.
    Arrive(usize),
    Crash {
        server: usize,
    },
    /// The call with the turn decides.
    Decide(usize),
    /// A server sends the commit of its queue.
    Send(usize),
    /// A caller gives up.
    Drop(usize),
    /// A server is notified although the canvas did not change.
    Rumour {
        server: usize,
        other: bool,
    },
    Tick,
    /// Somebody determines the blobs that the canvas needs.
    PlanCollection,
    /// The store drops the other blobs.
    Collect,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct WorldModel {
    pub(super) flaw: Option<Flaw>,
    pub(super) budget: Budget,
}

impl WorldModel {
    /// Whether the world has such a call.
    fn has(&self, op: Op) -> bool {
        self.budget.starts[op as usize] > 0
    }
}

impl Model for WorldModel {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let mut world = World {
            store: RowStore::new((self.has(Op::Press), self.has(Op::Accept)), self.budget.rules.mode()),
            caches: [(); 2].map(|()| empty_cache()),
            known: [0; 2],
            queues: Default::default(),
            sendings: [None, None],
            flights: Vec::new(),
            late: Vec::new(),
            tools: Vec::new(),
            restarts: [0; 2],
            started: 0,
            left: Budget { skew: 0, notify: false, turns: false, ..self.budget },
            oracle: Oracle::default(),
        };
        // The model has the lease, and has seen the text, so that its reads leave nothing to commit.
        if self.budget.rules != Rules::Collaborative {
            [Work::Begin, Work::Call(Op::Read)].into_iter().for_each(|work| world.run_alone(self.flaw, work));
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
        let deciding = world.flights.iter().enumerate().filter(|(_, flight)| flight.turn.is_some());
        actions.extend(deciding.map(|(i, _)| Action::Decide(i)));
        actions.extend((0..2).filter(|server| world.queues[*server].is_ready()).map(Action::Send));
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
            NeverIsNever NumbersRise TurnsAreOwn HistoryStays ReadsAreFresh StartsOnce EndsOnce EachStored DroppedIsNever
            PartsAreKept);
        rules.into_iter().chain(dangers()).collect()
    }
}
