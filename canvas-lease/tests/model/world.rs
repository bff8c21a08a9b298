//! Two agents, a user, a clock and one document, with every message late, lost or doubled.

use std::time::Duration;

use canvas_lease::{
    CheckOutRequest, Holder, LeaseId, LeasePolicy, Lock, OperationKey, PreemptionCause, Timestamp, Turn,
};
use stateright::{Model, Property};

use crate::danger;
use crate::message::{Message, Request};
use crate::oracle::{Oracle, Rule};
use crate::variant::Variant;

pub(crate) const TTL: u64 = 2;
pub(crate) const MAX_HOLD: u64 = 3;
pub(crate) const TOLERANCE: u64 = 1;

/// The shortest times that still tell all rules apart: one tick leaves a lease valid, a renewal then
/// reaches the maximum hold, and a clock can step back by less or by more than it may.
pub(crate) const POLICY: LeasePolicy = LeasePolicy {
    ttl: Duration::from_millis(TTL),
    max_hold: Duration::from_millis(MAX_HOLD),
    clock_tolerance: Duration::from_millis(TOLERANCE),
};

/// Late enough that stepping back stops nowhere near zero.
const START: u64 = 10;

pub(crate) const fn clock_at(clock: u64) -> Timestamp {
    Timestamp::from_millis(clock)
}

/// One of the two agents, by number.
pub(crate) type Agent = usize;

/// The attempts of an agent to check out, counted. A retry has the number of the attempt.
pub(crate) type Operation = u64;

/// How often each thing may happen in one run. Every counter needs a bound, or the states never end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Budget {
    /// Messages under way at once.
    pub(crate) at_once: usize,
    pub(crate) check_outs: u8,
    pub(crate) writes: u8,
    pub(crate) renewals: u8,
    pub(crate) check_ins: u8,
    /// An agent starts over and remembers nothing.
    pub(crate) restarts: u8,
    /// An agent learns the lease id of the other.
    pub(crate) leaks: u8,
    pub(crate) lost: u8,
    pub(crate) doubled: u8,
    pub(crate) edits: u8,
    pub(crate) messages: u8,
    pub(crate) cancels: u8,
    pub(crate) ticks: u8,
    /// The clock steps back as far as it may.
    pub(crate) steps_back: u8,
    /// The clock steps back further than it may.
    pub(crate) falls_back: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct World {
    lock: Lock,
    pub(crate) clock: u64,
    pub(crate) revision: u64,
    agents: [AgentState; 2],
    pub(crate) under_way: Vec<Message>,
    pub(crate) left: Budget,
    pub(crate) oracle: Oracle,
}

/// What an agent knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct AgentState {
    lease: Option<LeaseId>,
    revision: u64,
    operation: Operation,
}

impl AgentState {
    /// The lease is no longer of use. The next check-out is a new attempt.
    fn start_over(&mut self) {
        *self = Self { lease: None, revision: 0, operation: self.operation + 1 };
    }

    /// The answer, if it arrives, says that this lease has ended.
    fn start_over_if(&mut self, answered: bool, ended: LeaseId) {
        if answered && self.lease == Some(ended) {
            self.start_over();
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Send(Message),
    Deliver {
        message: usize,
        again: bool,
    },
    /// The request arrives, but the answer does not.
    DeliverUnanswered {
        message: usize,
    },
    Restart(Agent),
    Leak {
        to: Agent,
    },
    Edit,
    SendMessage,
    Cancel,
    Tick,
    StepBack,
    FallBack,
}

/// The production transitions, possibly with one fault, in a world of bounded size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorldModel {
    pub(crate) variant: Variant,
    pub(crate) budget: Budget,
}

impl Model for WorldModel {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World {
            lock: Lock::new(clock_at(START)),
            clock: START,
            revision: 0,
            agents: Default::default(),
            under_way: Vec::new(),
            left: self.budget,
            oracle: Oracle::new(START),
        }]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        let left = &world.left;
        for agent in 0..world.agents.len() {
            if world.under_way.len() < left.at_once {
                world.sends(agent, &mut |request| actions.push(Action::Send(Message { agent, request })));
            }
            let state = &world.agents[agent];
            if left.restarts > 0 && state.lease.is_some() {
                actions.push(Action::Restart(agent));
            }
            let known = world.agents[1 - agent].lease;
            if left.leaks > 0 && known.is_some() && known != state.lease {
                actions.push(Action::Leak { to: agent });
            }
        }
        for message in 0..world.under_way.len() {
            actions.push(Action::Deliver { message, again: false });
            if left.doubled > 0 {
                actions.push(Action::Deliver { message, again: true });
            }
            if left.lost > 0 {
                actions.push(Action::DeliverUnanswered { message });
            }
        }
        for (action, left) in [
            (Action::Edit, left.edits),
            (Action::SendMessage, left.messages),
            (Action::Cancel, left.cancels),
            (Action::Tick, left.ticks),
            (Action::StepBack, left.steps_back),
            (Action::FallBack, left.falls_back),
        ] {
            if left > 0 {
                actions.push(action);
            }
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        next.act(self.variant, action);
        Some(next)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        Rule::properties().into_iter().chain(danger::all()).collect()
    }
}

impl World {
    /// What an agent may send next.
    fn sends(&self, agent: Agent, send: &mut impl FnMut(Request)) {
        let left = &self.left;
        let AgentState { lease, revision, operation } = self.agents[agent];
        let Some(id) = lease else {
            if left.check_outs > 0 {
                send(Request::CheckOut { operation, turn: self.oracle.turn() });
            }
            return;
        };
        if left.writes > 0 {
            send(Request::Write { id, base: revision, allowed_when_sent: false });
        }
        if left.renewals > 0 {
            send(Request::Renew { id });
            send(Request::Heartbeat { id });
        }
        if left.check_ins > 0 {
            send(Request::CheckIn { id });
        }
    }

    fn act(&mut self, variant: Variant, action: Action) {
        match action {
            Action::Send(message) => self.send(variant, message),
            Action::Deliver { message, again: false } => {
                let message = self.under_way.remove(message);
                self.deliver(variant, message, true);
            }
            Action::Deliver { message, again: true } => {
                self.left.doubled -= 1;
                let message = self.under_way[message];
                self.deliver(variant, message, true);
            }
            Action::DeliverUnanswered { message } => {
                self.left.lost -= 1;
                let message = self.under_way.remove(message);
                self.deliver(variant, message, false);
            }
            Action::Restart(agent) => {
                self.left.restarts -= 1;
                self.agents[agent].start_over();
            }
            Action::Leak { to } => {
                self.left.leaks -= 1;
                self.agents[to].lease = self.agents[1 - to].lease;
                self.agents[to].revision = self.agents[1 - to].revision;
            }
            Action::Edit => {
                self.left.edits -= 1;
                self.revision += 1;
                self.preempt(variant, PreemptionCause::UserEdit, Oracle::user_edits);
            }
            Action::SendMessage => {
                self.left.messages -= 1;
                self.preempt(variant, PreemptionCause::UserMessage, Oracle::user_sends_message);
            }
            Action::Cancel => {
                self.left.cancels -= 1;
                self.preempt(variant, PreemptionCause::Cancel, Oracle::user_cancels);
            }
            Action::Tick => {
                self.left.ticks -= 1;
                self.clock += 1;
            }
            Action::StepBack => {
                self.left.steps_back -= 1;
                self.clock -= TOLERANCE;
            }
            Action::FallBack => {
                self.left.falls_back -= 1;
                self.clock -= TOLERANCE + 1;
            }
        }
    }

    fn preempt(&mut self, variant: Variant, cause: PreemptionCause, note: fn(&mut Oracle)) {
        self.oracle.observe_clock(self.clock);
        variant.preempt(&mut self.lock, self.clock, cause);
        note(&mut self.oracle);
        self.oracle.inspect(&self.lock, self.clock);
    }

    fn send(&mut self, variant: Variant, mut message: Message) {
        let left = &mut self.left;
        match &mut message.request {
            Request::CheckOut { .. } => left.check_outs -= 1,
            Request::Renew { .. } | Request::Heartbeat { .. } => left.renewals -= 1,
            Request::Write { id, allowed_when_sent, .. } => {
                left.writes -= 1;
                *allowed_when_sent = variant.allows_when_sent(&self.lock, self.clock, *id, message.agent);
            }
            Request::CheckIn { .. } => {
                left.check_ins -= 1;
                self.agents[message.agent].start_over();
            }
        }
        self.under_way.push(message);
        self.under_way.sort_unstable();
    }

    /// The store decides on a request with the state and the clock of this moment.
    fn deliver(&mut self, variant: Variant, message: Message, answered: bool) {
        let Self { lock, clock, oracle, .. } = self;
        let Message { agent, request } = message;
        let sender = &mut self.agents[agent];
        oracle.observe_clock(*clock);
        match request {
            Request::CheckOut { operation, turn } => {
                match variant.check_out(lock, *clock, check_out(agent, operation, turn)) {
                    Ok(grant) => {
                        oracle.checked_out(agent, operation, turn, &grant);
                        if answered && sender.operation == operation {
                            sender.lease = Some(grant.id);
                            sender.revision = self.revision;
                        }
                    }
                    Err(error) => oracle.refused_check_out(agent, operation, turn, error),
                }
            }
            Request::Renew { id } | Request::Heartbeat { id } => {
                let beat = matches!(request, Request::Heartbeat { .. });
                match variant.renew(lock, *clock, id, agent, beat) {
                    Ok(grant) => oracle.renewed(id, &grant),
                    Err(error) => {
                        oracle.refused(id, error);
                        sender.start_over_if(answered, id);
                    }
                }
            }
            Request::Write { id, base, allowed_when_sent } => {
                match variant.authorize(lock, *clock, id, agent, allowed_when_sent) {
                    Ok(()) => {
                        if variant.accepts_base(base, self.revision) {
                            oracle.wrote(agent, id, base, self.revision);
                            self.revision += 1;
                        }
                        if answered && sender.lease == Some(id) {
                            sender.revision = self.revision;
                        }
                    }
                    Err(error) => {
                        oracle.refused(id, error);
                        sender.start_over_if(answered, id);
                    }
                }
            }
            Request::CheckIn { id } => match variant.check_in(lock, *clock, id, agent) {
                Ok(_) => oracle.checked_in(agent, id),
                Err(error) => oracle.refused(id, error),
            },
        }
        oracle.inspect(lock, *clock);
    }
}

pub(crate) fn holder(agent: Agent) -> Holder {
    Holder::new(["ada", "ben"][agent])
}

fn check_out(agent: Agent, operation: Operation, turn: u64) -> CheckOutRequest {
    let operation = OperationKey::new(format!("call-{operation}"));
    CheckOutRequest { holder: holder(agent), operation, turn: Turn::new(turn).expect("turns are few") }
}
