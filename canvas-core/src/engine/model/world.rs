//! Two servers, one row, and everything that happens on the way between them.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use canvas_lease::Timestamp;
use stateright::{Model, Property};

use super::call::{CANVAS, Ended, Op, Said, TEXT, Work, at, version};
use super::flaw::Flaw;
use super::referee::{Referee, Rule};
use crate::board::Registry;
use crate::engine::run::{Ask, At, Done, Known, Next, Run, Told, Types};
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::receipt::{Answer, Receipts};
use crate::store::contract::{Commit, Committed, Fault, Loaded, Version};
use crate::transition::policy::Policy;

/// No call here touches a board.
static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::new);

/// A lease lives two ticks.
static POLICY: LazyLock<Policy> = LazyLock::new(|| {
    let lease = canvas_lease::Policy {
        ttl: Duration::from_millis(2),
        max_hold: Duration::from_millis(100),
        clock_tolerance: Duration::from_millis(1),
    };
    // Without a journal: it would tell worlds apart by their past, and no rule here speaks of it.
    Policy { lease, history: 0, ..Policy::default() }
});

/// Late enough that a clock behind it stops nowhere near zero.
const START: i64 = 20;

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
    /// Servers that forget everything; what they have sent may still arrive.
    pub(super) crashes: u8,
    pub(super) ticks: u8,
    /// By how much the store's clock, as the second server hears it, and that server's own, are ahead.
    pub(super) skew: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Row {
    pub(super) head: Arc<Head>,
    version: u64,
}

/// A call under way at a server.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Flight {
    number: u8,
    server: usize,
    op: Op,
    run: Run<'static, Work>,
    ask: Ask,
    /// The clock when that was asked.
    asked_at: i64,
    /// A commit of it has landed that was more than a bump.
    wrote: bool,
}

/// A commit that is still on its way, and whose.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Late {
    number: u8,
    server: usize,
    commit: Commit,
    sent_at: i64,
}

#[derive(Debug, Clone)]
pub(super) struct World {
    row: Option<Row>,
    /// The row before the current one, for loads from the past.
    before: Option<Row>,
    /// Content has one name, so which of it is there follows from the rest.
    blobs: BTreeMap<BlobId, Blob>,
    clock: i64,
    /// What each server remembers.
    caches: [Option<Known>; 2],
    flights: Vec<Flight>,
    late: Vec<Late>,
    started: u8,
    left: Budget,
    pub(super) referee: Referee,
}

impl World {
    fn key(&self) -> impl PartialEq + std::hash::Hash + '_ {
        let Self { row, before, blobs: _, clock, caches, flights, late, started, left, referee } = self;
        // A row of the past matters only while it can still be shown.
        let before = before.as_ref().filter(|_| left.stale > 0);
        (row, before, clock, caches, flights, late, started, left, referee)
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
    /// The store does what a call asks, and its answer arrives.
    Answer(usize),
    /// As before, and the commit arrives once more, later or never.
    AnswerAndDouble(usize),
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
    Tick,
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
        let document = Blob::text(TEXT.into());
        let head = Head::create(CANVAS.clone(), document.id());
        let mut world = World {
            row: Some(Row { head: Arc::new(head), version: 1 }),
            before: None,
            blobs: BTreeMap::from([(document.id(), document)]),
            clock: START,
            caches: [None, None],
            flights: Vec::new(),
            late: Vec::new(),
            started: 0,
            left: Budget { skew: 0, ..self.budget },
            referee: Referee::default(),
        };
        // The model has the lease.
        let (mut run, mut next) = Run::start(world.at(0, 0), Work::Begin, None, false);
        while let Next::Ask(ask) = next {
            next = run.tell(world.serve(self.flaw, &ask, (0, 0), START));
        }
        let mut world = World { left: self.budget, ..world };
        world.caches = [None, None];
        world.before = None;
        vec![world]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        let left = &world.left;
        for op in Op::ALL {
            if left.starts[op as usize] > 0 && world.flights.len() < left.at_once {
                actions.extend((0..2).map(|server| Action::Start { op, server }));
            }
        }
        for (i, flight) in world.flights.iter().enumerate() {
            actions.push(Action::Answer(i));
            let commits = matches!(flight.ask, Ask::Commit(_));
            let mut may = |count: u8, when: bool, action: Action| {
                if count > 0 && when {
                    actions.push(action);
                }
            };
            may(left.lost, commits, Action::LoseAnswer(i));
            may(left.delayed, commits, Action::Delay(i));
            may(left.doubled, commits, Action::AnswerAndDouble(i));
            may(left.definite, true, Action::FailForSure(i));
            may(
                left.stale,
                matches!(flight.ask, Ask::Load) && world.before.is_some(),
                Action::AnswerFromThePast(i),
            );
        }
        actions.extend((0..world.late.len()).map(Action::Arrive));
        if left.crashes > 0 {
            actions.extend((0..2).map(|server| Action::Crash { server }));
        }
        if left.ticks > 0 {
            actions.push(Action::Tick);
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        next.act(self.flaw, action);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        Rule::properties().into_iter().chain(dangers()).collect()
    }
}

/// Situations that must come up, or the machine was never tried.
pub(super) fn dangers() -> Vec<Property<WorldModel>> {
    fn commits(world: &World, op: Op) -> usize {
        world.flights.iter().filter(|flight| flight.op == op && matches!(flight.ask, Ask::Commit(_))).count()
    }
    vec![
        Property::sometimes("two writes are being committed at once", |_, world: &World| {
            commits(world, Op::WriteA) > 0 && commits(world, Op::WriteB) > 0
        }),
        Property::sometimes("a call and its retry are being committed at once", |_, world: &World| {
            commits(world, Op::WriteA) > 1
        }),
        Property::sometimes("a write is being committed when its lease is preempted", |_, world: &World| {
            let epoch = world.row.as_ref().map_or(0, |row| row.head.lock().epoch().get());
            commits(world, Op::WriteA) > 0 && epoch > 0
        }),
        Property::sometimes(
            "a write is on its way when its lease has expired",
            |model: &WorldModel, world: &World| {
                let lease = world.row.as_ref().and_then(|row| row.head.lock().lease().cloned());
                let expired = lease.is_some_and(|lease| lease.expires_at <= at(world.clock));
                model.budget.skew == 0 && expired && !world.late.is_empty()
            },
        ),
        Property::sometimes("a commit is on its way when its call is made again", |_, world: &World| {
            let late = |flight: &Flight| world.late.iter().any(|late| late.number != flight.number);
            world.flights.iter().any(|flight| flight.op == Op::WriteA && late(flight))
        }),
        Property::sometimes("a commit is on its way when somebody asks about it", |_, world: &World| {
            !world.late.is_empty() && commits(world, Op::AskA) > 0
        }),
        Property::sometimes("another has the lease when a write is on its way", |_, world: &World| {
            let fence = world.row.as_ref().map_or(0, |row| row.head.lock().fence().get());
            fence > 1 && (commits(world, Op::WriteA) > 0 || !world.late.is_empty())
        }),
    ]
}

fn broken() -> Fault {
    Fault::Indeterminate("the connection broke".into())
}

impl World {
    fn at(&self, server: usize, skew: i64) -> At<'static> {
        At { canvas: &CANVAS, policy: &POLICY, registry: Types(&REGISTRY), now: self.heard(server, skew) }
    }

    /// The clock as a server hears it, its own and the store's alike.
    fn heard(&self, server: usize, skew: i64) -> Timestamp {
        at(self.clock + if server == 1 { skew } else { 0 })
    }

    fn act(&mut self, flaw: Option<Flaw>, action: Action) {
        let skew = self.left.skew;
        match action {
            Action::Start { op, server } => {
                self.left.starts[op as usize] -= 1;
                self.started += 1;
                let now = self.at(server, skew);
                let cached = self.caches[server].clone().filter(|known| now.now >= known.host_at);
                let trusted = cached.is_some();
                let (run, next) = Run::start(now, Work::of(op), cached, trusted);
                self.go_on((self.started, server, op, false), run, next);
            }
            Action::Answer(i) => self.answer(flaw, i, false),
            Action::AnswerAndDouble(i) => {
                self.left.doubled -= 1;
                self.send_later(&self.flights[i].clone());
                self.answer(flaw, i, false);
            }
            Action::LoseAnswer(i) => {
                self.left.lost -= 1;
                self.answer(flaw, i, true);
            }
            Action::Delay(i) => {
                self.left.delayed -= 1;
                let flight = self.flights.remove(i);
                self.send_later(&flight);
                self.tell(flight, Told::Committed(Err(broken())));
            }
            Action::FailForSure(i) => {
                self.left.definite -= 1;
                let flight = self.flights.remove(i);
                let fault = Fault::Definite("the disk is full".into());
                let told = match flight.ask {
                    Ask::Load => Told::Row(Err(fault)),
                    Ask::Blob(_) => Told::Blob(Err(fault)),
                    Ask::Commit(_) => Told::Committed(Err(fault)),
                };
                self.tell(flight, told);
            }
            Action::AnswerFromThePast(i) => {
                self.left.stale -= 1;
                let flight = self.flights.remove(i);
                let row = self.before.clone().map(|row| self.loaded(&row, flight.server));
                self.tell(flight, Told::Row(Ok(row)));
            }
            Action::Arrive(i) => {
                let Late { number, server, commit, sent_at } = self.late.remove(i);
                self.serve(flaw, &Ask::Commit(commit), (number, server), sent_at);
            }
            Action::Crash { server } => {
                self.left.crashes -= 1;
                self.caches[server] = None;
                let flights = std::mem::take(&mut self.flights);
                let (gone, stay): (Vec<_>, Vec<_>) =
                    flights.into_iter().partition(|flight| flight.server == server);
                self.flights = stay;
                gone.iter().for_each(|flight| self.send_later(flight));
            }
            Action::Tick => {
                self.left.ticks -= 1;
                self.clock += 1;
            }
        }
        self.flights.sort_by_key(|flight| flight.number);
    }

    fn send_later(&mut self, flight: &Flight) {
        if let Ask::Commit(commit) = &flight.ask {
            let &Flight { number, server, asked_at: sent_at, .. } = flight;
            self.late.push(Late { number, server, commit: commit.clone(), sent_at });
            self.late.sort_by_key(|late| late.number);
        }
    }

    /// The store does what a call asks, and tells it or not.
    fn answer(&mut self, flaw: Option<Flaw>, i: usize, lose: bool) {
        let mut flight = self.flights.remove(i);
        let told = self.serve(flaw, &flight.ask, (flight.number, flight.server), flight.asked_at);
        if let (Ask::Commit(_), Told::Committed(Ok(Committed::Done { .. }))) = (&flight.ask, &told) {
            flight.wrote |= flight.run.is_committing();
        }
        let told = match told {
            Told::Committed(Ok(_)) if lose && flaw == Some(Flaw::LostCalledDefinite) => {
                Told::Committed(Err(Fault::Definite("nothing was written".into())))
            }
            Told::Committed(_) if lose => Told::Committed(Err(broken())),
            told => told,
        };
        self.tell(flight, told);
    }

    fn tell(&mut self, flight: Flight, told: Told) {
        let Flight { number, server, op, mut run, wrote, .. } = flight;
        let next = run.tell(told);
        self.go_on((number, server, op, wrote), run, next);
    }

    fn go_on(
        &mut self,
        (number, server, op, wrote): (u8, usize, Op, bool),
        run: Run<'static, Work>,
        next: Next<Said>,
    ) {
        let ended: Ended = match next {
            Next::Ask(ask) => {
                self.flights.push(Flight { number, server, op, run, ask, asked_at: self.clock, wrote });
                return;
            }
            Next::Done(Ok(Done { answer, row })) => {
                let newer = |known: &Known| {
                    self.caches[server].as_ref().is_none_or(|old| version(old) <= version(known))
                };
                if let Some(row) = row.filter(newer) {
                    self.caches[server] = Some(row);
                }
                Ok(answer)
            }
            Next::Done(Err(e)) => {
                self.caches[server] = None;
                Err(e)
            }
        };
        self.referee.told(number, op, &ended);
        self.referee.contradicts(&ended, wrote);
    }

    fn loaded(&self, row: &Row, server: usize) -> Loaded {
        let version = Version::new(row.version.to_string());
        let clock = self.heard(server, self.left.skew);
        Loaded { head: Arc::clone(&row.head), version, clock, document: None }
    }

    /// What the store does and answers.
    fn serve(&mut self, flaw: Option<Flaw>, ask: &Ask, (run, server): (u8, usize), sent_at: i64) -> Told {
        match ask {
            Ask::Load => Told::Row(Ok(self.row.as_ref().map(|row| self.loaded(row, server)))),
            Ask::Blob(id) => Told::Blob(Ok(self.blobs.get(id).cloned())),
            Ask::Commit(commit) => Told::Committed(Ok(self.commit(flaw, commit, (run, server), sent_at))),
        }
    }

    fn commit(
        &mut self,
        flaw: Option<Flaw>,
        commit: &Commit,
        (run, server): (u8, usize),
        sent_at: i64,
    ) -> Committed {
        let clock = self.heard(server, self.left.skew);
        let Some(old) = self.row.clone() else { return Committed::Conflict(None) };
        let expected = commit.expected.as_ref().map(Version::as_str);
        let matches = expected == Some(old.version.to_string().as_str());
        if !matches && flaw != Some(Flaw::ConditionIgnored) {
            return Committed::Conflict(Some(self.loaded(&old, server)));
        }
        let judged = match flaw {
            Some(Flaw::ClockReadEarly) => at(sent_at),
            _ => clock,
        };
        if flaw != Some(Flaw::LimitIgnored) && commit.not_after.is_some_and(|limit| judged >= limit) {
            return Committed::Late { clock };
        }
        let bars =
            |head: &Head| head.receipts.iter().filter(|receipt| receipt.answer == Answer::Void).count();
        let is_bump = *commit.head == *old.head;
        let is_bar = bars(&commit.head) > bars(&old.head);
        let left_out =
            (is_bump && flaw == Some(Flaw::BumpLeftOut)) || (is_bar && flaw == Some(Flaw::BarLeftOut));
        if left_out {
            return Committed::Done { version: Version::new(old.version.to_string()), clock };
        }
        let mut head = Arc::clone(&commit.head);
        if flaw == Some(Flaw::ReceiptsForgotten) {
            let mut forgetful = Head::clone(&head);
            forgetful.receipts = newest(&old.head.receipts, &forgetful.receipts);
            head = Arc::new(forgetful);
        }
        let version = match flaw {
            Some(Flaw::VersionsOfRevisions) => head.revision().get(),
            _ => old.version + 1,
        };
        self.blobs.extend(commit.blobs.iter().map(|blob| (blob.id(), blob.clone())));
        self.referee.landed(run, &old, &head, self.clock, self.left.skew == 0);
        self.row = Some(Row { head, version });
        self.before = Some(old);
        Committed::Done { version: Version::new(version.to_string()), clock }
    }
}

/// The receipts that are new.
fn newest(old: &Receipts, new: &Receipts) -> Receipts {
    new.iter().filter(|receipt| !old.has_newly(&receipt.operation)).cloned().collect()
}
