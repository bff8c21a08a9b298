//! The effect of a call on its caller's lease.

use canvas_core::lease::{LeaseId, Timestamp};

/// The effect of a call on its caller's lease, for the host code that renews and releases it. The enum is exhaustive, so
/// code that ignores a new effect does not compile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LeaseChange {
    /// No known effect.
    #[default]
    None,
    /// A check-out issued this lease.
    Acquired(LeaseTerm),
    /// The lease now lives until the given expiry.
    Extended(LeaseTerm),
    /// The first lease had expired, so the write made under it acquired the second one.
    Replaced(LeaseId, LeaseTerm),
    /// The lease was checked in and is no longer valid.
    Released(LeaseId),
    /// The lease is no longer valid: it expired, was preempted, or never belonged to the caller.
    Lost(LeaseId),
}

/// A lease and its lifetime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseTerm {
    /// The lease that this term applies to.
    pub lease_id: LeaseId,
    /// Expiry by the store's clock, unless the lease is extended.
    pub expires_at: Timestamp,
    /// Whether the lease reached its maximum hold, so that no renewal moves the expiry any further. Only renewals
    /// report this; other calls set it to `false`.
    pub at_max_hold: bool,
}

impl LeaseTerm {
    pub(crate) const fn until(expires_at: Timestamp, lease_id: LeaseId) -> Self {
        Self { lease_id, expires_at, at_max_hold: false }
    }
}
