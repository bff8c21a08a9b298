//! The production transitions, and ways to get them wrong.
//!
//! A variant adds its fault around a call of the production code, or edits the stored form between two
//! calls. None of them has a second state machine.

use canvas_lease::{
    Cause, CheckIn, CheckOut, CheckOutRefusal, Grant, Lease, LeaseId, Policy, Refusal, Timestamp,
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
    /// A check-in gives the fence back.
    FenceReused,
    /// A check-in ends whatever lease is current.
    CheckInUnmatched,
    /// An edit ends the hold and leaves the epoch.
    EpochKeptOnEdit,
    /// A message raises the epoch and leaves the hold.
    HoldKeptOnMessage,
    /// A preemption passes a held canvas by.
    PreemptionSkipsHold,
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
    /// A cancel ends the hold and leaves the turn open.
    CancelKeepsTurn,
    /// A lease may be renewed for ever.
    MaxHoldIgnored,
    /// A check-out takes a valid lease away.
    HoldReplaced,
    /// A retry of a check-out is a second one.
    RetryRefused,
    /// A holder gets its lease back for another attempt.
    OperationNotCompared,
    /// An expired hold still refuses check-outs.
    ExpiredHoldBlocks,
    /// A check-in that succeeds leaves the hold.
    CheckInForgotten,
}

impl Variant {
    pub(crate) fn check_out(
        self,
        lease: &mut Lease,
        clock: u64,
        mut request: CheckOut,
    ) -> Result<Grant, CheckOutRefusal> {
        let now = self.read_clock(lease, clock);
        match self {
            Self::TurnNotCompared => request.turn = lease.turn(),
            Self::ExpiredHoldBlocks if lease.turn_open() && request.turn == lease.turn() => {
                if let Some(hold) = lease.hold().filter(|hold| !hold.is_valid_at(now)) {
                    return Err(CheckOutRefusal::Held { until: hold.expires_at });
                }
            }
            _ => {}
        }
        let again = request.clone();
        let result = lease.check_out(&POLICY, now, request);
        match (self, &result) {
            (Self::RetryRefused, Ok(grant)) if grant.replayed => {
                Err(CheckOutRefusal::Held { until: grant.expires_at })
            }
            (Self::HoldReplaced, Err(CheckOutRefusal::Held { .. })) => {
                release(lease, now);
                lease.check_out(&POLICY, now, again)
            }
            (Self::OperationNotCompared, Err(CheckOutRefusal::Held { .. })) => {
                let hold = lease.hold().expect("it is held").clone();
                let request = CheckOut { operation: hold.operation, ..again };
                lease.check_out(&POLICY, now, request)
            }
            _ => result,
        }
    }

    /// Renews, or sends a heartbeat.
    pub(crate) fn renew(
        self,
        lease: &mut Lease,
        clock: u64,
        id: LeaseId,
        agent: Agent,
        beat: bool,
    ) -> Result<Grant, Refusal> {
        let now = self.read_clock(lease, clock);
        let policy = match self {
            Self::MaxHoldIgnored => Policy { max_hold: std::time::Duration::MAX, ..POLICY },
            _ => POLICY,
        };
        let renew = |lease: &mut Lease| {
            if beat {
                lease.heartbeat(&policy, now, id, &holder(agent)).map(|heartbeat| *heartbeat.grant())
            } else {
                lease.renew(&policy, now, id, &holder(agent))
            }
        };
        let result = renew(lease);
        match (self, result) {
            (Self::RenewalRevives, Err(Refusal::Expired { .. })) => {
                let expires_at = lease.clock_mark().as_millis() + TTL;
                edit(lease, "/access/held/expires_at", json!(expires_at));
                renew(lease)
            }
            (Self::RenewalShortens, Ok(grant)) if clock_at(clock) < lease.clock_mark() => {
                let expires_at = (clock + TTL).max(lease.clock_mark().as_millis());
                edit(lease, "/access/held/expires_at", json!(expires_at));
                Ok(Grant { expires_at: clock_at(expires_at), ..grant })
            }
            (_, result) => result,
        }
    }

    /// Whether the lease lets a write through.
    pub(crate) fn authorize(
        self,
        lease: &mut Lease,
        clock: u64,
        id: LeaseId,
        agent: Agent,
        allowed_when_sent: bool,
    ) -> Result<(), Refusal> {
        let now = self.read_clock(lease, clock);
        let result = lease.authorize(&POLICY, now, id, &holder(agent)).map(drop);
        match (self, result) {
            (Self::AllowedWhenSent, Err(_)) if allowed_when_sent => Ok(()),
            (Self::ExpiryInclusive, Err(Refusal::Expired { at })) if at == lease.clock_mark() => Ok(()),
            (Self::HolderNotCompared, Err(Refusal::NotOwned)) => {
                let Some(hold) = lease.hold().cloned() else { return Err(Refusal::NotOwned) };
                lease.authorize(&POLICY, now, id, &hold.holder).map(drop)
            }
            (_, result) => result,
        }
    }

    /// The verdict that a write takes along, if this variant asks for one.
    pub(crate) fn allows_when_sent(self, lease: &Lease, clock: u64, id: LeaseId, agent: Agent) -> bool {
        self == Self::AllowedWhenSent
            && lease.clone().authorize(&POLICY, clock_at(clock), id, &holder(agent)).is_ok()
    }

    /// Whether a write made from `base` may replace `revision`.
    pub(crate) fn accepts_base(self, base: u64, revision: u64) -> bool {
        base == revision || self == Self::BaseNotCompared
    }

    pub(crate) fn check_in(
        self,
        lease: &mut Lease,
        clock: u64,
        id: LeaseId,
        agent: Agent,
    ) -> Result<CheckIn, Refusal> {
        let now = self.read_clock(lease, clock);
        let before = lease.clone();
        let result = lease.check_in(&POLICY, now, id, &holder(agent));
        match (self, result) {
            (Self::CheckInUnmatched, Ok(CheckIn::AlreadyReleased)) => release(lease, now),
            (Self::FenceReused, Ok(CheckIn::Released)) => {
                edit(lease, "/fence", json!(lease.fence().get() - 1));
            }
            (Self::CheckInForgotten, Ok(CheckIn::Released)) => *lease = before,
            _ => {}
        }
        result
    }

    pub(crate) fn preempt(self, lease: &mut Lease, clock: u64, cause: Cause) {
        let now = self.read_clock(lease, clock);
        let before = lease.clone();
        let preemption = lease.preempt(&POLICY, now, cause);
        match (self, cause) {
            (Self::EpochKeptOnEdit, Cause::UserEdit) if now >= before.clock_mark() => {
                edit(lease, "/epoch", json!(before.epoch()));
            }
            (Self::HoldKeptOnMessage, Cause::UserMessage) => {
                if let Some(hold) = preemption.ended {
                    // It gets the new epoch, or the state would not read back.
                    let mut hold = json!(hold);
                    hold["id"] = json!(format!("lease-{}-{}", lease.fence(), lease.epoch()));
                    edit(lease, "/access", json!({ "held": hold }));
                }
            }
            (Self::PreemptionSkipsHold, _) if preemption.ended.is_some() => *lease = before,
            (Self::CancelKeepsTurn, Cause::Cancel) => edit(lease, "/access", json!("open")),
            _ => {}
        }
    }

    /// The clock as this variant hands it to the lease.
    fn read_clock(self, lease: &mut Lease, clock: u64) -> Timestamp {
        let now = clock_at(clock);
        match self {
            Self::ClockFollowed
                if now < lease.clock_mark() && clock + TOLERANCE >= lease.clock_mark().as_millis() =>
            {
                // The times of the hold go along, or the state would not read back.
                for time in ["/access/held/taken_at", "/access/held/renewed_at"] {
                    if lease.hold().is_some() {
                        edit(lease, time, json!(0));
                    }
                }
                edit(lease, "/clock_mark", json!(now));
                now
            }
            Self::FallTolerated => now.max(lease.clock_mark()),
            _ => now,
        }
    }
}

/// Ends the current hold in its holder's name.
fn release(lease: &mut Lease, now: Timestamp) {
    if let Some(hold) = lease.hold().cloned() {
        let _ = lease.check_in(&POLICY, now, hold.id, &hold.holder);
    }
}

/// Changes one value of the stored form.
fn edit(lease: &mut Lease, pointer: &str, value: Value) {
    let mut stored = serde_json::to_value(&*lease).expect("a lease can be stored");
    *stored.pointer_mut(pointer).expect("the stored form has this place") = value;
    *lease = serde_json::from_value(stored).expect("a fault makes a state that could be");
}
