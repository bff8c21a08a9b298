//! Requests, outcomes and errors of the operations of a lock.

use serde::{Deserialize, Serialize};

use crate::{Epoch, Grant, Holder, Lease, LeaseId, OperationKey, Timestamp, Turn};

/// A request for a lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CheckOutRequest {
    /// The holder that asks for the lease.
    pub holder: Holder,
    /// The key of this attempt, which a retry repeats.
    pub operation: OperationKey,
    /// The turn on whose behalf the holder runs.
    pub turn: Turn,
}

/// The user's action that ends the lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreemptionCause {
    /// The user sent a message, so the next turn begins.
    UserMessage,
    /// The user stopped the answer, so the turn is over.
    Cancel,
    /// The user took control, so the turn is over.
    TakeControl,
    /// The user changed the locked value. An open turn goes on, and may check out again.
    UserEdit,
}

/// The result of [`Lock::heartbeat`](crate::Lock::heartbeat).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeartbeatOutcome {
    /// The expiry moved forward, so store the lock.
    Extended(Grant),
    /// Only the high-water mark may have moved, so you need not store the lock.
    Coalesced(Grant),
}

impl HeartbeatOutcome {
    /// Returns the lease after the keep-alive.
    pub const fn grant(&self) -> &Grant {
        match self {
            Self::Extended(grant) | Self::Coalesced(grant) => grant,
        }
    }
}

/// Proof that a lease was valid in one state of the lock and at one reading of the clock.
///
/// Only [`Lock::authorize`](crate::Lock::authorize) makes one. It does not cover a later state, so use it in
/// the compare-and-swap for which it was made.
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

    /// Returns the id of the lease. Record its fence and epoch with the value that you write.
    pub const fn id(&self) -> LeaseId {
        self.id
    }

    /// Returns the first instant, by the store's clock, at which the write must no longer be committed.
    pub const fn expires_at(&self) -> Timestamp {
        self.expires_at
    }
}

/// The result of [`Lock::check_in`](crate::Lock::check_in).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckInOutcome {
    /// The lease was valid and is now released.
    Released,
    /// The lease had already been released, or had expired.
    AlreadyReleased,
}

/// The result of [`Lock::preempt`](crate::Lock::preempt).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preemption {
    /// The lock's epoch after the preemption.
    pub epoch: Epoch,
    /// The lock's turn after the preemption, which only a message changes.
    pub turn: Turn,
    /// The lease on record until then, which may already be expired, or `None` if there was no lease.
    pub ended: Option<Lease>,
}

/// Error returned by [`Lock::check_out`](crate::Lock::check_out). The enum is exhaustive, so that a caller maps every
/// case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckOutError {
    /// Another lease is valid.
    #[error("the lock is held until {until} (milliseconds since 1970 UTC): check out again after that")]
    Held {
        /// The expiry of that lease unless it is renewed.
        until: Timestamp,
    },
    /// The turn is not the current one, or the user ended it.
    #[error("the user has ended this turn: stop writing and wait for the next user message")]
    UserActive,
    /// The epoch is at its highest value.
    #[error("this lock has used up its epochs: ask the user to go on with a new one")]
    EpochExhausted,
    /// The fence is at its highest value.
    #[error("this lock has used up its lease ids: ask the user to go on with a new one")]
    FenceExhausted,
}

impl CheckOutError {
    /// Returns the stable code. `Held` and `UserActive` share one, and [`CheckOutError::reason`]
    /// distinguishes them.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Held { .. } | Self::UserActive => "LOCK_NOT_AVAILABLE",
            Self::EpochExhausted => "EPOCH_EXHAUSTED",
            Self::FenceExhausted => "FENCE_EXHAUSTED",
        }
    }

    /// Returns the reason for the code `LOCK_NOT_AVAILABLE`, or `None` with any other code.
    pub const fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Held { .. } => Some("HELD"),
            Self::UserActive => Some("USER_ACTIVE"),
            Self::EpochExhausted | Self::FenceExhausted => None,
        }
    }

    /// Returns whether the same request can succeed later.
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::Held { .. })
    }
}

/// Error returned by operations on a lease. If several apply, the operation returns the first in this order.
/// The exception is an id that was never issued, which is always [`LeaseError::NotOwned`]. The enum is exhaustive, so
/// that a caller maps every case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LeaseError {
    /// The lease was preempted by the user, or the store's clock fell back too far.
    #[error(
        "this lease was preempted, the lock is now at epoch {current}: check out again and read before you write"
    )]
    StaleEpoch {
        /// The current epoch of the lock, above the epoch of the lease.
        current: Epoch,
    },
    /// The lease is not the current one, or belongs to somebody else.
    #[error("this is not your lease: use the id from your last check-out, or check out again")]
    NotOwned,
    /// The lease is the current one and is expired.
    #[error(
        "this lease expired at {at} (milliseconds since 1970 UTC): check out again and read before you write"
    )]
    Expired {
        /// The expiry of the lease, by the store's clock.
        at: Timestamp,
    },
}

impl LeaseError {
    /// Returns the stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::StaleEpoch { .. } => "STALE_EPOCH",
            Self::NotOwned => "LOCK_NOT_OWNED",
            Self::Expired { .. } => "LEASE_EXPIRED",
        }
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
            assert_eq!((refusal.code(), refusal.reason(), refusal.is_retryable()), (code, reason, retryable));
        }
    }

    /// A lock can guard anything, so its messages do not name the guarded value.
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
            assert_eq!(refusal.code(), code);
        }
    }
}
