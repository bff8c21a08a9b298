//! Laws that hold for every state, policy, clock and order of operations.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::{OperationKey, safe_integer, strategies};

#[derive(Clone, Debug)]
enum Command {
    CheckOut { holder: Holder, operation: OperationKey, next_turn: bool },
    OnLease(OnLease, Caller),
    Preempt(PreemptionCause),
}

#[derive(Clone, Copy, Debug)]
enum OnLease {
    Renew,
    Heartbeat,
    Authorize,
    CheckIn,
}

#[derive(Clone, Debug)]
struct Caller {
    holder: Holder,
    id: Choice,
}

/// A lease id, chosen when the command runs.
#[derive(Clone, Debug)]
enum Choice {
    Last,
    Issued(prop::sample::Index),
    Any(LeaseId),
}

#[derive(Clone, Debug)]
enum Clock {
    On(u64),
    Back(u64),
    At(Timestamp),
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    Granted(Grant),
    Permitted(LeaseId),
    CheckedIn,
    Preempted(Preemption),
}

fn callers() -> impl Strategy<Value = Caller> {
    let ids = prop_oneof![
        // The lock refuses nearly every other id, and then its state does not advance.
        6 => Just(Choice::Last),
        2 => any::<prop::sample::Index>().prop_map(Choice::Issued),
        1 => strategies::lease_ids().prop_map(Choice::Any),
    ];
    (strategies::holders(), ids).prop_map(|(holder, id)| Caller { holder, id })
}

fn commands() -> impl Strategy<Value = Command> {
    let check_outs = (strategies::holders(), strategies::operation_keys(), prop::bool::weighted(0.1));
    let on_lease = prop_oneof![
        2 => Just(OnLease::Renew),
        2 => Just(OnLease::Heartbeat),
        2 => Just(OnLease::Authorize),
        // A check-in ends the lease, which the other operations need.
        1 => Just(OnLease::CheckIn),
    ];
    let causes = [
        PreemptionCause::UserMessage,
        PreemptionCause::Cancel,
        PreemptionCause::TakeControl,
        PreemptionCause::UserEdit,
    ];
    prop_oneof![
        3 => check_outs.prop_map(|(holder, operation, next_turn)| {
            Command::CheckOut { holder, operation, next_turn }
        }),
        7 => (on_lease, callers())
            .prop_map(|(operation, caller)| Command::OnLease(operation, caller)),
        1 => prop::sample::select(causes.to_vec()).prop_map(Command::Preempt),
    ]
}

fn clocks() -> impl Strategy<Value = Clock> {
    prop_oneof![
        // Mostly slow enough for a lease to see several operations.
        8 => (0_u64..6).prop_map(Clock::On),
        2 => (0_u64..25).prop_map(Clock::Back),
        1 => strategies::timestamps().prop_map(Clock::At),
    ]
}

impl Clock {
    fn after(&self, now: Timestamp) -> Timestamp {
        match self {
            Self::On(by) => Timestamp::from_millis(now.as_millis() + by),
            Self::Back(by) => Timestamp::from_millis(now.as_millis().saturating_sub(*by)),
            Self::At(clock) => *clock,
        }
    }
}

impl Caller {
    fn id(&self, issued: &[LeaseId]) -> LeaseId {
        let any = LeaseId::new(Fence::MAX, Epoch::ZERO);
        match &self.id {
            Choice::Last => issued.last().copied().unwrap_or(any),
            Choice::Issued(index) if !issued.is_empty() => *index.get(issued),
            Choice::Issued(_) => any,
            Choice::Any(id) => *id,
        }
    }
}

/// Runs a command. The error of an operation on a lease comes with the id that was used.
fn run(
    lock: &mut Lock,
    policy: &LeasePolicy,
    clock: Timestamp,
    command: &Command,
    issued: &[LeaseId],
) -> Result<Outcome, Option<(LeaseId, LeaseError)>> {
    match command {
        Command::CheckOut { holder, operation, next_turn } => {
            let turn = if *next_turn { lock.turn.next().unwrap_or(Turn::ZERO) } else { lock.turn };
            let request = CheckOutRequest { holder: holder.clone(), operation: operation.clone(), turn };
            lock.check_out(policy, clock, request).map(Outcome::Granted).map_err(|_| None)
        }
        Command::OnLease(operation, caller) => {
            let (id, holder) = (caller.id(issued), &caller.holder);
            let outcome = match operation {
                OnLease::Renew => lock.renew(policy, clock, id, holder).map(Outcome::Granted),
                OnLease::Heartbeat => {
                    lock.heartbeat(policy, clock, id, holder).map(|beat| Outcome::Granted(*beat.grant()))
                }
                OnLease::Authorize => {
                    lock.authorize(policy, clock, id, holder).map(|permit| Outcome::Permitted(permit.id()))
                }
                OnLease::CheckIn => lock.check_in(policy, clock, id, holder).map(|_| Outcome::CheckedIn),
            };
            outcome.map_err(|error| Some((id, error)))
        }
        Command::Preempt(cause) => Ok(Outcome::Preempted(lock.preempt(policy, clock, *cause))),
    }
}

/// Checks the laws between one state and the next.
fn check_step(
    before: &Lock,
    after: &Lock,
    policy: &LeasePolicy,
    clock: Timestamp,
    outcome: &Result<Outcome, Option<(LeaseId, LeaseError)>>,
) -> Result<(), TestCaseError> {
    prop_assert!(after.epoch >= before.epoch, "the epoch fell");
    prop_assert!(after.fence >= before.fence, "the fence fell");
    prop_assert!(after.turn >= before.turn, "the turn fell");

    let doubted = before.high_water_mark.saturating_duration_since(clock) > policy.clock_tolerance;
    prop_assert_eq!(after.high_water_mark, if doubted { clock } else { clock.max(before.high_water_mark) });
    if doubted {
        prop_assert!(after.epoch > before.epoch || before.epoch == Epoch::MAX, "doubt did not preempt");
    }

    let stored = serde_json::to_value(after).unwrap();
    let read: Lock =
        serde_json::from_value(stored).map_err(|error| TestCaseError::fail(error.to_string()))?;
    prop_assert_eq!(&read, after, "the state does not read back");

    let both = before.lease().zip(after.lease());
    if let Some((old, new)) = both.filter(|(old, new)| old.id == new.id) {
        prop_assert!(new.expires_at >= old.expires_at, "the expiry moved back");
        let limit = old.acquired_at.saturating_add(policy.max_hold).max(old.expires_at);
        prop_assert!(new.expires_at <= limit, "the expiry passed the maximum hold");
        prop_assert_eq!(
            (&new.holder, &new.operation, new.acquired_at),
            (&old.holder, &old.operation, old.acquired_at)
        );
    }

    let valid = before.valid_lease(policy, clock).map(|lease| lease.id);
    match outcome {
        Ok(Outcome::Granted(grant)) if Some(grant.id) != valid => {
            prop_assert_eq!(valid, None, "a valid lease was replaced");
            prop_assert_eq!(Some(grant.id.fence()), before.fence.next(), "a fence was skipped or used again");
        }
        Ok(Outcome::Permitted(id)) => prop_assert_eq!(valid, Some(*id), "a lease that was not valid wrote"),
        Ok(Outcome::Preempted(preemption)) => {
            prop_assert_eq!(after.lease(), None, "a lease outlived a preemption");
            prop_assert!(after.epoch > before.epoch || before.epoch == Epoch::MAX);
            prop_assert_eq!(preemption.ended.as_ref(), before.lease());
        }
        Ok(Outcome::Granted(_) | Outcome::CheckedIn) => {}
        Err(_) => {
            let mut observed = before.clone();
            observed.observe(policy, clock);
            prop_assert_eq!(after, &observed, "a refusal changed the state");
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_step_of_every_run_keeps_the_rules(
        start in strategies::locks(),
        policy in strategies::policies(),
        steps in prop::collection::vec((clocks(), commands()), 1..40),
    ) {
        let mut lock = start;
        let mut issued: Vec<LeaseId> = lock.lease().map(|lease| lease.id).into_iter().collect();
        let mut over = BTreeSet::new();
        for (clock, command) in steps {
            let clock = clock.after(lock.high_water_mark);
            let before = lock.clone();
            let outcome = run(&mut lock, &policy, clock, &command, &issued);
            check_step(&before, &lock, &policy, clock, &outcome)?;

            let mut again = before;
            prop_assert_eq!(&run(&mut again, &policy, clock, &command, &issued), &outcome);
            prop_assert_eq!(&again, &lock, "the same step led elsewhere");

            match outcome {
                Ok(Outcome::Granted(grant)) => {
                    prop_assert!(!over.contains(&grant.id), "an ended lease was issued or renewed");
                    if issued.last() != Some(&grant.id) {
                        prop_assert!(!issued.contains(&grant.id), "an id was issued twice");
                        issued.push(grant.id);
                    }
                }
                Ok(Outcome::Permitted(id)) => prop_assert!(!over.contains(&id), "an ended lease wrote"),
                Err(Some((id, LeaseError::StaleEpoch { .. } | LeaseError::Expired { .. }))) => {
                    over.insert(id);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn a_lock_that_outlives_another_issues_no_number_of_either(
        mut lock in strategies::locks(),
        other in strategies::locks(),
        policy in strategies::policies(),
    ) {
        let before = lock.clone();
        lock.close_after(&other);
        let stored = serde_json::to_string(&lock).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Lock>(&stored).unwrap(), &lock);
        prop_assert!(!lock.is_turn_open() && lock.lease().is_none());
        prop_assert_eq!(lock.high_water_mark, before.high_water_mark);
        let clock = lock.high_water_mark;
        for held in [&before, &other].into_iter().filter_map(Lock::lease) {
            let refused = lock.renew(&policy, clock, held.id, &held.holder);
            prop_assert!(refused.is_err(), "an ended lease was renewed");
        }
        lock.preempt(&policy, clock, PreemptionCause::UserMessage);
        for old in [&before, &other] {
            prop_assert!(lock.turn > old.turn || lock.turn == Turn::MAX);
            prop_assert!(lock.epoch > old.epoch || lock.epoch == Epoch::MAX);
            prop_assert!(lock.fence >= old.fence);
        }
    }

    #[test]
    fn every_lease_reads_back(lock in strategies::locks()) {
        let stored = serde_json::to_string(&lock).unwrap();
        prop_assert_eq!(serde_json::from_str::<Lock>(&stored).unwrap(), lock);
    }

    #[test]
    fn every_id_reads_back(id in strategies::lease_ids()) {
        prop_assert_eq!(id.to_string().parse(), Ok(id));
    }

    #[test]
    fn time_never_overflows(clock in any::<u64>(), duration in any::<std::time::Duration>()) {
        let clock = Timestamp::from_millis(clock);
        let later = clock.saturating_add(duration);
        prop_assert!(clock <= later && later.as_millis() <= safe_integer::MAX);
        prop_assert!(later.saturating_duration_since(clock) <= duration);
    }
}
