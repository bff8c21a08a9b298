//! Two servers on one store, played step by step, with everything that they say and store held against the model.

use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::policy::ReceiptLimits;
use canvas_core::store::{Loaded, Store as _, TreePath};
use canvas_core::{Engine, Policy};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use super::checker::{Asked, Checker, Event, Round, Said};
use super::faults::{CommitFault, FaultyStore, LoadFault, Network};
use super::history::{self, Moment};
use super::model::{Command, Millis};
use super::plan::{Belief, Plan};
use super::server::{Server, reported, until_crash};
use super::story::{Act, Doubt, Mishap, Step, Story};
use super::transcript::{ask, canvas, describe};
use super::world::{Clocks, Place};
use canvas_store_testing::Clock;

type Events = Arc<Mutex<Vec<(Event, Millis)>>>;

/// Two servers and what is known of them.
pub(crate) struct Machine<P: Place> {
    place: P,
    policy: Policy,
    servers: [Server<P::Store>; 2],
    /// A third engine that meets no trouble and looks only.
    observer: Engine<P::Store>,
    network: Network,
    checker: Checker,
    story: Story,
    /// What has been asked and said, for the report of a failure.
    log: Vec<String>,
    /// Every answer, and to what.
    heard: Vec<(Asked, String)>,
    /// Kinds of answers and events that have come up.
    codes: BTreeSet<String>,
}

impl<P: Place> Machine<P> {
    pub(crate) fn new(place: P) -> Self {
        // No receipt is dropped while a sequence lasts: how many are kept is a matter of the core's own tests.
        let (lease, all) = (P::terms().policy(), 4_096);
        let policy = Policy {
            lease,
            receipts: ReceiptLimits { min_changes: all, refusals: all, ..Default::default() },
            ..Policy::default()
        };
        let network = Network::default();
        let server = |ahead| Server::new(FaultyStore::new(place.connect(), network.clone()), policy, ahead);
        let servers = [server(0), server(90_000)];
        let observer = Engine::new(place.connect(), policy);
        let checker = Checker::new(P::terms(), P::CLOCKS == Clocks::Real, place.clock().millis());
        Self {
            policy,
            servers,
            observer,
            network,
            checker,
            story: Story::default(),
            log: Vec::new(),
            heard: Vec::new(),
            codes: BTreeSet::new(),
            place,
        }
    }

    /// Plays a step and compares.
    pub(crate) fn step(&mut self, step: &Step) -> Result<(), String> {
        self.play(step).and_then(|()| self.observe()).map_err(|e| self.report(&format!("{step:?}"), &e))
    }

    /// Kinds of answers and events that have come up.
    pub(crate) fn codes(&self) -> BTreeSet<String> {
        self.codes.clone()
    }

    /// Everything that is still on its way arrives, the last first, and everybody asks again for everything.
    pub(crate) fn finish(&mut self) -> Result<(), String> {
        self.ends().map_err(|e| self.report("the end", &e))
    }

    fn ends(&mut self) -> Result<(), String> {
        while self.network.on_the_way() > 0 {
            self.arrives(self.network.on_the_way() - 1, false);
            self.observe()?;
        }
        for (i, asked) in self.story.asked.clone().into_iter().enumerate() {
            self.sends(i % 2, &asked, Vec::new(), &[], Doubt::AskAgain)?;
        }
        self.observe()?;
        history::judge(&self.moments()?, &self.heard)?;
        self.blobs_are_there()
    }

    fn play(&mut self, step: &Step) -> Result<(), String> {
        match &step.act {
            Act::Wait(by) => {
                self.place.clock().advance(Duration::from_millis(*by));
                self.checker.pass(self.place.clock().millis());
                return Ok(());
            }
            Act::Skew(ahead) => {
                let server = &mut self.servers[step.server];
                server.ahead = *ahead;
                server.store.skew(*ahead);
                return Ok(());
            }
            Act::Arrives { place, stays } => {
                self.arrives(*place, *stays);
                return Ok(());
            }
            _ => {}
        }
        let model = self.checker.model().clone();
        let Some(asked) = self.story.ask(&step.act, &model) else { return Ok(()) };
        // Whoever comes between has seen the canvas before this step.
        let mut mishaps = Vec::new();
        for mishap in &step.commits {
            let meanwhile = match mishap {
                Mishap::Meanwhile(act) => self.story.ask(act, &model),
                _ => None,
            };
            mishaps.push((mishap.clone(), meanwhile));
        }
        self.sends(step.server, &asked, mishaps, &step.loads, step.doubt)
    }

    fn arrives(&mut self, place: usize, stays: bool) {
        let store = self.servers[0].store.inner();
        if let Some(done) = self.place.wait_for(self.network.arrives(store, place, stays)) {
            self.codes.insert(if done { "arrived and done" } else { "arrived in vain" }.to_owned());
            if done {
                self.checker.arrived();
            }
        }
    }

    /// Sends a command to a server, and settles what the answer leaves in doubt.
    fn sends(
        &mut self,
        server: usize,
        asked: &Asked,
        mishaps: Vec<(Mishap, Option<Asked>)>,
        loads: &[LoadFault],
        doubt: Doubt,
    ) -> Result<(), String> {
        let said = self.once(server, asked, mishaps, loads)?;
        if said != Said::Unknown {
            return Ok(());
        }
        let command = match doubt {
            Doubt::AskAgain => asked.command.clone(),
            Doubt::Resolve => Command::Resolve,
        };
        match self.once(server, &Asked { op: asked.op, command }, Vec::new(), &[])? {
            Said::Answer { .. } => Ok(()),
            said => Err(format!("without any trouble the answer is {said:?}")),
        }
    }

    fn once(
        &mut self,
        server: usize,
        asked: &Asked,
        mishaps: Vec<(Mishap, Option<Asked>)>,
        loads: &[LoadFault],
    ) -> Result<Said, String> {
        let began = self.place.clock().millis();
        let events = Events::default();
        let commits: Vec<_> = mishaps
            .into_iter()
            .filter_map(|(mishap, other)| self.commit_fault(server, mishap, other, &events))
            .collect();
        let stale = loads.iter().any(|load_fault| matches!(load_fault, LoadFault::Stale(_)));
        let other = &self.servers[1 - server];
        other.store.expect([], []);
        let here = &self.servers[server];
        here.store.expect(commits, loads.iter().copied());
        let (clock, lands) = (self.place.clock().clone(), Arc::clone(&events));
        here.store.watch(Arc::new(move || note(&lands, Event::Landed, &clock)));
        let now = Timestamp::from_millis(began + here.host_ahead);
        let said = self.place.wait_for(until_crash(&here.store, ask(&here.engine, asked, now)));
        let events = std::mem::take(&mut *events.lock().unwrap_or_else(PoisonError::into_inner));
        self.log.push(format!("{server}: {asked:?} -> {said:?} (meanwhile {events:?})"));
        let round =
            Round { asked: asked.clone(), reported: reported(began, &here.leads, here.ahead), events, stale };
        let heard = self.checker.hear(&round, &said);
        self.learn(server, began, &round, &said);
        heard.map(|()| said)
    }

    /// What the servers and the callers know after a round.
    fn learn(&mut self, server: usize, began: Millis, round: &Round, said: &Said) {
        let ends = round.events.iter().map(|(_, now)| now - began);
        self.servers[server].learns(&round.asked, said, std::iter::once(0).chain(ends));
        for (event, _) in &round.events {
            if let Event::Other(asked, _, said) = event {
                self.servers[1 - server].learns(asked, said, [0]);
            }
        }
        if *said == Said::Crashed {
            let Server { store, host_ahead, ahead, .. } = &self.servers[server];
            let again = Server::new(store.clone(), self.policy, *host_ahead);
            self.servers[server] = Server { ahead: *ahead, ..again };
        }
        let others = round.events.iter().filter_map(|(event, _)| match event {
            Event::Other(asked, _, said) => Some((asked, said)),
            Event::Passed | Event::Landed | Event::Arrived => None,
        });
        for (asked, said) in others.chain([(&round.asked, said)]) {
            let kind = match said {
                Said::Answer { code, replayed } => {
                    self.story.learn(asked, code);
                    self.heard.push((asked.clone(), code.clone()));
                    if *replayed { "replayed" } else { code.split(['-', ':']).next().unwrap_or_default() }
                }
                Said::Failed => "nothing written",
                Said::Unknown => "in doubt",
                Said::Crashed => "crashed",
            };
            self.codes.insert(kind.to_owned());
        }
    }

    /// A mishap as trouble of the store. What happens first is noted among the events.
    fn commit_fault(
        &self,
        server: usize,
        mishap: Mishap,
        other: Option<Asked>,
        events: &Events,
    ) -> Option<CommitFault> {
        let (events, clock) = (Arc::clone(events), self.place.clock().clone());
        Some(match mishap {
            Mishap::Pass => CommitFault::Pass,
            Mishap::Definite => CommitFault::Definite,
            Mishap::AnswerLost => CommitFault::AnswerLost,
            Mishap::Lost => CommitFault::Lost,
            Mishap::Twice => CommitFault::Twice,
            Mishap::CrashBefore => CommitFault::CrashBefore,
            Mishap::CrashAfter => CommitFault::CrashAfter,
            Mishap::Delay(by) => CommitFault::First(Box::new(move || {
                Box::pin(async move {
                    clock.advance(Duration::from_millis(by));
                    note(&events, Event::Passed, &clock);
                })
            })),
            Mishap::Arrival => {
                let store = self.servers[server].store.clone();
                CommitFault::First(Box::new(move || {
                    Box::pin(async move {
                        if store.network().arrives(store.inner(), 0, false).await == Some(true) {
                            note(&events, Event::Arrived, &clock);
                        }
                    })
                }))
            }
            Mishap::Meanwhile(_) => {
                let (asked, peer) = (other?, &self.servers[1 - server]);
                let (engine, ahead) = (Arc::clone(&peer.engine), peer.host_ahead);
                let (leads, skew) = (peer.leads.clone(), peer.ahead);
                CommitFault::First(Box::new(move || {
                    Box::pin(async move {
                        let began = clock.millis();
                        let said = ask(&engine, &asked, Timestamp::from_millis(began + ahead)).await;
                        note(&events, Event::Other(asked, reported(began, &leads, skew), said), &clock);
                    })
                }))
            }
        })
    }

    /// Holds what is stored against the model.
    fn observe(&mut self) -> Result<(), String> {
        let stored = self.stored()?;
        self.checker.see(&stored)
    }

    fn stored(&self) -> Result<String, String> {
        let canvas = canvas();
        let loaded = self.place.wait_for(self.observer.store().load(&canvas)).map_err(|e| e.to_string())?;
        let Some(loaded) = loaded else { return Ok("nothing".to_owned()) };
        let text = if loaded.head.is_deleted() {
            "deleted".to_owned()
        } else {
            // What it has read before must not stand for what is stored.
            self.observer.forget(&canvas);
            let seen = self.observer.snapshot(&canvas, self.place.clock().now());
            let seen = self.place.wait_for(seen).map_err(|e| e.to_string())?;
            seen.text().lines().collect::<Vec<_>>().join("|")
        };
        Ok(describe(&loaded.head, &text, P::CLOCKS == Clocks::Real))
    }

    /// All that was ever stored, oldest first.
    fn moments(&self) -> Result<Vec<Moment>, String> {
        let (canvas, mut moments) = (canvas(), Vec::new());
        for Loaded { head, .. } in self.network.past() {
            let text = match head.draft().get(&TreePath::document()) {
                None => Vec::new(),
                Some(id) => {
                    let blob = self.place.wait_for(self.observer.store().blob(&canvas, id));
                    let blob =
                        blob.map_err(|e| e.to_string())?.ok_or_else(|| format!("{id} is not there"))?;
                    blob.as_text().unwrap_or_default().lines().map(str::to_owned).collect()
                }
            };
            moments.push(Moment { head, text });
        }
        Ok(moments)
    }

    fn blobs_are_there(&self) -> Result<(), String> {
        let (canvas, store) = (canvas(), self.observer.store());
        let loaded = self.place.wait_for(store.load(&canvas)).map_err(|e| e.to_string())?;
        for id in loaded.iter().flat_map(|row| row.head.blobs()) {
            let blob = self.place.wait_for(store.blob(&canvas, id)).map_err(|e| e.to_string())?;
            if blob.is_none_or(|blob| blob.id() != id) {
                return Err(format!("the head needs the blob {id}, which is not there"));
            }
        }
        Ok(())
    }

    fn report(&self, step: &str, problem: &str) -> String {
        let log = self.log.iter().map(|line| format!("  {line}\n")).collect::<String>();
        format!("{problem}\nafter {step}\nin all:\n{log}")
    }
}

fn note(events: &Events, event: Event, clock: &Clock) {
    events.lock().unwrap_or_else(PoisonError::into_inner).push((event, clock.millis()));
}

/// The machine on the stores of a place, for proptest.
pub(crate) struct Servers<P>(PhantomData<P>);

impl<P: Place + Default> StateMachineTest for Servers<P> {
    type SystemUnderTest = Machine<P>;
    type Reference = Plan<P>;

    fn init_test(_: &Belief) -> Machine<P> {
        Machine::new(P::default())
    }

    fn apply(mut machine: Machine<P>, _: &Belief, step: Step) -> Machine<P> {
        machine.step(&step).unwrap_or_else(|problem| panic!("{problem}"));
        machine
    }

    fn teardown(mut machine: Machine<P>, _: <Plan<P> as ReferenceStateMachine>::State) {
        machine.finish().unwrap_or_else(|problem| panic!("{problem}"));
    }
}
