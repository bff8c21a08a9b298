//! What the operations of a lock take and return: requests, outcomes, errors.

use serde::{Deserialize, Serialize};

use crate::{Epoch, Grant, Holder, Lease, LeaseId, OperationKey, Timestamp, Turn};

/// Asks for a lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckOutRequest {
    /// Who asks.
    pub holder: Holder,
    /// Names this attempt; a retry repeats the key.
    pub operation: OperationKey,
    /// The turn on whose behalf the holder runs.
    pub turn: Turn,
}

/// What the user did that ends the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreemptionCause {
    /// The user sent a message: the next turn begins.
    UserMessage,
    /// The user stopped the answer: the turn is over.
    Cancel,
    /// The user took control: the turn is over.
    TakeControl,
    /// The user changed what the lock guards: the turn goes on, and may check out again.
    UserEdit,
}

/// What a keep-alive did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatOutcome {
    /// The expiry moved.
    Extended(Grant),
    /// Only the high-water mark may have moved, so nothing needs to be stored.
    Coalesced(Grant),
}

impl HeartbeatOutcome {
    /// The lease after the keep-alive.
    pub const fn grant(&self) -> &Grant {
        match self {
            Self::Extended(grant) | Self::Coalesced(grant) => grant,
        }
    }
}

/// Proof that a lease was valid on one state of the lock and at one clock.
///
/// Only [`Lock::authorize`](crate::Lock::authorize) makes one. It says nothing about a later state: use it
/// in the compare-and-swap for which it was made.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a permit allows one write, in the compare-and-swap for which it was made"]
pub struct Permit {
    id: LeaseId,
    expires_at: Timestamp,
}

impl Permit {
    pub(crate) const fn new(id: LeaseId, expires_at: Timestamp) -> Self {
        Self { id, expires_at }
    }

    /// The lease, whose fence and epoch are to be recorded with what is written.
    pub const fn id(&self) -> LeaseId {
        self.id
    }

    /// The first instant, by the store's clock, at which the write must no longer be committed.
    pub const fn expires_at(&self) -> Timestamp {
        self.expires_at
    }
}

/// What a check-in found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckInOutcome {
    /// The lease was valid and is now released.
    Released,
    /// The lease had already been released, or had expired.
    AlreadyReleased,
}

/// What a preemption did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// The epoch after it.
    pub epoch: Epoch,
    /// The turn after it.
    pub turn: Turn,
    /// The lease on record until then, which may already have expired.
    pub ended: Option<Lease>,
}

/// Why a check-out was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckOutError {
    /// Another lease is valid.
    #[error("the lock is held until {until} (milliseconds since 1970 UTC): check out again after that")]
    Held {
        /// When that lease expires unless it is renewed.
        until: Timestamp,
    },
    /// The turn is not the current one, or the user has ended it.
    #[error("the user has ended this turn: stop writing and wait for the next user message")]
    UserActive,
    /// The epoch has reached its highest value.
    #[error("this lock has used up its epochs: ask the user to go on with a new one")]
    EpochExhausted,
    /// The fence has reached its highest value.
    #[error("this lock has used up its lease ids: ask the user to go on with a new one")]
    FenceExhausted,
}

impl CheckOutError {
    /// The stable code. `Held` and `UserActive` share one; [`CheckOutError::reason`] distinguishes them.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Held { .. } | Self::UserActive => "LOCK_NOT_AVAILABLE",
            Self::EpochExhausted => "EPOCH_EXHAUSTED",
            Self::FenceExhausted => "FENCE_EXHAUSTED",
        }
    }

    /// Why the code is `LOCK_NOT_AVAILABLE`; `None` with any other code.
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

/// Why an operation on a lease was refused. When several apply, the first in this order is returned. The
/// exception is an id that was never issued, which is always [`LeaseError::NotOwned`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    /// The lease was preempted by the user, or the store's clock fell back too far.
    #[error(
        "this lease was preempted, the lock is now at epoch {current}: check out again and read before you write"
    )]
    StaleEpoch {
        /// The epoch of the lock.
        current: Epoch,
    },
    /// The lease is not the current one, or somebody else's.
    #[error("this is not your lease: use the id from your last check-out, or check out again")]
    NotOwned,
    /// The lease is the current one and has expired.
    #[error(
        "this lease expired at {at} (milliseconds since 1970 UTC): check out again and read before you write"
    )]
    Expired {
        /// When it expired.
        at: Timestamp,
    },
}

impl LeaseError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::StaleEpoch { .. } => "STALE_EPOCH",
            Self::NotOwned => "LOCK_NOT_OWNED",
            Self::Expired { .. } => "LEASE_EXPIRED",
        }
    }

    /// Whether the same call can succeed later: never, as a lease that has ended stays so.
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

    /// A lock guards whatever its host says.
    #[test]
    fn no_message_says_what_is_locked() {
        let check_out = [
            CheckOutError::Held { until: Timestamp::MAX },
            CheckOutError::UserActive,
            CheckOutError::EpochExhausted,
            CheckOutError::FenceExhausted,
        ];
        let lease = [
            LeaseError::StaleEpoch { current: Epoch::MAX },
            LeaseError::NotOwned,
            LeaseError::Expired { at: Timestamp::MAX },
        ];
        let messages = check_out.iter().map(ToString::to_string).chain(lease.iter().map(ToString::to_string));
        for message in messages {
            for thing in ["canvas", "document", "board", " edit"] {
                assert!(!message.contains(thing), "{message}");
            }
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
