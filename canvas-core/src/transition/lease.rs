//! Commands on the lease.

use canvas_lease::{CheckInOutcome, CheckOutError, CheckOutRequest, Epoch, LeaseId, Timestamp};
use serde::{Deserialize, Serialize};

use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::RevisionId;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::{CheckOutRefusal, HolderRefusal, NotAvailable};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

/// Takes the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckOut;

/// Result of [`CheckOut`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedOut {
    /// Lease id for the following calls.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub lease: LeaseId,
    /// Epoch of the lease.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// Expiry by the store's clock, unless the lease is renewed.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub expires_at: Timestamp,
    /// Revision of the document at the check-out.
    pub revision: RevisionId,
}

/// Extends the lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renew {
    /// The lease to extend, or `None` if the model sent no readable lease id.
    pub lease: Option<LeaseId>,
}

/// Result of [`Renew`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Renewed {
    /// Id of the extended lease.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub lease: LeaseId,
    /// New expiry by the store's clock.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub expires_at: Timestamp,
    /// Whether the lease is at its maximum hold, so no renewal extends it further.
    pub at_max_hold: bool,
    /// Current revision of the document.
    pub revision: RevisionId,
}

/// Releases the lease. Releasing it twice is not an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckIn {
    /// The lease to release, or `None` if the model sent no readable lease id.
    pub lease: Option<LeaseId>,
}

/// Result of [`CheckIn`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckedIn {
    /// False if the lease ended earlier.
    pub released: bool,
    /// Current revision of the document.
    pub revision: RevisionId,
}

pub(super) fn lease_text(lease: Option<LeaseId>) -> String {
    lease.map_or_else(String::new, |lease| lease.to_string())
}

impl Command for CheckOut {
    type Done = CheckedOut;
    type Refusal = CheckOutRefusal;
}

impl Decide for CheckOut {
    const NAME: &'static str = "check_out";
    const KIND: &'static str = "checked_out";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Lease)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"check_out", b""])
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<CheckedOut, Stop<CheckOutRefusal>> {
        let request = CheckOutRequest {
            holder: at.who.holder(),
            operation: operation.operation(),
            turn: operation.turn,
        };
        let grant = at.head.lock.check_out(&at.policy.lease, at.view.clock, request);
        let grant = grant.map_err(|error| match error {
            CheckOutError::Held { until } => {
                let own = at.keep_alive();
                let until = own.map_or(until, |(_, until)| until);
                Stop::refused(NotAvailable::Held { until, own: own.map(|(lease, _)| lease) })
            }
            error => Stop::refused(error),
        })?;
        at.fence = Some(grant.id.fence());
        let (lease, epoch, expires_at) = (grant.id, grant.id.epoch(), grant.expires_at);
        Ok(CheckedOut { lease, epoch, expires_at, revision: at.head.revision_id() })
    }
}

impl Command for Renew {
    type Done = Renewed;
    type Refusal = HolderRefusal;
}

impl Decide for Renew {
    const NAME: &'static str = "renew";
    const KIND: &'static str = "renewed";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Lease)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"renew", lease_text(self.lease).as_bytes()])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<Renewed, Stop<HolderRefusal>> {
        let (lease, _) = at.authorize(self.lease)?;
        let grant = at.head.lock.renew(&at.policy.lease, at.view.clock, lease, &at.who.holder());
        let grant = grant.map_err(|error| at.lease_refusal(lease, error))?;
        let (expires_at, at_max_hold) = (grant.expires_at, grant.at_max_hold);
        Ok(Renewed { lease, expires_at, at_max_hold, revision: at.head.revision_id() })
    }
}

impl Command for CheckIn {
    type Done = CheckedIn;
    type Refusal = HolderRefusal;
}

impl Decide for CheckIn {
    const NAME: &'static str = "check_in";
    const KIND: &'static str = "checked_in";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        Some(Access::Lease)
    }

    fn digest(&self) -> Digest {
        Digest::of(&[b"check_in", lease_text(self.lease).as_bytes()])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<CheckedIn, Stop<HolderRefusal>> {
        let lease = self.lease.ok_or_else(|| Stop::refused(at.not_owned(None)))?;
        let checked_in = at.head.lock.check_in(&at.policy.lease, at.view.clock, lease, &at.who.holder());
        let checked_in = checked_in.map_err(|error| at.lease_refusal(lease, error))?;
        let released = checked_in == CheckInOutcome::Released;
        at.fence = released.then_some(lease.fence());
        Ok(CheckedIn { released, revision: at.head.revision_id() })
    }
}
