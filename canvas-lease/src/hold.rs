//! One lease in somebody's hands.

use serde::{Deserialize, Serialize};

use crate::{CheckOut, Grant, Holder, LeaseId, OperationKey, Policy, Timestamp};

/// The record of the lease that was given last, for as long as nothing but time has ended it.
///
/// A plain record: a [`Lease`](crate::Lease) lends out only the one it has checked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// The lease.
    pub id: LeaseId,
    /// Who holds it.
    pub holder: Holder,
    /// The attempt it was given to.
    pub operation: OperationKey,
    /// When it was given.
    pub taken_at: Timestamp,
    /// When its expiry last moved; at first, when it was given.
    pub renewed_at: Timestamp,
    /// From this instant on it is no longer valid.
    pub expires_at: Timestamp,
}

impl Hold {
    pub(crate) fn take(id: LeaseId, request: CheckOut, policy: &Policy, now: Timestamp) -> Self {
        let mut hold = Self {
            id,
            holder: request.holder,
            operation: request.operation,
            taken_at: now,
            renewed_at: now,
            expires_at: now,
        };
        hold.extend(policy, now);
        hold
    }

    /// Whether the lease has not expired at `now`: the one place that knows the boundary.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.expires_at
    }

    /// Moves the expiry as far as the policy allows, never back. Tells whether it moved.
    pub(crate) fn extend(&mut self, policy: &Policy, now: Timestamp) -> bool {
        let target = now.saturating_add(policy.ttl).min(self.limit(policy));
        let moves = target > self.expires_at;
        if moves {
            self.expires_at = target;
            self.renewed_at = now;
        }
        moves
    }

    pub(crate) fn grant(&self, policy: &Policy, now: Timestamp) -> Grant {
        Grant {
            id: self.id,
            epoch: self.id.epoch(),
            expires_at: self.expires_at,
            ttl_remaining: self.expires_at.saturating_since(now),
            replayed: false,
            at_max_hold: self.expires_at >= self.limit(policy),
        }
    }

    fn limit(&self, policy: &Policy) -> Timestamp {
        self.taken_at.saturating_add(policy.max_hold)
    }
}
