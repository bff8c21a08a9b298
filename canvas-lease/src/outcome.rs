//! What an operation answers when it succeeds.

use std::time::Duration;

use crate::{Epoch, Fence, Hold, LeaseId, Timestamp, Turn};

/// A lease, as its holder gets to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Names the lease in every later call.
    pub id: LeaseId,
    /// The epoch the lease belongs to.
    pub epoch: Epoch,
    /// When it expires by the store's clock. For display; a holder counts `ttl_remaining`.
    pub expires_at: Timestamp,
    /// What is left. Count it from before the request was sent: the answer took time too.
    pub ttl_remaining: Duration,
    /// Whether this repeats the answer to an earlier check-out with the same operation key.
    pub replayed: bool,
    /// Whether renewing cannot move the expiry any further.
    pub at_max_hold: bool,
}

/// What a sign of life did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heartbeat {
    /// The expiry moved.
    Extended(Grant),
    /// Nothing but the clock mark changed, so nothing needs to be stored.
    Coalesced(Grant),
}

impl Heartbeat {
    /// The lease as it now stands.
    pub const fn grant(&self) -> &Grant {
        match self {
            Self::Extended(grant) | Self::Coalesced(grant) => grant,
        }
    }
}

/// Proof that a lease was valid on the state and at the clock it was asked for.
///
/// Only [`Lease::authorize`](crate::Lease::authorize) makes one. It proves nothing about any later
/// state: use it up in the step that asked for it.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a permit allows one write in the step that asked for it"]
pub struct Permit {
    id: LeaseId,
    expires_at: Timestamp,
}

impl Permit {
    pub(crate) const fn new(id: LeaseId, expires_at: Timestamp) -> Self {
        Self { id, expires_at }
    }

    /// The fence of the lease, to be recorded with what is written.
    pub const fn fence(&self) -> Fence {
        self.id.fence()
    }

    /// The epoch of the lease, to be recorded with what is written.
    pub const fn epoch(&self) -> Epoch {
        self.id.epoch()
    }

    /// The instant of the store's clock from which on the write must not land.
    pub const fn expires_at(&self) -> Timestamp {
        self.expires_at
    }
}

/// What a check-in found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckIn {
    /// The lease was valid and is now released.
    Released,
    /// The lease had ended before, by an earlier check-in or by expiry.
    AlreadyReleased,
}

/// What a preemption did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// The epoch from now on.
    pub epoch: Epoch,
    /// The turn from now on.
    pub turn: Turn,
    /// The hold it took away, which may have been expired already.
    pub ended: Option<Hold>,
}
