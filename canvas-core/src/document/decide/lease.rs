//! Who may do something, and until when.

use canvas_lease::{CheckIn, CheckOut, LeaseId, Timestamp};

use super::{Step, Stop};
use crate::document::command::Call;
use crate::document::outcome::Outcome;
use crate::document::refusal::Refusal;

impl Step<'_> {
    pub(super) fn check_out(&mut self, call: &Call) -> Result<Outcome, Stop> {
        let request = CheckOut {
            holder: self.who.holder(),
            operation: call.operation.operation(),
            turn: call.operation.turn,
        };
        let grant = self.head.lease.check_out(&self.policy.lease, self.view.clock, request);
        let grant = grant.map_err(Refusal::from)?;
        self.fence = Some(grant.id.fence());
        Ok(Outcome::CheckedOut {
            lease: grant.id,
            epoch: grant.epoch,
            expires_at: grant.expires_at,
            revision: self.head.revision_id(),
        })
    }

    pub(super) fn renew(&mut self, lease: Option<LeaseId>) -> Result<Outcome, Stop> {
        let lease = lease.ok_or(Refusal::NotOwned)?;
        let grant = self.head.lease.renew(&self.policy.lease, self.view.clock, lease, &self.who.holder());
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
        let done = self.head.lease.check_in(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        let done = done.map_err(|refusal| self.lease_refusal(refusal))?;
        let released = done == CheckIn::Released;
        self.fence = released.then_some(lease.fence());
        Ok(Outcome::CheckedIn { released, revision: self.head.revision_id() })
    }

    /// Passes only the holder of the valid lease; afterwards the commit may not come later than its expiry.
    pub(super) fn enter(&mut self, lease: Option<LeaseId>) -> Result<Timestamp, Stop> {
        let lease = lease.ok_or(Refusal::NotOwned)?;
        let holder = self.who.holder();
        let permit = self.head.lease.authorize(&self.policy.lease, self.view.clock, lease, &holder);
        let permit = permit.map_err(|refusal| self.lease_refusal(refusal))?;
        self.fence = Some(permit.fence());
        self.not_after = Some(permit.expires_at());
        if self.head.receipts.of_fence(permit.fence()) >= self.policy.calls_per_lease {
            self.fence = None;
            return Err(Refusal::TooManyCalls { limit: self.policy.calls_per_lease }.into());
        }
        Ok(permit.expires_at())
    }

    /// A call under the lease is a sign of life (specs 000 §4.2).
    pub(super) fn beat(&mut self, lease: Option<LeaseId>) -> Result<Timestamp, Stop> {
        let expires_at = self.enter(lease)?;
        let Some(lease) = lease else { return Ok(expires_at) };
        let beat = self.head.lease.heartbeat(&self.policy.lease, self.view.clock, lease, &self.who.holder());
        Ok(beat.map_or(expires_at, |beat| beat.grant().expires_at))
    }

    pub(super) fn lease_refusal(&self, refusal: canvas_lease::Refusal) -> Stop {
        match refusal {
            canvas_lease::Refusal::StaleEpoch { current } => match self.changes_seen() {
                Ok(changes) => Refusal::StaleEpoch { current, changes }.into(),
                Err(missing) => Stop::Missing(missing),
            },
            canvas_lease::Refusal::NotOwned => Refusal::NotOwned.into(),
            canvas_lease::Refusal::Expired { at } => Refusal::Expired { at }.into(),
        }
    }
}
