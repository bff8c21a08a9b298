//! One lease, and the id that names it.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::{Epoch, Fence, Holder, LeasePolicy, OperationKey, Timestamp};

/// The lease issued last, which stays on record, even after it expires, until a check-in, a preemption or a
/// clock that falls back removes it.
///
/// The fields are public because a value made by hand gives no access. A [`Lock`](crate::Lock) checks its own
/// lease.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lease {
    /// The lease id, which holds the current fence and epoch of the lock.
    pub id: LeaseId,
    /// The holder that checked it out. Nobody else may use it.
    pub holder: Holder,
    /// The operation key of the check-out. A retry with this key returns this lease.
    pub operation: OperationKey,
    /// The time of the check-out, from which the maximum hold counts.
    #[serde(rename = "taken_at")]
    pub acquired_at: Timestamp,
    /// The time at which the expiry last moved, initially [`Lease::acquired_at`].
    pub renewed_at: Timestamp,
    /// The first instant at which the lease is no longer valid.
    pub expires_at: Timestamp,
}

impl Lease {
    pub(crate) fn issue(
        id: LeaseId,
        holder: Holder,
        operation: OperationKey,
        policy: &LeasePolicy,
        now: Timestamp,
    ) -> Self {
        let mut lease = Self { id, holder, operation, acquired_at: now, renewed_at: now, expires_at: now };
        lease.extend(policy, now);
        lease
    }

    /// Returns whether the lease has not expired at `now`. Every operation uses this comparison.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Moves the expiry as far forward as the policy allows, and returns whether it moved.
    pub(crate) fn extend(&mut self, policy: &LeasePolicy, now: Timestamp) -> bool {
        let target = now.saturating_add(policy.ttl).min(self.limit(policy));
        let moves = target > self.expires_at;
        if moves {
            self.expires_at = target;
            self.renewed_at = now;
        }
        moves
    }

    pub(crate) fn grant(&self, policy: &LeasePolicy, now: Timestamp) -> Grant {
        Grant {
            id: self.id,
            expires_at: self.expires_at,
            ttl_remaining: self.expires_at.saturating_duration_since(now),
            replayed: false,
            at_max_hold: self.expires_at >= self.limit(policy),
        }
    }

    fn limit(&self, policy: &LeasePolicy) -> Timestamp {
        self.acquired_at.saturating_add(policy.max_hold)
    }
}

/// A valid lease, as its holder sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The id to pass to every later operation.
    pub id: LeaseId,
    /// The expiry by the store's clock, for display. A holder relies on `ttl_remaining` instead.
    pub expires_at: Timestamp,
    /// The time until the expiry. For a safe deadline, add it to the time at which you sent the request, because the
    /// answer took time too.
    pub ttl_remaining: Duration,
    /// Whether an earlier check-out with the same operation key issued this lease.
    pub replayed: bool,
    /// Whether a renewal cannot move the expiry any further.
    pub at_max_hold: bool,
}

/// The id of one lease of one lock, made of its fence and its epoch. Ids of one lock sort by time of issue.
///
/// It is written `lease-<fence>-<epoch>`, as text and in JSON. An id is easy to guess and is not a secret,
/// because every operation also requires the holder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeaseId {
    fence: Fence,
    epoch: Epoch,
}

impl LeaseId {
    pub(crate) const fn new(fence: Fence, epoch: Epoch) -> Self {
        Self { fence, epoch }
    }

    fn from_parts(text: &str) -> Option<Self> {
        let (fence, epoch) = text.strip_prefix("lease-")?.split_once('-')?;
        let fence = Fence::new(fence.parse().ok()?).ok().filter(|fence| *fence > Fence::ZERO)?;
        Some(Self { fence, epoch: Epoch::new(epoch.parse().ok()?).ok()? })
    }

    /// Returns the number of this lease among all leases of the lock, counted from 1.
    pub const fn fence(self) -> Fence {
        self.fence
    }

    /// Returns the epoch in which this lease was issued, and the only one in which it can be valid.
    pub const fn epoch(self) -> Epoch {
        self.epoch
    }
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lease-{}-{}", self.fence, self.epoch)
    }
}

/// Parses the form that [`LeaseId`] prints and no other, so a sign, a leading zero or fence 0 is an error.
/// This is the only parser of lease ids, and serde uses it too.
impl FromStr for LeaseId {
    type Err = ParseLeaseIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Integers also parse with a sign or leading zeros. Two spellings of one id would be two keys in
        // somebody's log or cache, so only the printed one is accepted.
        Self::from_parts(text).filter(|id| id.to_string() == text).ok_or(ParseLeaseIdError)
    }
}

/// Error returned when a text is not a lease id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the lease id is not of the form lease-3-1: pass on the one that check-out returned, unchanged")]
pub struct ParseLeaseIdError;

impl ParseLeaseIdError {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "INVALID_ARGUMENTS"
    }
}

impl Serialize for LeaseId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LeaseId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints() {
        for text in ["lease-1-0", "lease-10-203", "lease-9007199254740991-9007199254740991"] {
            let id: LeaseId = text.parse().unwrap();
            assert_eq!(id.to_string(), text);
            assert_eq!(serde_json::to_value(id).unwrap(), text);
            assert_eq!(serde_json::from_value::<LeaseId>(text.into()).unwrap(), id);
        }
        let id: LeaseId = "lease-10-203".parse().unwrap();
        assert_eq!((id.fence().get(), id.epoch().get()), (10, 203));
    }

    #[test]
    fn reads_nothing_else() {
        for text in [
            "",
            "lease",
            "lease-",
            "lease-1",
            "lease-1-",
            "lease--1",
            "lease-0-0",
            "lease-01-0",
            "lease-1-00",
            "lease-+1-0",
            "lease-1--0",
            "lease-1-0-0",
            "lease-1-0 ",
            " lease-1-0",
            "Lease-1-0",
            "lease-a-0",
            "lease-1.0-0",
            "lease-1-9007199254740992",
            "lease-9007199254740992-1",
            "lease-99999999999999999999-1",
            "lease-\u{0661}-0",
        ] {
            let error = text.parse::<LeaseId>().expect_err(text);
            assert_eq!(error.code(), "INVALID_ARGUMENTS");
            assert!(serde_json::from_value::<LeaseId>(text.into()).is_err(), "{text:?}");
        }
    }
}
