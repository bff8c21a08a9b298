//! The state machine of a lock, with every transition.

#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::{
    CheckInOutcome, CheckOutError, CheckOutRequest, Epoch, Fence, Grant, HeartbeatOutcome, Holder, Lease,
    LeaseError, LeaseId, LeasePolicy, Permit, Preemption, PreemptionCause, Timestamp, Turn,
};

/// The state of an exclusive lock, which records the holder, the expiry and the turn that may check out.
///
/// Every operation first compares the clock with the highest one seen so far, the high-water mark. A clock
/// before the mark counts as the mark. If it is behind by more than [`LeasePolicy::clock_tolerance`], some clock
/// was wrong, so no expiry can be trusted. The lease ends, the epoch rises, and the mark is set to the new
/// clock. An operation that returns an error makes no other change.
///
/// Stores keep the serialised form. Deserialising it fails if no sequence of these operations could produce
/// it.
//
// Invariants, checked on deserialisation: the turn is at most the epoch, because every message raises both. A
// lease has the current fence and epoch, below `Epoch::MAX`, and its times are in order up to the mark.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Lock {
    epoch: Epoch,
    fence: Fence,
    turn: Turn,
    // The name in stored locks, from before the field was renamed.
    #[serde(rename = "clock_mark")]
    high_water_mark: Timestamp,
    access: Access,
}

/// Whether the turn is closed, open, or has a lease on record.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Access {
    Closed,
    Open,
    Held(Lease),
}

impl Lock {
    /// Creates a lock that nobody holds, with every counter at zero and the first turn open.
    pub const fn new(clock: Timestamp) -> Self {
        Self {
            epoch: Epoch::ZERO,
            fence: Fence::ZERO,
            turn: Turn::ZERO,
            high_water_mark: clock,
            access: Access::Open,
        }
    }

    /// Returns the number of preemptions so far.
    pub const fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Returns the fence of the lease issued last, or zero before the first.
    pub const fn fence(&self) -> Fence {
        self.fence
    }

    /// Returns the only turn that may check out.
    pub const fn turn(&self) -> Turn {
        self.turn
    }

    /// Returns whether the current turn may check out. A cancel or a take-over closes it until the next
    /// message.
    pub const fn is_turn_open(&self) -> bool {
        !matches!(self.access, Access::Closed)
    }

    /// Returns the highest clock seen so far, or the last one that fell back too far.
    pub const fn high_water_mark(&self) -> Timestamp {
        self.high_water_mark
    }

    /// Returns the lease on record, even if it is expired.
    pub const fn lease(&self) -> Option<&Lease> {
        match &self.access {
            Access::Held(lease) => Some(lease),
            Access::Closed | Access::Open => None,
        }
    }

    /// Returns the lease that an operation at this clock would find valid.
    pub fn valid_lease(&self, policy: &LeasePolicy, clock: Timestamp) -> Option<&Lease> {
        self.time(policy, clock).and_then(|now| self.lease_at(now))
    }

    /// Issues a lease, with the next fence, if the turn may check out and no lease is valid.
    ///
    /// A retry with the holder and the operation key of the valid lease returns that lease unchanged. An
    /// expired lease is replaced.
    ///
    /// ```
    /// # use canvas_lease::{CheckOutRequest, Holder, LeasePolicy, Lock, OperationKey, PreemptionCause, Timestamp};
    /// # let (policy, now) = (LeasePolicy::default(), Timestamp::from_millis(1_000));
    /// # let mut lock = Lock::new(now);
    /// # lock.preempt(&policy, now, PreemptionCause::UserMessage);
    /// # let model = Holder::new("chat");
    /// # let request = |call: &str| CheckOutRequest {
    /// #     holder: model.clone(), operation: OperationKey::new(call), turn: lock.turn(),
    /// # };
    /// # let (first, second) = (request("call-1"), request("call-2"));
    /// let lease = lock.check_out(&policy, now, first.clone())?;
    /// assert!(lock.check_out(&policy, now, first)?.replayed, "the same call again has the same lease");
    /// assert_eq!(lock.check_out(&policy, now, second).unwrap_err().code(), "LOCK_NOT_AVAILABLE");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// In this order, [`CheckOutError::UserActive`] if the turn is closed or is not the current one,
    /// [`CheckOutError::Held`] if another lease is valid, and [`CheckOutError::EpochExhausted`] or
    /// [`CheckOutError::FenceExhausted`] if that counter is at its highest value.
    pub fn check_out(
        &mut self,
        policy: &LeasePolicy,
        clock: Timestamp,
        request: CheckOutRequest,
    ) -> Result<Grant, CheckOutError> {
        let (now, _) = self.observe(policy, clock);
        if request.turn != self.turn || !self.is_turn_open() {
            return Err(CheckOutError::UserActive);
        }
        if let Some(lease) = self.lease_at(now) {
            // The turn needs no comparison: whatever changes it ends the lease.
            let retry = lease.operation == request.operation && lease.holder == request.holder;
            return if retry {
                Ok(Grant { replayed: true, ..lease.grant(policy, now) })
            } else {
                Err(CheckOutError::Held { until: lease.expires_at })
            };
        }
        if self.epoch == Epoch::MAX {
            return Err(CheckOutError::EpochExhausted);
        }
        self.fence = self.fence.next().ok_or(CheckOutError::FenceExhausted)?;
        let CheckOutRequest { holder, operation, .. } = request;
        let lease = Lease::issue(LeaseId::new(self.fence, self.epoch), holder, operation, policy, now);
        let grant = lease.grant(policy, now);
        self.access = Access::Held(lease);
        Ok(grant)
    }

    /// Extends a valid lease to a full time to live from now, as far as the maximum hold allows.
    ///
    /// The expiry never moves back, so a renewal may leave the lease unchanged.
    ///
    /// # Errors
    ///
    /// A [`LeaseError`] if the lease is not this holder's valid one. An expired lease is not revived.
    pub fn renew(
        &mut self,
        policy: &LeasePolicy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<Grant, LeaseError> {
        let (now, _) = self.observe(policy, clock);
        let lease = self.owned(now, id, holder)?;
        lease.extend(policy, now);
        Ok(lease.grant(policy, now))
    }

    /// Renews a valid lease if a third of its time to live has passed since its expiry last moved.
    ///
    /// This is meant for keep-alives, which come often. Most of them then change at most the high-water mark,
    /// so you need not store the lock.
    ///
    /// # Errors
    ///
    /// The same as for [`Lock::renew`].
    pub fn heartbeat(
        &mut self,
        policy: &LeasePolicy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<HeartbeatOutcome, LeaseError> {
        let (now, _) = self.observe(policy, clock);
        let lease = self.owned(now, id, holder)?;
        let due = now.saturating_duration_since(lease.renewed_at) >= policy.ttl / 3;
        let extended = due && lease.extend(policy, now);
        let grant = lease.grant(policy, now);
        Ok(if extended { HeartbeatOutcome::Extended(grant) } else { HeartbeatOutcome::Coalesced(grant) })
    }

    /// Checks that the lease is this holder's valid one, before a write.
    ///
    /// Call it on the lock that the write's compare-and-swap replaces. A permit from an earlier load is
    /// worthless, because the user may preempt in between.
    ///
    /// ```
    /// # use canvas_lease::{CheckOutRequest, Holder, LeasePolicy, Lock, OperationKey, PreemptionCause, Timestamp};
    /// # let (policy, now) = (LeasePolicy::default(), Timestamp::from_millis(1_000));
    /// # let mut lock = Lock::new(now);
    /// # lock.preempt(&policy, now, PreemptionCause::UserMessage);
    /// # let model = Holder::new("chat");
    /// # let request = |call: &str| CheckOutRequest {
    /// #     holder: model.clone(), operation: OperationKey::new(call), turn: lock.turn(),
    /// # };
    /// # let (first, second) = (request("call-1"), request("call-2"));
    /// let lease = lock.check_out(&policy, now, first)?;
    /// assert!(lock.authorize(&policy, now, lease.id, &model).is_ok());
    ///
    /// lock.preempt(&policy, now, PreemptionCause::UserEdit);
    /// let refused = lock.authorize(&policy, now, lease.id, &model).unwrap_err();
    /// assert_eq!(refused.code(), "STALE_EPOCH");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`LeaseError`] if the lease is not this holder's valid one.
    pub fn authorize(
        &mut self,
        policy: &LeasePolicy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<Permit, LeaseError> {
        let (now, _) = self.observe(policy, clock);
        let lease = self.owned(now, id, holder)?;
        Ok(Permit::new(lease.id, lease.expires_at))
    }

    /// Releases a lease. Releasing it again, or after it expired, is not an error.
    ///
    /// If another lease was issued in the meantime, that one stays with its holder.
    ///
    /// ```
    /// # use canvas_lease::{CheckOutRequest, Holder, LeasePolicy, Lock, OperationKey, PreemptionCause, Timestamp};
    /// # let (policy, now) = (LeasePolicy::default(), Timestamp::from_millis(1_000));
    /// # let mut lock = Lock::new(now);
    /// # lock.preempt(&policy, now, PreemptionCause::UserMessage);
    /// # let model = Holder::new("chat");
    /// # let request = |call: &str| CheckOutRequest {
    /// #     holder: model.clone(), operation: OperationKey::new(call), turn: lock.turn(),
    /// # };
    /// # let (first, second) = (request("call-1"), request("call-2"));
    /// let lease = lock.check_out(&policy, now, first)?;
    /// lock.check_in(&policy, now, lease.id, &model)?;
    /// assert!(lock.check_out(&policy, now, second).is_ok(), "the next may have it");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`LeaseError`] if the lease was preempted, was never issued, or is the current one but belongs to
    /// somebody else.
    pub fn check_in(
        &mut self,
        policy: &LeasePolicy,
        clock: Timestamp,
        id: LeaseId,
        holder: &Holder,
    ) -> Result<CheckInOutcome, LeaseError> {
        let (now, _) = self.observe(policy, clock);
        self.check_epoch(id)?;
        let Some(lease) = self.lease().filter(|lease| lease.id == id) else {
            return Ok(CheckInOutcome::AlreadyReleased);
        };
        if lease.holder != *holder {
            return Err(LeaseError::NotOwned);
        }
        let outcome =
            if lease.is_valid_at(now) { CheckInOutcome::Released } else { CheckInOutcome::AlreadyReleased };
        self.access = Access::Open;
        Ok(outcome)
    }

    /// Ends the lease, whoever holds it, in favour of the user. It always succeeds.
    ///
    /// The epoch rises even when nobody holds the lock, because an agent may have a check-out or a write in
    /// flight.
    pub fn preempt(&mut self, policy: &LeasePolicy, clock: Timestamp, cause: PreemptionCause) -> Preemption {
        let (_, doubted) = self.observe(policy, clock);
        let interrupted = self.interrupt();
        match cause {
            PreemptionCause::UserMessage => {
                // The turn is at most the epoch. So if the turn can rise no further, neither can the epoch,
                // and at the last epoch check-out refuses every turn.
                self.turn = self.turn.next().unwrap_or(Turn::MAX);
                self.access = Access::Open;
            }
            PreemptionCause::Cancel | PreemptionCause::TakeControl => self.access = Access::Closed,
            PreemptionCause::UserEdit => {}
        }
        Preemption { epoch: self.epoch, turn: self.turn, ended: doubted.or(interrupted) }
    }

    /// Compares the clock with the high-water mark, as every operation does, and moves the mark. Returns whether the
    /// clock fell back too far, so that the lease ended and the epoch rose.
    ///
    /// Call it if several locks share one clock, for example one for each conversation, and end all their turns if it
    /// returns true.
    pub fn observe_clock(&mut self, policy: &LeasePolicy, clock: Timestamp) -> bool {
        let epoch = self.epoch;
        self.observe(policy, clock);
        self.epoch != epoch
    }

    /// Closes the turn, ends the lease, and raises each counter above another lock's.
    ///
    /// Use it if this lock takes over from the other one, which is then dropped. No turn and no lease id of either lock
    /// comes again, and every lease that they issued is refused.
    ///
    /// ```
    /// # use canvas_lease::{CheckOutRequest, Holder, LeasePolicy, Lock, OperationKey, PreemptionCause, Timestamp};
    /// # let (policy, now) = (LeasePolicy::default(), Timestamp::from_millis(1_000));
    /// # let model = Holder::new("chat");
    /// let mut own = Lock::new(now);
    /// own.preempt(&policy, now, PreemptionCause::UserMessage);
    /// let request = CheckOutRequest {
    ///     holder: model.clone(), operation: OperationKey::new("call-1"), turn: own.turn(),
    /// };
    /// let lease = own.check_out(&policy, now, request)?;
    ///
    /// let mut shared = Lock::new(now);
    /// shared.close_after(&own);
    /// assert!(!shared.is_turn_open() && shared.turn() == own.turn());
    /// assert_eq!(shared.renew(&policy, now, lease.id, &model).unwrap_err().code(), "STALE_EPOCH");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn close_after(&mut self, other: &Self) {
        let epoch = self.epoch.max(other.epoch);
        self.epoch = epoch.next().unwrap_or(Epoch::MAX);
        self.turn = self.turn.max(other.turn);
        self.fence = self.fence.max(other.fence);
        self.access = Access::Closed;
    }

    /// Whether both locks are in the same state, apart from the high-water mark.
    pub fn is_same_state(&self, other: &Self) -> bool {
        let Self { epoch, fence, turn, high_water_mark: _, access } = self;
        (epoch, fence, turn, access) == (&other.epoch, &other.fence, &other.turn, &other.access)
    }

    /// Returns the later of `clock` and the high-water mark, or `None` if `clock` is too far behind the mark.
    fn time(&self, policy: &LeasePolicy, clock: Timestamp) -> Option<Timestamp> {
        let behind = self.high_water_mark.saturating_duration_since(clock);
        (behind <= policy.clock_tolerance).then(|| clock.max(self.high_water_mark))
    }

    /// Moves the mark. Returns the time, and the lease that ended if the clock fell back too far.
    fn observe(&mut self, policy: &LeasePolicy, clock: Timestamp) -> (Timestamp, Option<Lease>) {
        let time = self.time(policy, clock);
        let doubted = if time.is_none() { self.interrupt() } else { None };
        self.high_water_mark = time.unwrap_or(clock);
        (self.high_water_mark, doubted)
    }

    /// Ends the lease, if any, and raises the epoch.
    ///
    /// The epoch stays at its highest value. This is safe because check-out issues no lease at that epoch, so
    /// every lease belongs to an earlier one.
    fn interrupt(&mut self) -> Option<Lease> {
        self.epoch = self.epoch.next().unwrap_or(Epoch::MAX);
        match std::mem::replace(&mut self.access, Access::Open) {
            Access::Held(lease) => Some(lease),
            free => {
                self.access = free;
                None
            }
        }
    }

    fn lease_at(&self, now: Timestamp) -> Option<&Lease> {
        self.lease().filter(|lease| lease.is_valid_at(now))
    }

    /// Returns the valid lease with this id and holder, or the first error that applies.
    fn owned(&mut self, now: Timestamp, id: LeaseId, holder: &Holder) -> Result<&mut Lease, LeaseError> {
        self.check_epoch(id)?;
        match &mut self.access {
            Access::Held(lease) if lease.id == id && lease.holder == *holder => {
                if lease.is_valid_at(now) {
                    Ok(lease)
                } else {
                    Err(LeaseError::Expired { at: lease.expires_at })
                }
            }
            _ => Err(LeaseError::NotOwned),
        }
    }

    /// Refuses an id that was never issued, and one of an earlier epoch.
    fn check_epoch(&self, id: LeaseId) -> Result<(), LeaseError> {
        if id.epoch() > self.epoch || id.fence() > self.fence {
            Err(LeaseError::NotOwned)
        } else if id.epoch() < self.epoch {
            Err(LeaseError::StaleEpoch { current: self.epoch })
        } else {
            Ok(())
        }
    }
}

/// A stored lock before it is checked. Unknown fields are refused, because a later version may keep a rule in
/// them, and storing the lock again would drop it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Unchecked {
    pub(crate) epoch: Epoch,
    pub(crate) fence: Fence,
    pub(crate) turn: Turn,
    #[serde(rename = "clock_mark")]
    pub(crate) high_water_mark: Timestamp,
    pub(crate) access: Access,
}

/// The reason that no sequence of operations produces a stored lock.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Impossible {
    #[error("turn {turn} cannot have begun by epoch {epoch}")]
    TurnAhead { turn: Turn, epoch: Epoch },
    #[error("turn {turn} cannot have been closed by epoch {epoch}")]
    ClosedAhead { turn: Turn, epoch: Epoch },
    #[error("{held} is held, but the lease issued last in this epoch is {issued}")]
    WrongLease { held: LeaseId, issued: LeaseId },
    #[error("no lease is issued in the last epoch")]
    HeldInLastEpoch,
    #[error("a lease has taken_at <= renewed_at <= expires_at, and renewed_at <= clock_mark")]
    TimesOutOfOrder,
}

impl TryFrom<Unchecked> for Lock {
    type Error = Impossible;

    fn try_from(read: Unchecked) -> Result<Self, Impossible> {
        let Unchecked { epoch, fence, turn, high_water_mark, access } = read;
        if turn.get() > epoch.get() {
            return Err(Impossible::TurnAhead { turn, epoch });
        }
        match &access {
            Access::Closed if turn.get() == epoch.get() && epoch < Epoch::MAX => {
                return Err(Impossible::ClosedAhead { turn, epoch });
            }
            Access::Held(lease) => {
                let issued = LeaseId::new(fence, epoch);
                if lease.id != issued {
                    return Err(Impossible::WrongLease { held: lease.id, issued });
                }
                if epoch == Epoch::MAX {
                    return Err(Impossible::HeldInLastEpoch);
                }
                let in_order = lease.acquired_at <= lease.renewed_at
                    && lease.renewed_at <= lease.expires_at
                    && lease.renewed_at <= high_water_mark;
                if !in_order {
                    return Err(Impossible::TimesOutOfOrder);
                }
            }
            Access::Closed | Access::Open => {}
        }
        Ok(Self { epoch, fence, turn, high_water_mark, access })
    }
}
