//! What a call did to its caller's lease.

use canvas_core::lease::{LeaseId, Timestamp};

/// What a call did to the lease of its caller, for whoever keeps that lease alive and gives it back.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LeaseChange {
    /// Nothing that is known.
    #[default]
    None,
    /// A check-out gave this lease.
    Acquired(LeaseTerm),
    /// The lease lives until the expiry given here.
    Extended(LeaseTerm),
    /// The first lease had expired, and the write under it took the other one in its place.
    Replaced(LeaseId, LeaseTerm),
    /// The lease was checked in.
    Released(LeaseId),
    /// The lease is over: it expired, was preempted, or never was the caller's.
    Lost(LeaseId),
}

/// How long a lease lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerm {
    /// The lease.
    pub lease_id: LeaseId,
    /// When it ends unless it is extended, by the store's clock.
    pub expires_at: Timestamp,
    /// No renewal will move the expiry any more. Only renewals report this; other calls have `false`.
    pub at_max_hold: bool,
}

impl LeaseTerm {
    pub(crate) const fn until(expires_at: Timestamp, lease_id: LeaseId) -> Self {
        Self { lease_id, expires_at, at_max_hold: false }
    }
}
