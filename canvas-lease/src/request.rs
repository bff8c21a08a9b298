//! What is asked of a lock, and what it answers.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Epoch, Fence, Holder, Lease, LeaseId, OperationKey, Timestamp, Turn};

/// A request for the lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckOutRequest {
    /// Who asks.
    pub holder: Holder,
    /// Names this attempt; a retry brings the same key.
    pub operation: OperationKey,
    /// The turn on whose behalf the holder runs.
    pub turn: Turn,
}

/// Why a user takes the canvas back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreemptionCause {
    /// The user sent a message: the next turn begins.
    UserMessage,
    /// The user stopped the answer: the turn is over.
    Cancel,
    /// The user asked for the canvas: the turn is over.
    TakeControl,
    /// The user changed the canvas: the turn goes on, and may check out again.
    UserEdit,
}

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
pub enum HeartbeatOutcome {
    /// The expiry moved.
    Extended(Grant),
    /// Nothing but the clock mark changed, so nothing needs to be stored.
    Coalesced(Grant),
}

impl HeartbeatOutcome {
    /// The lease as it now stands.
    pub const fn grant(&self) -> &Grant {
        match self {
            Self::Extended(grant) | Self::Coalesced(grant) => grant,
        }
    }
}

/// Proof that a lease was valid on the state and at the clock it was asked for.
///
/// Only [`Lock::authorize`](crate::Lock::authorize) makes one. It proves nothing about any later
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
pub enum CheckInOutcome {
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
    pub ended: Option<Lease>,
}

/// Why a check-out was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckOutError {
    /// Another lease is valid.
    #[error(
        "the canvas is checked out until {until} (milliseconds since 1970 UTC): check out again after that"
    )]
    Held {
        /// When that lease expires unless it is renewed.
        until: Timestamp,
    },
    /// The turn is not the current one, or the user has ended it.
    #[error("the user has ended this turn: stop editing and wait for the next user message")]
    UserActive,
    /// The epoch has reached its highest value.
    #[error("this canvas has used up its epochs: ask the user to go on in a new canvas")]
    EpochExhausted,
    /// The fence has reached its highest value.
    #[error("this canvas has used up its lease ids: ask the user to go on in a new canvas")]
    FenceExhausted,
}

impl CheckOutError {
    /// The stable code. The first two refusals share one; [`CheckOutError::reason`] tells them apart.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Held { .. } | Self::UserActive => "LOCK_NOT_AVAILABLE",
            Self::EpochExhausted => "EPOCH_EXHAUSTED",
            Self::FenceExhausted => "FENCE_EXHAUSTED",
        }
    }

    /// What stands behind `LOCK_NOT_AVAILABLE`.
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Held { .. } => Some("HELD"),
            Self::UserActive => Some("USER_ACTIVE"),
            Self::EpochExhausted | Self::FenceExhausted => None,
        }
    }

    /// Whether the same request can succeed later.
    pub const fn retryable(&self) -> bool {
        matches!(self, Self::Held { .. })
    }
}

/// Why an operation on a lease was refused. When several apply, the first in this order is given,
/// except that an id which was never given is [`LeaseError::NotOwned`] at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    /// The lease was cut short: by the user, or because the store's clock fell back.
    #[error(
        "this lease was cut short, the canvas is now at epoch {current}: check out again and read the canvas before you edit it"
    )]
    StaleEpoch {
        /// The epoch of the canvas.
        current: Epoch,
    },
    /// The lease is not the current one, or somebody else's.
    #[error("this is not your lease: use the id from your last check-out, or check out again")]
    NotOwned,
    /// The lease is the current one, but its time is over.
    #[error(
        "this lease expired at {at} (milliseconds since 1970 UTC): check out again and read the canvas before you edit it"
    )]
    Expired {
        /// When it expired.
        at: Timestamp,
    },
}

impl LeaseError {
    /// The stable code (specs 000 §5.1).
    pub const fn code(&self) -> &'static str {
        match self {
            Self::StaleEpoch { .. } => "STALE_EPOCH",
            Self::NotOwned => "LOCK_NOT_OWNED",
            Self::Expired { .. } => "LEASE_EXPIRED",
        }
    }

    /// Whether the same call can succeed later. Never: a lease that was refused does not come back.
    pub const fn retryable(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_out_refusals_keep_their_codes() {
        for (refusal, code, reason, retryable) in [
            (CheckOutError::Held { until: Timestamp::MAX }, "LOCK_NOT_AVAILABLE", Some("HELD"), true),
            (CheckOutError::UserActive, "LOCK_NOT_AVAILABLE", Some("USER_ACTIVE"), false),
            (CheckOutError::EpochExhausted, "EPOCH_EXHAUSTED", None, false),
            (CheckOutError::FenceExhausted, "FENCE_EXHAUSTED", None, false),
        ] {
            assert_eq!((refusal.code(), refusal.reason(), refusal.retryable()), (code, reason, retryable));
        }
    }

    #[test]
    fn refusals_keep_their_codes() {
        for (refusal, code) in [
            (LeaseError::StaleEpoch { current: Epoch::MAX }, "STALE_EPOCH"),
            (LeaseError::NotOwned, "LOCK_NOT_OWNED"),
            (LeaseError::Expired { at: Timestamp::MAX }, "LEASE_EXPIRED"),
        ] {
            assert_eq!((refusal.code(), refusal.retryable()), (code, false));
        }
    }
}
