//! Which sequences of steps are tried. They are drawn beside a model that believes that all goes well.

use std::marker::PhantomData;

use proptest::prelude::*;
use proptest::strategy::Union;
use proptest_state_machine::ReferenceStateMachine;

use super::checker::Asked;
use super::faults::LoadFault;
use super::model::{Model, Terms, Who};
use super::row::Access;
use super::story::{Act, Base, Doubt, Mishap, Step, Story, Which};
use super::world::{Clocks, Place};
use canvas_store_testing::Clock;

/// Sequences for the stores of a place.
#[derive(Debug)]
pub(crate) struct Plan<P>(PhantomData<P>);

/// What the model believes.
#[derive(Debug, Clone)]
pub(crate) struct Belief {
    terms: Terms,
    clocks: Clocks,
    now: u64,
    model: Model,
    story: Story,
    /// Commits that are on their way, if the script was played to its end.
    sent: usize,
}

impl<P: Place> ReferenceStateMachine for Plan<P> {
    type State = Belief;
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Belief> {
        let (terms, now) = (P::terms(), Clock::default().millis());
        let (model, story) = (Model::default(), Story::default());
        Just(Belief { terms, clocks: P::CLOCKS, now, model, story, sent: 0 }).boxed()
    }

    fn transitions(belief: &Belief) -> BoxedStrategy<Step> {
        let may_wait = belief.clocks != Clocks::Real;
        // Half of all steps meet no trouble, or nothing would ever get far.
        let commits = prop_oneof![
            4 => Just(Vec::new()),
            4 => prop::collection::vec(mishap(may_wait), 1..4),
            // Lost, perhaps settled, and then the store fails: what was lost must not arrive any more once somebody was
            // notified. Chance alone rarely makes this order.
            1 => prop_oneof![
                Just(vec![Mishap::Lost, Mishap::Definite]),
                Just(vec![Mishap::Lost, Mishap::Pass, Mishap::Definite]),
            ],
        ];
        let loads = prop_oneof![
            6 => Just(Vec::new()),
            1 => prop::collection::vec(load_fault(), 1..3),
        ];
        let doubt = prop_oneof![Just(Doubt::AskAgain), Just(Doubt::Resolve)];
        (0..2_usize, act(belief), commits, loads, doubt)
            .prop_map(|(server, act, commits, loads, doubt)| Step { server, act, commits, loads, doubt })
            .boxed()
    }

    fn preconditions(belief: &Belief, step: &Step) -> bool {
        let acts = step.commits.iter().filter_map(|mishap| match mishap {
            Mishap::Meanwhile(act) => Some(act.as_ref()),
            _ => None,
        });
        acts.chain([&step.act]).all(|act| belief.is_possible(act))
    }

    fn apply(mut belief: Belief, step: &Step) -> Belief {
        belief.plays(step);
        belief
    }
}

impl Belief {
    fn is_possible(&self, act: &Act) -> bool {
        match act {
            Act::Again(nth) | Act::Reuse(nth) | Act::Resolve(nth) => *nth < self.story.asked.len(),
            Act::Arrives { place, .. } => *place < self.sent,
            Act::Wait(_) => self.clocks != Clocks::Real,
            Act::Skew(_) => self.clocks == Clocks::Wrong,
            _ => true,
        }
    }

    fn plays(&mut self, step: &Step) {
        let mut acts = vec![&step.act];
        for mishap in &step.commits {
            match mishap {
                Mishap::Lost | Mishap::Twice | Mishap::CrashBefore => self.sent += 1,
                Mishap::Delay(by) => self.now += by,
                Mishap::Meanwhile(act) => acts.push(act),
                _ => {}
            }
        }
        match &step.act {
            Act::Wait(by) => self.now += by,
            Act::Arrives { stays: false, .. } => self.sent = self.sent.saturating_sub(1),
            _ => {}
        }
        // All are worded on what their callers see before the step.
        let all: Vec<Asked> = acts.iter().filter_map(|act| self.story.ask(act, &self.model)).collect();
        for asked in all {
            let decision = self.model.decide(self.terms, self.now, asked.op, &asked.command);
            self.story.learn(&asked, &decision.answer);
            self.model = decision.next;
        }
    }
}

/// The next act. It follows what the model believes, so that most acts find what they need, and some do not.
fn act(belief: &Belief) -> BoxedStrategy<Act> {
    let row = belief.model.row.as_ref().filter(|row| !row.deleted);
    let (lives, holder) = (row.is_some(), row.and_then(|row| row.hold()).map(|hold| hold.op.who));
    let is_over = row.is_some_and(|row| row.access == Access::Closed);
    let asked = belief.story.asked.len();
    // Without a canvas nearly everything is answered alike, so it is made soon; where there is one, making it again
    // is a mistake that happens now and then.
    let create = if lives { 1 } else { 30 };
    // Without a lease a model can do nothing else; with one, the other conversation may still try.
    let check_out = if holder.is_some() { 2 } else { 8 };
    // A turn that is over is opened by the next message.
    let message = if is_over { 8 } else { 2 };
    // Writes are the point of it all.
    let write = if holder.is_some() { 14 } else { 3 };
    let wait = if belief.clocks == Clocks::Real { 0 } else { 3 };
    let skew = if belief.clocks == Clocks::Wrong { 4 } else { 0 };
    // Soon, because whatever is committed in between makes it arrive in vain.
    let arrives = if belief.sent > 0 { 10 } else { 0 };
    // A caller that is in doubt asks again, mostly for what it asked last.
    let again = if asked > 0 { 6 } else { 0 };
    let by = model(holder, false);
    let earlier = move || prop_oneof![3 => Just(0), 1 => 0..asked.max(1)];
    one_of([
        (create, Just(Act::Create).boxed()),
        // Rare, because everything ends with it.
        (1, Just(Act::Delete).boxed()),
        (
            check_out,
            (model(holder, true), chance(0.1)).prop_map(|(who, late)| Act::CheckOut { who, late }).boxed(),
        ),
        (2, (by.clone(), which()).prop_map(|(who, which)| Act::Renew(who, which)).boxed()),
        (2, (by.clone(), which()).prop_map(|(who, which)| Act::CheckIn(who, which)).boxed()),
        (3, (by.clone(), which()).prop_map(|(who, which)| Act::Read(who, which)).boxed()),
        (
            write,
            (by.clone(), which(), base(), chance(0.9))
                .prop_map(|(who, lease, base, fits)| Act::Write { who, lease, base, fits })
                .boxed(),
        ),
        // It ends the lease, so it must not come too often.
        (2, chance(0.8).prop_map(|changes| Act::Edit { changes }).boxed()),
        (message, by.clone().prop_map(Act::Message).boxed()),
        (1, by.clone().prop_map(Act::Cancel).boxed()),
        (2, (by, chance(0.2)).prop_map(|(who, late)| Act::EndTurn { who, late }).boxed()),
        (2, Just(Act::Look).boxed()),
        (again, earlier().prop_map(Act::Again).boxed()),
        (again / 6, earlier().prop_map(Act::Reuse).boxed()),
        (again / 2, earlier().prop_map(Act::Resolve).boxed()),
        (1, model(holder, true).prop_map(Act::Forestall).boxed()),
        (wait, wait_for().prop_map(Act::Wait).boxed()),
        // Within what a lease tolerates, and by more than it lives, back and forth.
        (skew, prop_oneof![-5_000..5_000_i64, -60_000..60_000_i64, Just(0)].prop_map(Act::Skew).boxed()),
        (
            arrives,
            (0..belief.sent.max(1), chance(0.3))
                .prop_map(|(place, stays)| Act::Arrives { place, stays })
                .boxed(),
        ),
    ])
}

/// One of several, each with its weight; those without weight never.
fn one_of<T: std::fmt::Debug + 'static>(
    all: impl IntoIterator<Item = (u32, BoxedStrategy<T>)>,
) -> BoxedStrategy<T> {
    Union::new_weighted(all.into_iter().filter(|(weight, _)| *weight > 0).collect()).boxed()
}

fn chance(probability: f64) -> impl Strategy<Value = bool> {
    prop::bool::weighted(probability)
}

/// Short, a keep-alive that counts, and beyond the lease. The very end of a lease is tried too.
fn wait_for() -> impl Strategy<Value = u64> {
    prop_oneof![1..2_000_u64, Just(5_000), 14_998..15_003_u64, 15_000..50_000_u64]
}

/// The model that acts: mostly the holder, or one that is not.
fn model(holder: Option<Who>, is_other: bool) -> BoxedStrategy<Who> {
    let other = if is_other { 3 } else { 1 };
    match holder {
        Some(Who::One) => prop_oneof![6 => Just(Who::One), other => Just(Who::Two)].boxed(),
        Some(_) => prop_oneof![6 => Just(Who::Two), other => Just(Who::One)].boxed(),
        None => prop_oneof![Just(Who::One), Just(Who::Two)].boxed(),
    }
}

/// Mostly the right one, or every refusal would hide the next.
fn which() -> impl Strategy<Value = Which> {
    prop_oneof![
        14 => Just(Which::Own(0)),
        2 => Just(Which::Own(1)),
        1 => Just(Which::Other),
        1 => Just(Which::Never),
        1 => Just(Which::Unreadable),
    ]
}

/// Mostly none or the current one, for the same reason.
fn base() -> impl Strategy<Value = Base> {
    prop_oneof![
        4 => Just(Base::Omitted),
        8 => Just(Base::Behind(0)),
        2 => (1..4_u64).prop_map(Base::Behind),
        1 => Just(Base::Ahead),
    ]
}

/// Lost answers and lost commits the most: these leave a server in doubt. A server that fails for sure or goes down ends
/// the step, and the rest of the script with it.
fn mishap(may_wait: bool) -> impl Strategy<Value = Mishap> {
    let delay = if may_wait { 2 } else { 0 };
    one_of([
        (2, Just(Mishap::Pass).boxed()),
        (1, Just(Mishap::Definite).boxed()),
        (3, Just(Mishap::AnswerLost).boxed()),
        (3, Just(Mishap::Lost).boxed()),
        (1, Just(Mishap::Twice).boxed()),
        (1, Just(Mishap::CrashBefore).boxed()),
        (1, Just(Mishap::CrashAfter).boxed()),
        (delay, prop_oneof![1..2_000_u64, Just(15_000), 14_000..20_000_u64].prop_map(Mishap::Delay).boxed()),
        (3, meanwhile().prop_map(|act| Mishap::Meanwhile(Box::new(act))).boxed()),
        (1, Just(Mishap::Arrival).boxed()),
    ])
}

/// What comes between: the user, another write under the same lease, the other conversation. The same call at the other
/// server the most, because that is what a host with a timeout does.
fn meanwhile() -> impl Strategy<Value = Act> {
    let who = || prop_oneof![Just(Who::One), Just(Who::Two)];
    prop_oneof![
        2 => prop::bool::ANY.prop_map(|changes| Act::Edit { changes }),
        3 => who().prop_map(|who| Act::Write {
            who,
            lease: Which::Own(0),
            base: Base::Omitted,
            fits: true,
        }),
        1 => who().prop_map(|who| Act::CheckOut { who, late: false }),
        1 => who().prop_map(|who| Act::CheckIn(who, Which::Own(0))),
        1 => who().prop_map(Act::Message),
        1 => Just(Act::Create),
        1 => Just(Act::Delete),
        3 => Just(Act::Again(0)),
        1 => Just(Act::Resolve(0)),
    ]
}

fn load_fault() -> impl Strategy<Value = LoadFault> {
    prop_oneof![
        2 => Just(LoadFault::Pass),
        2 => Just(LoadFault::Fails),
        // The engine does not give up after the first load that fails.
        3 => Just(LoadFault::Down),
        3 => (0..4_usize).prop_map(LoadFault::Stale),
    ]
}
