//! What an operation answers when it refuses. Each text says what to do next.

use crate::{Epoch, Timestamp};

/// Why a check-out was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckOutRefusal {
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

impl CheckOutRefusal {
    /// The stable code. The first two refusals share one; [`CheckOutRefusal::reason`] tells them apart.
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
/// except that an id which was never given is [`Refusal::NotOwned`] at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
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

impl Refusal {
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
            (CheckOutRefusal::Held { until: Timestamp::MAX }, "LOCK_NOT_AVAILABLE", Some("HELD"), true),
            (CheckOutRefusal::UserActive, "LOCK_NOT_AVAILABLE", Some("USER_ACTIVE"), false),
            (CheckOutRefusal::EpochExhausted, "EPOCH_EXHAUSTED", None, false),
            (CheckOutRefusal::FenceExhausted, "FENCE_EXHAUSTED", None, false),
        ] {
            assert_eq!((refusal.code(), refusal.reason(), refusal.retryable()), (code, reason, retryable));
        }
    }

    #[test]
    fn refusals_keep_their_codes() {
        for (refusal, code) in [
            (Refusal::StaleEpoch { current: Epoch::MAX }, "STALE_EPOCH"),
            (Refusal::NotOwned, "LOCK_NOT_OWNED"),
            (Refusal::Expired { at: Timestamp::MAX }, "LEASE_EXPIRED"),
        ] {
            assert_eq!((refusal.code(), refusal.retryable()), (code, false));
        }
    }
}
