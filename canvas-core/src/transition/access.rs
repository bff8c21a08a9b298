//! Permission checks, and the instant until which a permission holds.

use canvas_lease::{CheckOutError, CheckOutRequest, LeaseError, LeaseId, Timestamp};

use crate::model::author::Author;
use crate::model::op_key::OpKey;
use crate::transition::document::AppliedPatch;
use crate::transition::refusal::{Counter, LeaseRefusal, LimitRefusal, NotAvailable};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

impl Transition<'_> {
    /// Accepts only the holder of the valid lease. The call's commit must then happen before the lease expires.
    pub(super) fn authorize<R: From<LeaseRefusal>>(
        &mut self,
        lease: Option<LeaseId>,
    ) -> Result<(LeaseId, Timestamp), Stop<R>> {
        let lease = lease.ok_or_else(|| Stop::refused(self.not_owned(None)))?;
        let holder = self.who.holder();
        let permit = self.head.lock.authorize(&self.policy.lease, self.view.clock, lease, &holder);
        let permit = permit.map_err(|error| self.lease_refusal(lease, error))?;
        self.fence = Some(permit.id().fence());
        if self.has_own_turn() {
            // The lease keeps nobody else out, so the commit may come after its end.
            return Ok((lease, permit.expires_at()));
        }
        self.not_after = Some(permit.expires_at());
        let limit = self.policy.receipts.calls_per_lease;
        if self.head.receipts.of_fence(permit.id().fence()) >= limit as u64 {
            self.fence = None;
            return Err(Stop::refused(LeaseRefusal::TooManyCalls { limit }));
        }
        Ok((lease, permit.expires_at()))
    }

    /// Authorizes a call under the lease, and keeps the lease alive.
    pub(super) fn heartbeat<R: From<LeaseRefusal>>(
        &mut self,
        lease: Option<LeaseId>,
    ) -> Result<Timestamp, Stop<R>> {
        let (lease, expires_at) = self.authorize(lease)?;
        let beat = self.head.lock.heartbeat(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        Ok(beat.map_or(expires_at, |beat| beat.grant().expires_at))
    }

    /// Extends the caller's own lease, if it has a valid one, and returns it with its new end.
    pub(super) fn keep_alive(&mut self) -> Option<(LeaseId, Timestamp)> {
        let holder = self.who.holder();
        let lease = self.head.lock.lease().filter(|lease| lease.holder == holder)?;
        let (id, expires_at) = (lease.id, lease.expires_at);
        let beat = self.head.lock.heartbeat(&self.policy.lease, self.view.clock, id, &holder).ok()?;
        self.not_after = Some(expires_at).filter(|_| !self.has_own_turn());
        Some((id, beat.grant().expires_at))
    }

    /// Accepts the holder of the lease. If no lease is required, also accepts any caller that does not name one.
    pub(super) fn authorize_read<R: From<LeaseRefusal>>(
        &mut self,
        lease: Option<LeaseId>,
    ) -> Result<Option<Timestamp>, Stop<R>> {
        if self.proposing.is_some() || !self.is_under(lease) || self.has_outlived(lease) {
            Ok(None)
        } else {
            self.heartbeat(lease).map(Some)
        }
    }

    /// Accepts the holder of the lease. If no lease is required, also accepts any caller in the running turn while nobody
    /// else holds a lease.
    pub(super) fn authorize_change<R: From<LeaseRefusal> + From<NotAvailable>>(
        &mut self,
        operation: &OpKey,
        lease: Option<LeaseId>,
    ) -> Result<Option<Timestamp>, Stop<R>> {
        if self.proposing.is_none() && self.is_under(lease) && !self.has_outlived(lease) {
            return self.heartbeat(lease).map(Some);
        }
        self.authorize_turn(operation)
    }

    /// Accepts the holder of the lease, even if the call does not name the lease. While nobody holds it, accepts any
    /// caller in the running turn.
    pub(super) fn authorize_turn<R: From<LeaseRefusal> + From<NotAvailable>>(
        &mut self,
        operation: &OpKey,
    ) -> Result<Option<Timestamp>, Stop<R>> {
        if self.proposing.is_some() {
            // A proposal keeps nobody out, and nobody keeps it out.
            return self.check_turn(operation).map(|()| None);
        }
        let held = self.head.lock.valid_lease(&self.policy.lease, self.view.clock);
        match held.map(|lease| (lease.id, &lease.holder)) {
            Some((id, holder)) if *holder == self.who.holder() => self.heartbeat(Some(id)).map(Some),
            _ => {
                self.check_turn(operation)?;
                self.check_free()?;
                Ok(None)
            }
        }
    }

    /// Accepts a caller that may write, or that may take the lease again together with the write.
    pub(super) fn authorize_write<R: From<LeaseRefusal> + From<NotAvailable>>(
        &mut self,
        operation: &OpKey,
        lease: Option<LeaseId>,
    ) -> Result<Permit, Stop<R>> {
        if self.may_retake(operation, lease) {
            return Ok(Permit::Retake);
        }
        self.authorize_change(operation, lease).map(Permit::Until)
    }

    /// Whether an expired lease can be taken again. This requires that it is the last one issued, that the user did not
    /// act in the meantime, and that its holder saw the current document.
    fn may_retake(&mut self, operation: &OpKey, lease: Option<LeaseId>) -> bool {
        let needs_lease = !self.has_own_turn() && self.proposing.is_none();
        let may = self.policy.writes.retake && needs_lease && self.is_under(lease);
        let Some(lease) = lease.filter(|_| may) else {
            return false;
        };
        let holder = self.who.holder();
        let checked = self.head.lock.authorize(&self.policy.lease, self.view.clock, lease, &holder);
        matches!(checked, Err(LeaseError::Expired { .. }))
            && self.check_turn::<NotAvailable>(operation).is_ok()
            && self.head.has_seen(self.who)
    }

    /// Sets the end of the lease in the reply of a write. An expired lease is retaken only at this point, so that a
    /// refused write does not retake it.
    pub(super) fn complete_write<R: From<LeaseRefusal> + From<NotAvailable> + From<LimitRefusal>>(
        &mut self,
        operation: &OpKey,
        permit: Permit,
        applied: &mut AppliedPatch,
    ) -> Result<(), Stop<R>> {
        let grant = match permit {
            Permit::Until(expires_at) => {
                applied.expires_at = expires_at;
                return Ok(());
            }
            Permit::Retake => self.head.lock.check_out(
                &self.policy.lease,
                self.view.clock,
                CheckOutRequest {
                    holder: self.who.holder(),
                    operation: operation.operation(),
                    turn: operation.turn,
                },
            ),
        };
        let grant = grant.map_err(|error| match error {
            CheckOutError::Held { until } => Stop::refused(NotAvailable::Held { until, own: None }),
            CheckOutError::UserActive => Stop::refused(NotAvailable::UserActive),
            CheckOutError::EpochExhausted => {
                Stop::refused(LimitRefusal::Exhausted { counter: Counter::Epoch })
            }
            CheckOutError::FenceExhausted => {
                Stop::refused(LimitRefusal::Exhausted { counter: Counter::Fence })
            }
        })?;
        self.fence = Some(grant.id.fence());
        self.not_after = Some(grant.expires_at);
        (applied.retaken, applied.expires_at) = (Some(grant.id), Some(grant.expires_at));
        Ok(())
    }

    /// Accepts a call of the running turn unless the user ended it.
    pub(super) fn check_turn<R: From<NotAvailable>>(&self, operation: &OpKey) -> Result<(), Stop<R>> {
        if operation.turn != self.head.lock.turn() || !self.head.lock.is_turn_open() {
            return Err(Stop::refused(NotAvailable::UserActive));
        }
        Ok(())
    }

    /// Refuses if a lease is valid, unless each conversation has a lease of its own.
    pub(super) fn check_free<R: From<NotAvailable>>(&self) -> Result<(), Stop<R>> {
        match self.head.lock.valid_lease(&self.policy.lease, self.view.clock) {
            _ if self.has_own_turn() || self.proposing.is_some() => Ok(()),
            Some(lease) => Err(Stop::refused(NotAvailable::Held { until: lease.expires_at, own: None })),
            None => Ok(()),
        }
    }

    /// Explains why a lease is not the caller's, from its id and the current holder.
    pub(super) fn not_owned(&self, lease: Option<LeaseId>) -> LeaseRefusal {
        let lock = &self.head.lock;
        let held = lock.valid_lease(&self.policy.lease, self.view.clock);
        let (own, other) = match held {
            Some(held) if held.holder == self.who.holder() => (Some(held.id), None),
            held => (None, held),
        };
        let over = lease.is_some_and(|lease| {
            lease.epoch() == lock.epoch()
                && (lease.fence() < lock.fence() || lease.fence() == lock.fence() && lock.lease().is_none())
        });
        LeaseRefusal::NotOwned { over, own, held_until: other.map(|other| other.expires_at) }
    }

    /// Whether a call runs under the lease. A named lease is ignored if the rollout has no leases. A
    /// conversation in a turn of its own may leave it out.
    fn is_under(&self, lease: Option<LeaseId>) -> bool {
        let rollout = self.policy.rollout;
        rollout.needs_lease() && !self.has_own_turn() || (lease.is_some() && rollout.has_leases())
    }

    /// Whether the named lease expired, but the turn in which it was taken still runs, without a lease.
    fn has_outlived(&mut self, lease: Option<LeaseId>) -> bool {
        let Some(lease) = lease.filter(|_| self.has_own_turn()) else { return false };
        let holder = self.who.holder();
        let checked = self.head.lock.authorize(&self.policy.lease, self.view.clock, lease, &holder);
        matches!(checked, Err(LeaseError::Expired { .. }))
    }

    pub(super) fn lease_refusal<R: From<LeaseRefusal>>(&self, lease: LeaseId, error: LeaseError) -> Stop<R> {
        Stop::refused(match error {
            LeaseError::StaleEpoch { current } => match self.changes_seen() {
                Ok(changes) => LeaseRefusal::StaleEpoch { current, changes },
                Err(missing) => return missing.into(),
            },
            LeaseError::NotOwned => self.not_owned(Some(lease)),
            LeaseError::Expired { at } => LeaseRefusal::Expired { at },
        })
    }
}

/// The permission under which a write is done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Permit {
    /// Under the valid lease until this instant; `None` if no lease is needed.
    Until(Option<Timestamp>),
    /// Under an expired lease, which is taken again together with the write.
    Retake,
}

pub(super) fn author_text(by: Author) -> String {
    match by {
        Author::User => "user".to_owned(),
        Author::Host => "host".to_owned(),
        Author::Assistant { lease: None } => "assistant".to_owned(),
        Author::Assistant { lease: Some(lease) } => format!("assistant {lease}"),
    }
}

/// Returns the access that a change by this author needs, or `None` if the author is not a model.
pub(super) fn access_of(by: Author) -> Option<Access> {
    matches!(by, Author::Assistant { .. }).then_some(Access::Write)
}
