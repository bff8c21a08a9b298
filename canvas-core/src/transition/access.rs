//! Who may do something, and until when.

use canvas_lease::{LeaseError, LeaseId, Timestamp};

use crate::model::author::Author;
use crate::model::id::OpKey;
use crate::transition::refusal::{LeaseRefusal, NotAvailable};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

impl Transition<'_> {
    /// Passes only the holder of the valid lease; afterwards the commit may not come later than its expiry.
    pub(super) fn authorize<R: From<LeaseRefusal>>(
        &mut self,
        lease: Option<LeaseId>,
    ) -> Result<(LeaseId, Timestamp), Stop<R>> {
        let lease = lease.ok_or_else(|| Stop::refused(LeaseRefusal::NotOwned))?;
        let holder = self.who.holder();
        let permit = self.head.lock.authorize(&self.policy.lease, self.view.clock, lease, &holder);
        let permit = permit.map_err(|error| self.lease_refusal(error))?;
        self.fence = Some(permit.id().fence());
        self.not_after = Some(permit.expires_at());
        let limit = self.policy.calls_per_lease;
        if self.head.receipts.of_fence(permit.id().fence()) >= limit as u64 {
            self.fence = None;
            return Err(Stop::refused(LeaseRefusal::TooManyCalls { limit }));
        }
        Ok((lease, permit.expires_at()))
    }

    /// A call under the lease is a keep-alive.
    pub(super) fn heartbeat<R: From<LeaseRefusal>>(
        &mut self,
        lease: Option<LeaseId>,
    ) -> Result<Timestamp, Stop<R>> {
        let (lease, expires_at) = self.authorize(lease)?;
        let beat = self.head.lock.heartbeat(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        Ok(beat.map_or(expires_at, |beat| beat.grant().expires_at))
    }

    /// Passes whoever may look: the holder, and where the rollout asks for no lease, anybody.
    pub(super) fn authorize_read<R: From<LeaseRefusal>>(
        &mut self,
        lease: Option<LeaseId>,
    ) -> Result<Option<Timestamp>, Stop<R>> {
        if self.is_under(lease) { self.heartbeat(lease).map(Some) } else { Ok(None) }
    }

    /// Passes whoever may change something: the holder, and where the rollout asks for no lease, anybody whose turn it is
    /// while nobody else holds one.
    pub(super) fn authorize_change<R: From<LeaseRefusal> + From<NotAvailable>>(
        &mut self,
        operation: &OpKey,
        lease: Option<LeaseId>,
    ) -> Result<Option<Timestamp>, Stop<R>> {
        if self.is_under(lease) {
            return self.heartbeat(lease).map(Some);
        }
        let held = self.head.lock.valid_lease(&self.policy.lease, self.view.clock);
        match held.map(|lease| (lease.id, &lease.holder)) {
            // Who holds the lease need not name it.
            Some((id, holder)) if *holder == self.who.holder() => self.heartbeat(Some(id)).map(Some),
            _ => {
                self.check_turn(operation)?;
                self.check_free()?;
                Ok(None)
            }
        }
    }

    /// Passes a call of the turn that runs, while the user has not ended it.
    pub(super) fn check_turn<R: From<NotAvailable>>(&self, operation: &OpKey) -> Result<(), Stop<R>> {
        if operation.turn != self.head.lock.turn() || !self.head.lock.turn_open() {
            return Err(Stop::refused(NotAvailable::UserActive));
        }
        Ok(())
    }

    /// Passes anybody while no lease is valid.
    pub(super) fn check_free<R: From<NotAvailable>>(&self) -> Result<(), Stop<R>> {
        match self.head.lock.valid_lease(&self.policy.lease, self.view.clock) {
            Some(lease) => Err(Stop::refused(NotAvailable::Held { until: lease.expires_at })),
            None => Ok(()),
        }
    }

    /// Where there are no leases, one that is named means nothing.
    fn is_under(&self, lease: Option<LeaseId>) -> bool {
        let rollout = self.policy.rollout;
        rollout.needs_lease() || (lease.is_some() && rollout.has_leases())
    }

    pub(super) fn lease_refusal<R: From<LeaseRefusal>>(&self, error: LeaseError) -> Stop<R> {
        Stop::refused(match error {
            LeaseError::StaleEpoch { current } => match self.changes_seen() {
                Ok(changes) => LeaseRefusal::StaleEpoch { current, changes },
                Err(missing) => return missing.into(),
            },
            LeaseError::NotOwned => LeaseRefusal::NotOwned,
            LeaseError::Expired { at } => LeaseRefusal::Expired { at },
        })
    }
}

/// An author as a part of a digest.
pub(super) fn author_text(by: Author) -> String {
    match by {
        Author::User => "user".to_owned(),
        Author::Host => "host".to_owned(),
        Author::Assistant { lease: None } => "assistant".to_owned(),
        Author::Assistant { lease: Some(lease) } => format!("assistant {lease}"),
    }
}

/// What a model does by a change; `None` where it is not a model's.
pub(super) fn access_of(by: Author) -> Option<Access> {
    matches!(by, Author::Assistant { .. }).then_some(Access::Write)
}
