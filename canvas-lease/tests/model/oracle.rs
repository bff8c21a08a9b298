//! What the rules promise, judged without a look at how the lock keeps them.
//!
//! The oracle sees the clock, the requests and the answers, and keeps its own record. It never asks the
//! lock which epoch it is in or whether a lease is valid.

use canvas_lease::{CheckOutError, Fence, Grant, LeaseError, LeaseId, Lock};
use stateright::Property;

use crate::world::{Agent, MAX_HOLD, Operation, POLICY, TOLERANCE, World, WorldModel, clock_at};

macro_rules! rules {
    ($($rule:ident: $name:literal,)*) => {
        /// A promise. Breaking one is recorded in the state, where the checker finds it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rule {
            $($rule,)*
        }

        impl Rule {
            /// The name of the property that this rule becomes.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }

            /// One property for each rule: it is never broken.
            pub(crate) fn properties() -> Vec<Property<WorldModel>> {
                vec![$(Property::always($name, |_, world: &World| !world.oracle.broke(Self::$rule)),)*]
            }
        }
    };
}

rules! {
    PreemptionWins: "nothing is written or renewed under a lease that was preempted",
    ExpiryBinds: "nothing is written under an expired lease",
    NoRevival: "an expired lease is never renewed",
    ReleaseBinds: "nothing is written under a released lease",
    HolderOnly: "only the holder of a lease writes under it",
    OneHolder: "no two leases are valid at once",
    FreshId: "no id is issued to two check-outs",
    LeaseLasts: "a lease ends by its holder, the user or time, and by nothing else",
    NoLostUpdate: "every write replaces the revision it was made from",
    TurnOver: "a turn that is over gets no lease",
    MaxHold: "no expiry passes the maximum hold",
    NoShortening: "no expiry moves back",
    StaleEpochReported: "a write under a lease that was preempted is answered STALE_EPOCH",
    EpochCounts: "the epoch rises by one with every preemption",
    FenceRises: "the fence never falls",
    RetryAnswered: "a retried check-out gets its lease again",
    NoFalseLock: "only a valid lease or the end of the turn refuses a check-out",
}

/// What an observer of all requests and answers knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Oracle {
    now: u64,
    turn: u64,
    turn_open: bool,
    preemptions: u64,
    fence: Fence,
    issued: Vec<Issued>,
    broken: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Issued {
    id: LeaseId,
    agent: Agent,
    operation: Operation,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    Live { acquired_at: u64, expires_at: u64 },
    Expired,
    Released,
    Preempted,
}

impl Oracle {
    pub(crate) const fn new(now: u64) -> Self {
        Self {
            now,
            turn: 0,
            turn_open: true,
            preemptions: 0,
            fence: Fence::ZERO,
            issued: Vec::new(),
            broken: 0,
        }
    }

    fn broke(&self, rule: Rule) -> bool {
        self.broken & (1 << rule as u32) != 0
    }

    fn require(&mut self, rule: Rule, kept: bool) {
        if !kept {
            self.broken |= 1 << rule as u32;
        }
    }

    /// The status of a lease, `None` if it was never issued.
    pub(crate) fn status(&self, id: LeaseId) -> Option<Status> {
        self.issued.iter().find(|issued| issued.id == id).map(|issued| issued.status)
    }

    pub(crate) fn live(&self) -> impl Iterator<Item = (LeaseId, Agent, Operation)> {
        self.issued
            .iter()
            .filter(|issued| matches!(issued.status, Status::Live { .. }))
            .map(|issued| (issued.id, issued.agent, issued.operation))
    }

    pub(crate) fn any(&self, test: impl Fn(Agent, Status) -> bool) -> bool {
        self.issued.iter().any(|issued| test(issued.agent, issued.status))
    }

    pub(crate) const fn turn(&self) -> u64 {
        self.turn
    }

    pub(crate) const fn now(&self) -> u64 {
        self.now
    }

    /// An operation looks at the clock.
    pub(crate) fn observe_clock(&mut self, clock: u64) {
        if clock + TOLERANCE < self.now {
            self.now = clock;
            self.preempt_all();
        } else {
            self.now = self.now.max(clock);
        }
        for issued in &mut self.issued {
            if matches!(issued.status, Status::Live { expires_at, .. } if expires_at <= self.now) {
                issued.status = Status::Expired;
            }
        }
    }

    pub(crate) fn user_edits(&mut self) {
        self.preempt_all();
    }

    pub(crate) fn user_cancels(&mut self) {
        self.preempt_all();
        self.turn_open = false;
    }

    pub(crate) fn user_sends_message(&mut self) {
        self.preempt_all();
        self.turn += 1;
        self.turn_open = true;
    }

    fn preempt_all(&mut self) {
        self.preemptions += 1;
        for issued in &mut self.issued {
            issued.status = Status::Preempted;
        }
    }

    pub(crate) fn checked_out(&mut self, agent: Agent, operation: Operation, turn: u64, grant: &Grant) {
        self.require(Rule::TurnOver, turn == self.turn && self.turn_open);
        let live: Vec<_> = self.live().collect();
        if live.contains(&(grant.id, agent, operation)) {
            return;
        }
        self.require(Rule::RetryAnswered, !live.iter().any(|&(_, a, o)| (a, o) == (agent, operation)));
        self.require(Rule::FreshId, self.status(grant.id).is_none());
        self.require(Rule::OneHolder, live.is_empty());
        let (acquired_at, expires_at) = (self.now, grant.expires_at.as_millis());
        self.require(Rule::MaxHold, expires_at <= acquired_at + MAX_HOLD);
        let status = Status::Live { acquired_at, expires_at };
        self.issued.push(Issued { id: grant.id, agent, operation, status });
    }

    pub(crate) fn refused_check_out(
        &mut self,
        agent: Agent,
        operation: Operation,
        turn: u64,
        error: CheckOutError,
    ) {
        if turn != self.turn || !self.turn_open {
            return;
        }
        let held = matches!(error, CheckOutError::Held { .. });
        self.require(Rule::NoFalseLock, held && self.live().next().is_some());
        let locked_out = self.live().any(|(_, a, o)| (a, o) == (agent, operation));
        self.require(Rule::RetryAnswered, !locked_out);
    }

    pub(crate) fn renewed(&mut self, id: LeaseId, grant: &Grant) {
        let Some(index) = self.issued.iter().position(|issued| issued.id == id) else {
            return self.require(Rule::LeaseLasts, false);
        };
        match self.issued[index].status {
            Status::Live { acquired_at, expires_at: promised } => {
                let expires_at = grant.expires_at.as_millis();
                self.require(Rule::NoShortening, expires_at >= promised);
                self.require(Rule::MaxHold, expires_at <= acquired_at + MAX_HOLD);
                self.issued[index].status = Status::Live { acquired_at, expires_at };
            }
            Status::Expired => self.require(Rule::NoRevival, false),
            Status::Released => self.require(Rule::ReleaseBinds, false),
            Status::Preempted => self.require(Rule::PreemptionWins, false),
        }
    }

    pub(crate) fn refused(&mut self, id: LeaseId, error: LeaseError) {
        if self.status(id) == Some(Status::Preempted) {
            self.require(Rule::StaleEpochReported, error.code() == "STALE_EPOCH");
        }
    }

    pub(crate) fn wrote(&mut self, agent: Agent, id: LeaseId, base: u64, revision: u64) {
        self.require(Rule::NoLostUpdate, base == revision);
        let holder = self.issued.iter().find(|issued| issued.id == id).map(|issued| issued.agent);
        self.require(Rule::HolderOnly, holder == Some(agent));
        match self.status(id) {
            Some(Status::Live { .. }) => {}
            Some(Status::Expired) => self.require(Rule::ExpiryBinds, false),
            Some(Status::Released) => self.require(Rule::ReleaseBinds, false),
            Some(Status::Preempted) => self.require(Rule::PreemptionWins, false),
            None => self.require(Rule::HolderOnly, false),
        }
    }

    pub(crate) fn checked_in(&mut self, agent: Agent, id: LeaseId) {
        for issued in &mut self.issued {
            let live = matches!(issued.status, Status::Live { .. });
            if live && issued.id == id && issued.agent == agent {
                issued.status = Status::Released;
            }
        }
    }

    /// Compares the lock with this record, after every operation.
    pub(crate) fn inspect(&mut self, lock: &Lock, clock: u64) {
        self.require(Rule::EpochCounts, lock.epoch().get() == self.preemptions);
        self.require(Rule::FenceRises, lock.fence() >= self.fence);
        self.fence = lock.fence();
        let live: Vec<_> = self.live().map(|(id, ..)| id).collect();
        let held = lock.valid_lease(&POLICY, clock_at(clock)).map(|lease| lease.id);
        self.require(Rule::OneHolder, live.len() <= 1);
        self.require(Rule::LeaseLasts, live.iter().all(|id| held == Some(*id)));
    }
}
