//! The lease of one canvas: its state and the moves between states.

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::{
    Cause, CheckIn, CheckOut, CheckOutRefusal, Epoch, Fence, Grant, Heartbeat, Hold, Holder, LeaseId, Permit,
    Policy, Preemption, Refusal, Timestamp, Turn,
};

/// Who holds a canvas, until when, and whose turn it is.
///
/// Every operation first takes note of the clock. Time never runs back for a lease: a clock that is
/// behind the latest one noted counts as that one. A clock behind by more than
/// [`Policy::clock_tolerance`] says that some clock was wrong, and then no expiry can be trusted: the
/// hold ends, the epoch rises, and time goes on from the new clock. An operation that is refused
/// changes nothing else.
///
/// The serialised form is what stores keep. It reads back only if these operations could have made it.
//
// Invariants, checked when it is read: the turn is at most the epoch, as every message raises both. A hold
// is that of the current fence and epoch, below `Epoch::MAX`, and its times are in order up to the mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Lease {
    epoch: Epoch,
    fence: Fence,
    turn: Turn,
    clock_mark: Timestamp,
    access: Access,
}

/// Whether the current turn may check out, or has.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Access {
    Closed,
    Open,
    Held(Hold),
}

impl Lease {
    /// A canvas nobody has held yet: every counter at zero, the first turn open.
    pub const fn new(clock: Timestamp) -> Self {
        Self {
            epoch: Epoch::ZERO,
            fence: Fence::ZERO,
            turn: Turn::ZERO,
            clock_mark: clock,
            access: Access::Open,
        }
    }

    /// The current epoch.
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// The fence of the lease given last.
    pub const fn fence(&self) -> Fence {
        self.fence
    }

    /// The current turn.
    pub const fn turn(&self) -> Turn {
        self.turn
    }

    /// Whether the current turn may check out, or has.
    pub const fn turn_open(&self) -> bool {
        !matches!(self.access, Access::Closed)
    }

    /// The latest clock noted.
    pub const fn clock_mark(&self) -> Timestamp {
        self.clock_mark
    }

    /// The hold on record, which may have expired.
    pub const fn hold(&self) -> Option<&Hold> {
        match &self.access {
            Access::Held(hold) => Some(hold),
            Access::Closed | Access::Open => None,
        }
    }

    /// The hold that an operation at this clock would find valid.
    pub fn held_at(&self, policy: &Policy, clock: Timestamp) -> Option<&Hold> {
        self.time(policy, clock).and_then(|now| self.valid_hold(now))
    }

    /// Gives the lease to whoever asks first in the current turn.
    ///
    /// The holder's own retry, with the operation key of the valid hold, is given the same lease again,
    /// unchanged. Otherwise each lease takes the next fence. An expired hold is replaced.
    ///
    /// # Errors
    ///
    /// In this order: the turn is not the current one or is closed; another hold is valid; the epoch or
    /// the fence is at its highest value.
    pub fn check_out(
        &mut self,
        policy: &Policy,
        clock: Timestamp,
        request: CheckOut,
    ) -> Result<Grant, CheckOutRefusal> {
        let (now, _) = self.observe(policy, clock);
        if request.turn != self.turn || !self.turn_open() {
            return Err(CheckOutRefusal::UserActive);
        }
        if let Some(hold) = self.valid_hold(now) {
            // The turn needs no comparison: whatever changes it ends the hold.
            let retry = hold.operation == request.operation && hold.holder == request.holder;
            return if retry {
                Ok(Grant { replayed: true, ..hold.grant(policy, now) })
            } else {
                Err(CheckOutRefusal::Held { until: hold.expires_at })
            };
        }
        if self.epoch == Epoch::MAX {
            return Err(CheckOutRefusal::EpochExhausted);
        }
        self.fence = self.fence.next().ok_or(CheckOutRefusal::FenceExhausted)?;
        let hold = Hold::take(LeaseId::new(self.fence, self.epoch), request, policy, now);
        let grant = hold.grant(policy, now);
        self.access = Access::Held(hold);
        Ok(grant)
    }

    /// Extends a valid lease to a full time to live from now, as far as the maximum hold allows.
    ///
    /// The expiry never moves back, so a renewal may change nothing.
    ///
    /// # Errors
    ///
    /// The lease is not this holder's valid one. An expired lease is not revived.
    pub fn renew(
        &mut self,
        policy: &Policy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<Grant, Refusal> {
        let (now, _) = self.observe(policy, clock);
        let hold = self.owned(now, id, holder)?;
        hold.extend(policy, now);
        Ok(hold.grant(policy, now))
    }

    /// Renews a valid lease if a third of its time to live has passed since its expiry last moved.
    ///
    /// For signs of life that come often (specs 000 §4.2); most of them then change nothing worth
    /// storing.
    ///
    /// # Errors
    ///
    /// As [`Lease::renew`].
    pub fn heartbeat(
        &mut self,
        policy: &Policy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<Heartbeat, Refusal> {
        let (now, _) = self.observe(policy, clock);
        let hold = self.owned(now, id, holder)?;
        let due = now.saturating_since(hold.renewed_at) >= policy.ttl / 3;
        let extended = due && hold.extend(policy, now);
        let grant = hold.grant(policy, now);
        Ok(if extended { Heartbeat::Extended(grant) } else { Heartbeat::Coalesced(grant) })
    }

    /// Proves that the lease is this holder's valid one, here and now.
    ///
    /// Call it in the step that writes, on the state that the write replaces. A proof from an earlier
    /// step says nothing: the user may have been there in between.
    ///
    /// # Errors
    ///
    /// The lease is not this holder's valid one.
    pub fn authorize(
        &mut self,
        policy: &Policy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<Permit, Refusal> {
        let (now, _) = self.observe(policy, clock);
        let hold = self.owned(now, id, holder)?;
        Ok(Permit::new(hold.id, hold.expires_at))
    }

    /// Gives a lease back. A lease that was given back or expired before is not an error.
    ///
    /// Only its own lease ends. One given since stays with its holder.
    ///
    /// # Errors
    ///
    /// The lease was cut short, was never given, or is the current one and somebody else's.
    pub fn check_in(
        &mut self,
        policy: &Policy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<CheckIn, Refusal> {
        let (now, _) = self.observe(policy, clock);
        self.given_in_this_epoch(id)?;
        let Some(hold) = self.hold().filter(|hold| hold.id == id) else {
            return Ok(CheckIn::AlreadyReleased);
        };
        if hold.holder != *holder {
            return Err(Refusal::NotOwned);
        }
        let outcome = if hold.is_valid_at(now) { CheckIn::Released } else { CheckIn::AlreadyReleased };
        self.access = Access::Open;
        Ok(outcome)
    }

    /// Takes the canvas back for the user, whoever holds it. It always succeeds (specs 000 §4.3).
    ///
    /// The epoch rises even when nobody holds the canvas: a check-out may be on its way.
    pub fn preempt(&mut self, policy: &Policy, clock: Timestamp, cause: Cause) -> Preemption {
        let (_, doubted) = self.observe(policy, clock);
        let interrupted = self.interrupt();
        match cause {
            Cause::UserMessage => {
                // The turn is at most the epoch: where it can rise no further, neither can the epoch,
                // and in the last epoch check-out refuses every turn.
                self.turn = self.turn.next().unwrap_or(Turn::MAX);
                self.access = Access::Open;
            }
            Cause::Cancel | Cause::TakeControl => self.access = Access::Closed,
            Cause::UserEdit => {}
        }
        Preemption { epoch: self.epoch, turn: self.turn, ended: doubted.or(interrupted) }
    }

    /// The time it is at this clock, or `None` if the clock is too far behind to tell.
    fn time(&self, policy: &Policy, clock: Timestamp) -> Option<Timestamp> {
        let behind = self.clock_mark.saturating_since(clock);
        (behind <= policy.clock_tolerance).then(|| clock.max(self.clock_mark))
    }

    /// Takes note of the clock. Gives the time, and the hold that ended if the clock fell back too far.
    fn observe(&mut self, policy: &Policy, clock: Timestamp) -> (Timestamp, Option<Hold>) {
        let time = self.time(policy, clock);
        let doubted = if time.is_none() { self.interrupt() } else { None };
        self.clock_mark = time.unwrap_or(clock);
        (self.clock_mark, doubted)
    }

    /// Ends the hold, if any, and raises the epoch.
    ///
    /// At its highest value the epoch stands still. Nothing slips through: check-out gives no lease in
    /// that epoch, so every lease there ever was is of an earlier one.
    fn interrupt(&mut self) -> Option<Hold> {
        self.epoch = self.epoch.next().unwrap_or(Epoch::MAX);
        match std::mem::replace(&mut self.access, Access::Open) {
            Access::Held(hold) => Some(hold),
            free => {
                self.access = free;
                None
            }
        }
    }

    fn valid_hold(&self, now: Timestamp) -> Option<&Hold> {
        self.hold().filter(|hold| hold.is_valid_at(now))
    }

    /// The valid hold with this id and holder, or the first refusal that applies.
    fn owned(&mut self, now: Timestamp, id: LeaseId, holder: &Holder) -> Result<&mut Hold, Refusal> {
        self.given_in_this_epoch(id)?;
        match &mut self.access {
            Access::Held(hold) if hold.id == id && hold.holder == *holder => {
                if hold.is_valid_at(now) {
                    Ok(hold)
                } else {
                    Err(Refusal::Expired { at: hold.expires_at })
                }
            }
            _ => Err(Refusal::NotOwned),
        }
    }

    /// Refuses an id that was never given, and one of an earlier epoch.
    fn given_in_this_epoch(&self, id: LeaseId) -> Result<(), Refusal> {
        if id.epoch() > self.epoch || id.fence() > self.fence {
            Err(Refusal::NotOwned)
        } else if id.epoch() < self.epoch {
            Err(Refusal::StaleEpoch { current: self.epoch })
        } else {
            Ok(())
        }
    }
}

/// A lease as it was read. Unknown fields are refused: a later version may have put a rule in them,
/// and storing the lease again would drop it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unchecked {
    pub(crate) epoch: Epoch,
    pub(crate) fence: Fence,
    pub(crate) turn: Turn,
    pub(crate) clock_mark: Timestamp,
    pub(crate) access: Access,
}

/// Why no sequence of operations leads to a state.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Impossible {
    #[error("turn {turn} cannot have begun by epoch {epoch}")]
    TurnAhead { turn: Turn, epoch: Epoch },
    #[error("turn {turn} cannot have been closed by epoch {epoch}")]
    ClosedAhead { turn: Turn, epoch: Epoch },
    #[error("{held} is held, but the lease given last in this epoch is {given}")]
    WrongHold { held: LeaseId, given: LeaseId },
    #[error("no lease is given in the last epoch")]
    HeldInLastEpoch,
    #[error("a hold is taken, then renewed, then expires, and was renewed by the clock mark")]
    TimesOutOfOrder,
}

impl TryFrom<Unchecked> for Lease {
    type Error = Impossible;

    fn try_from(read: Unchecked) -> Result<Self, Impossible> {
        let Unchecked { epoch, fence, turn, clock_mark, access } = read;
        if turn.get() > epoch.get() {
            return Err(Impossible::TurnAhead { turn, epoch });
        }
        match &access {
            Access::Closed if turn.get() == epoch.get() && epoch < Epoch::MAX => {
                return Err(Impossible::ClosedAhead { turn, epoch });
            }
            Access::Held(hold) => {
                let given = LeaseId::new(fence, epoch);
                if hold.id != given {
                    return Err(Impossible::WrongHold { held: hold.id, given });
                }
                if epoch == Epoch::MAX {
                    return Err(Impossible::HeldInLastEpoch);
                }
                let in_order = hold.taken_at <= hold.renewed_at
                    && hold.renewed_at <= hold.expires_at
                    && hold.renewed_at <= clock_mark;
                if !in_order {
                    return Err(Impossible::TimesOutOfOrder);
                }
            }
            Access::Closed | Access::Open => {}
        }
        Ok(Self { epoch, fence, turn, clock_mark, access })
    }
}
