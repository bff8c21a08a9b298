//! Who may do something, and until when.

use canvas_lease::{CheckInOutcome, CheckOutRequest, LeaseId, Timestamp};

use crate::model::id::OpKey;
use crate::transition::command::Call;
use crate::transition::decide::{Step, Stop};
use crate::transition::outcome::Outcome;
use crate::transition::refusal::Refusal;

impl Step<'_> {
    pub(super) fn check_out(&mut self, call: &Call) -> Result<Outcome, Stop> {
        let request = CheckOutRequest {
            holder: self.who.holder(),
            operation: call.operation.operation(),
            turn: call.operation.turn,
        };
        let grant = self.head.lock.check_out(&self.policy.lease, self.view.clock, request);
        let grant = grant.map_err(Refusal::from)?;
        self.fence = Some(grant.id.fence());
        Ok(Outcome::CheckedOut {
            lease: grant.id,
            epoch: grant.id.epoch(),
            expires_at: grant.expires_at,
            revision: self.head.revision_id(),
        })
    }

    pub(super) fn renew(&mut self, lease: Option<LeaseId>) -> Result<Outcome, Stop> {
        let lease = lease.ok_or(Refusal::NotOwned)?;
        let grant = self.head.lock.renew(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        let grant = grant.map_err(|refusal| self.lease_refusal(refusal))?;
        Ok(Outcome::Renewed {
            lease,
            expires_at: grant.expires_at,
            at_max_hold: grant.at_max_hold,
            revision: self.head.revision_id(),
        })
    }

    pub(super) fn check_in(&mut self, lease: Option<LeaseId>) -> Result<Outcome, Stop> {
        let lease = lease.ok_or(Refusal::NotOwned)?;
        let done = self.head.lock.check_in(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        let done = done.map_err(|refusal| self.lease_refusal(refusal))?;
        let released = done == CheckInOutcome::Released;
        self.fence = released.then_some(lease.fence());
        Ok(Outcome::CheckedIn { released, revision: self.head.revision_id() })
    }

    /// Passes only the holder of the valid lease; afterwards the commit may not come later than its expiry.
    pub(super) fn enter(&mut self, lease: Option<LeaseId>) -> Result<Timestamp, Stop> {
        let lease = lease.ok_or(Refusal::NotOwned)?;
        let holder = self.who.holder();
        let permit = self.head.lock.authorize(&self.policy.lease, self.view.clock, lease, &holder);
        let permit = permit.map_err(|refusal| self.lease_refusal(refusal))?;
        self.fence = Some(permit.id().fence());
        self.not_after = Some(permit.expires_at());
        if self.head.receipts.of_fence(permit.id().fence()) >= self.policy.calls_per_lease {
            self.fence = None;
            return Err(Refusal::TooManyCalls { limit: self.policy.calls_per_lease }.into());
        }
        Ok(permit.expires_at())
    }

    /// A call under the lease is a keep-alive.
    pub(super) fn beat(&mut self, lease: Option<LeaseId>) -> Result<Timestamp, Stop> {
        let expires_at = self.enter(lease)?;
        let Some(lease) = lease else { return Ok(expires_at) };
        let beat = self.head.lock.heartbeat(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        Ok(beat.map_or(expires_at, |beat| beat.grant().expires_at))
    }

    /// Passes whoever may look: the holder, and where the rollout asks for no lease, anybody.
    pub(super) fn may_read(&mut self, lease: Option<LeaseId>) -> Result<Option<Timestamp>, Stop> {
        if self.is_under(lease) { self.beat(lease).map(Some) } else { Ok(None) }
    }

    /// Passes whoever may change something: the holder, and where the rollout asks for no lease, anybody whose turn it is
    /// while nobody else holds one.
    pub(super) fn may_change(
        &mut self,
        operation: &OpKey,
        lease: Option<LeaseId>,
    ) -> Result<Option<Timestamp>, Stop> {
        if self.is_under(lease) {
            return self.beat(lease).map(Some);
        }
        let holder = self.who.holder();
        match self
            .head
            .lock
            .valid_lease(&self.policy.lease, self.view.clock)
            .map(|lease| (lease.id, &lease.holder))
        {
            // Who holds the lease need not name it.
            Some((id, held_by)) if *held_by == holder => self.beat(Some(id)).map(Some),
            _ => self.nobody_writes(operation).map(|()| None),
        }
    }

    /// Passes a call of the turn that runs, while the user has not ended it.
    pub(super) fn is_its_turn(&self, operation: &OpKey) -> Result<(), Stop> {
        if operation.turn != self.head.lock.turn() || !self.head.lock.turn_open() {
            return Err(Refusal::UserActive.into());
        }
        Ok(())
    }

    /// Where there are no leases, one that is named means nothing.
    fn is_under(&self, lease: Option<LeaseId>) -> bool {
        let rollout = self.policy.rollout;
        rollout.needs_lease() || (lease.is_some() && rollout.has_leases())
    }

    /// Passes whose turn it is, while nobody holds a lease.
    pub(super) fn nobody_writes(&self, operation: &OpKey) -> Result<(), Stop> {
        self.is_its_turn(operation)?;
        self.nobody_holds()
    }

    /// Passes anybody while no lease is valid.
    pub(super) fn nobody_holds(&self) -> Result<(), Stop> {
        match self.head.lock.valid_lease(&self.policy.lease, self.view.clock) {
            Some(lease) => Err(Refusal::Held { until: lease.expires_at }.into()),
            None => Ok(()),
        }
    }

    pub(super) fn lease_refusal(&self, refusal: canvas_lease::LeaseError) -> Stop {
        match refusal {
            canvas_lease::LeaseError::StaleEpoch { current } => match self.changes_seen() {
                Ok(changes) => Refusal::StaleEpoch { current, changes }.into(),
                Err(missing) => Stop::Missing(missing),
            },
            canvas_lease::LeaseError::NotOwned => Refusal::NotOwned.into(),
            canvas_lease::LeaseError::Expired { at } => Refusal::Expired { at }.into(),
        }
    }
}
