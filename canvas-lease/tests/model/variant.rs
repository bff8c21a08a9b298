//! The production transitions, and ways to get them wrong.
//!
//! A variant adds its fault around a call of the production code, or edits the stored form between two
//! calls. None of them has a second state machine.

use canvas_lease::{
    CheckInOutcome, CheckOutError, CheckOutRequest, Grant, Holder, LeaseError, LeaseId, LeasePolicy, Lock,
    PreemptionCause, Timestamp,
};
use serde_json::{Value, json};

use crate::world::{Agent, POLICY, TOLERANCE, TTL, clock_at, holder};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Production, as it is.
    Correct,
    /// A renewal brings an expired lease back.
    RenewalRevives,
    /// A lease is still good for a write at the instant of its expiry.
    ExpiryInclusive,
    /// A check-in lowers the fence again.
    FenceReused,
    /// A check-in ends whatever lease is current.
    CheckInUnmatched,
    /// An edit ends the lease and leaves the epoch.
    EpochKeptOnEdit,
    /// A message raises the epoch and leaves the lease.
    LeaseKeptOnMessage,
    /// A preemption leaves a held lock as it is.
    PreemptionSkipsHeld,
    /// A write is checked when it is sent and lands when it arrives.
    AllowedWhenSent,
    /// A write replaces any revision.
    BaseNotCompared,
    /// Time follows a clock that steps back, though not too far.
    ClockFollowed,
    /// A clock that falls back too far counts as one that is a little behind.
    FallTolerated,
    /// A renewal counts from a clock that is behind.
    RenewalShortens,
    /// Whoever knows the id may write.
    HolderNotCompared,
    /// A check-out is for whatever turn it is.
    TurnNotCompared,
    /// A cancel ends the lease and leaves the turn open.
    CancelKeepsTurn,
    /// A lease may be renewed for ever.
    MaxHoldIgnored,
    /// A check-out takes a valid lease away.
    LeaseReplaced,
    /// A retry of a check-out is a second one.
    RetryRefused,
    /// A holder gets its lease back for another attempt.
    OperationNotCompared,
    /// An expired lease still refuses check-outs.
    ExpiredLeaseBlocks,
    /// A check-in that succeeds leaves the lease.
    CheckInForgotten,
}

impl Variant {
    pub(crate) fn check_out(
        self,
        lock: &mut Lock,
        clock: u64,
        mut request: CheckOutRequest,
    ) -> Result<Grant, CheckOutError> {
        let now = self.read_clock(lock, clock);
        match self {
            Self::TurnNotCompared => request.turn = lock.turn(),
            Self::ExpiredLeaseBlocks if lock.is_turn_open() && request.turn == lock.turn() => {
                if let Some(lease) = lock.lease().filter(|lease| !lease.is_valid_at(now)) {
                    return Err(CheckOutError::Held { until: lease.expires_at });
                }
            }
            _ => {}
        }
        let again = request.clone();
        let result = lock.check_out(&POLICY, now, request);
        match (self, &result) {
            (Self::RetryRefused, Ok(grant)) if grant.replayed => {
                Err(CheckOutError::Held { until: grant.expires_at })
            }
            (Self::LeaseReplaced, Err(CheckOutError::Held { .. })) => {
                release(lock, now);
                lock.check_out(&POLICY, now, again)
            }
            (Self::OperationNotCompared, Err(CheckOutError::Held { .. })) => {
                let lease = lock.lease().expect("it is held").clone();
                let request = CheckOutRequest { operation: lease.operation, ..again };
                lock.check_out(&POLICY, now, request)
            }
            _ => result,
        }
    }

    /// Renews, or sends a heartbeat.
    pub(crate) fn renew(
        self,
        lock: &mut Lock,
        clock: u64,
        id: LeaseId,
        agent: Agent,
        beat: bool,
    ) -> Result<Grant, LeaseError> {
        let now = self.read_clock(lock, clock);
        let policy = match self {
            Self::MaxHoldIgnored => LeasePolicy { max_hold: std::time::Duration::MAX, ..POLICY },
            _ => POLICY,
        };
        let renew = if beat { heartbeat } else { Lock::renew };
        let result = renew(lock, &policy, now, id, &holder(agent));
        match (self, result) {
            (Self::RenewalRevives, Err(LeaseError::Expired { .. })) => {
                let expires_at = lock.high_water_mark().as_millis() + TTL;
                edit(lock, "/access/held/expires_at", json!(expires_at));
                renew(lock, &policy, now, id, &holder(agent))
            }
            (Self::RenewalShortens, Ok(grant)) if clock_at(clock) < lock.high_water_mark() => {
                let expires_at = (clock + TTL).max(lock.high_water_mark().as_millis());
                edit(lock, "/access/held/expires_at", json!(expires_at));
                Ok(Grant { expires_at: clock_at(expires_at), ..grant })
            }
            (_, result) => result,
        }
    }

    /// Whether the lock lets a write through.
    pub(crate) fn authorize(
        self,
        lock: &mut Lock,
        clock: u64,
        id: LeaseId,
        agent: Agent,
        allowed_when_sent: bool,
    ) -> Result<(), LeaseError> {
        let now = self.read_clock(lock, clock);
        let result = lock.authorize(&POLICY, now, id, &holder(agent)).map(drop);
        match (self, result) {
            (Self::AllowedWhenSent, Err(_)) if allowed_when_sent => Ok(()),
            (Self::ExpiryInclusive, Err(LeaseError::Expired { at })) if at == lock.high_water_mark() => {
                Ok(())
            }
            (Self::HolderNotCompared, Err(LeaseError::NotOwned)) => {
                let Some(lease) = lock.lease().cloned() else { return Err(LeaseError::NotOwned) };
                lock.authorize(&POLICY, now, id, &lease.holder).map(drop)
            }
            (_, result) => result,
        }
    }

    /// The verdict that a write takes along, if this variant asks for one.
    pub(crate) fn allows_when_sent(self, lock: &Lock, clock: u64, id: LeaseId, agent: Agent) -> bool {
        self == Self::AllowedWhenSent
            && lock.clone().authorize(&POLICY, clock_at(clock), id, &holder(agent)).is_ok()
    }

    /// Whether a write made from `base` may replace `revision`.
    pub(crate) fn accepts_base(self, base: u64, revision: u64) -> bool {
        base == revision || self == Self::BaseNotCompared
    }

    pub(crate) fn check_in(
        self,
        lock: &mut Lock,
        clock: u64,
        id: LeaseId,
        agent: Agent,
    ) -> Result<CheckInOutcome, LeaseError> {
        let now = self.read_clock(lock, clock);
        let before = lock.clone();
        let result = lock.check_in(&POLICY, now, id, &holder(agent));
        match (self, result) {
            (Self::CheckInUnmatched, Ok(CheckInOutcome::AlreadyReleased)) => release(lock, now),
            (Self::FenceReused, Ok(CheckInOutcome::Released)) => {
                edit(lock, "/fence", json!(lock.fence().get() - 1));
            }
            (Self::CheckInForgotten, Ok(CheckInOutcome::Released)) => *lock = before,
            _ => {}
        }
        result
    }

    pub(crate) fn preempt(self, lock: &mut Lock, clock: u64, cause: PreemptionCause) {
        let now = self.read_clock(lock, clock);
        let before = lock.clone();
        let preemption = lock.preempt(&POLICY, now, cause);
        match (self, cause) {
            (Self::EpochKeptOnEdit, PreemptionCause::UserEdit) if now >= before.high_water_mark() => {
                edit(lock, "/epoch", json!(before.epoch()));
            }
            (Self::LeaseKeptOnMessage, PreemptionCause::UserMessage) => {
                if let Some(lease) = preemption.ended {
                    // It gets the new epoch, or the state would not read back.
                    let mut lease = json!(lease);
                    lease["id"] = json!(format!("lease-{}-{}", lock.fence(), lock.epoch()));
                    edit(lock, "/access", json!({ "held": lease }));
                }
            }
            (Self::PreemptionSkipsHeld, _) if preemption.ended.is_some() => *lock = before,
            (Self::CancelKeepsTurn, PreemptionCause::Cancel) => edit(lock, "/access", json!("open")),
            _ => {}
        }
    }

    /// The clock as this variant passes it to the lock.
    fn read_clock(self, lock: &mut Lock, clock: u64) -> Timestamp {
        let now = clock_at(clock);
        match self {
            Self::ClockFollowed
                if now < lock.high_water_mark()
                    && clock + TOLERANCE >= lock.high_water_mark().as_millis() =>
            {
                // The times of the lease change too, or the state would not read back.
                for time in ["/access/held/taken_at", "/access/held/renewed_at"] {
                    if lock.lease().is_some() {
                        edit(lock, time, json!(0));
                    }
                }
                edit(lock, "/clock_mark", json!(now));
                now
            }
            Self::FallTolerated => now.max(lock.high_water_mark()),
            _ => now,
        }
    }
}

fn heartbeat(
    lock: &mut Lock,
    policy: &LeasePolicy,
    now: Timestamp,
    id: LeaseId,
    holder: &Holder,
) -> Result<Grant, LeaseError> {
    lock.heartbeat(policy, now, id, holder).map(|outcome| *outcome.grant())
}

/// Ends the current lease in its holder's name.
fn release(lock: &mut Lock, now: Timestamp) {
    if let Some(lease) = lock.lease().cloned() {
        let _ = lock.check_in(&POLICY, now, lease.id, &lease.holder);
    }
}

/// Changes one value of the stored form.
fn edit(lock: &mut Lock, pointer: &str, value: Value) {
    let mut stored = serde_json::to_value(&*lock).expect("a lock can be stored");
    *stored.pointer_mut(pointer).expect("the stored form has this place") = value;
    *lock = serde_json::from_value(stored).expect("a fault makes a state that could be");
}
