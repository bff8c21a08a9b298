//! The leases that a turn holds, as the replies report them, and the time of each renewal.

use std::collections::BTreeSet;
use std::time::Duration;

use canvas_tools::lease::{LeaseId, Timestamp};
use canvas_tools::{LeaseChange, LeaseTerm};

/// Leases in the order in which they were acquired.
///
/// A lease can be held only once. After it is released or lost, replies that name it have no effect.
#[derive(Debug, Default)]
pub(super) struct Leases {
    held: Vec<HeldLease>,
    ended: BTreeSet<LeaseId>,
    /// Releases requested and not yet reported, with the time until which to wait for the report.
    releasing: Vec<(LeaseId, Timestamp)>,
}

#[derive(Debug)]
struct HeldLease {
    id: LeaseId,
    renewal: Renewal,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Renewal {
    /// The lease expires at this time. A reply carries no current time, so [`Leases::schedule`] computes the deadline.
    Pending {
        expires_at: Timestamp,
    },
    At(Timestamp),
    /// The lease is at its maximum hold, so a renewal does not move the expiry.
    Never,
}

impl Leases {
    /// Applies the effect of a call or a renewal on a lease.
    pub(super) fn observe_reply(&mut self, change: LeaseChange) {
        match change {
            LeaseChange::None => {}
            LeaseChange::Acquired(term) if !self.is_held(term.lease_id) => self.acquire(term),
            LeaseChange::Acquired(term) | LeaseChange::Extended(term) => self.extend(term),
            LeaseChange::Replaced(id, term) => {
                self.forget(id);
                self.observe_reply(LeaseChange::Acquired(term));
            }
            LeaseChange::Released(id) | LeaseChange::Lost(id) => self.forget(id),
        }
    }

    fn acquire(&mut self, term: LeaseTerm) {
        if !self.ended.contains(&term.lease_id) {
            self.held.push(HeldLease { id: term.lease_id, renewal: Renewal::after(term) });
        }
    }

    fn extend(&mut self, term: LeaseTerm) {
        let held = self.held.iter_mut().find(|held| held.id == term.lease_id);
        // Only renewals report the maximum hold. A later read does not report it, although it still applies.
        if let Some(held) = held.filter(|held| held.renewal != Renewal::Never) {
            held.renewal = Renewal::after(term);
        }
    }

    fn forget(&mut self, id: LeaseId) {
        if self.is_held(id) {
            self.held.retain(|held| held.id != id);
            self.ended.insert(id);
        }
    }

    pub(super) fn is_held(&self, id: LeaseId) -> bool {
        self.held.iter().any(|held| held.id == id)
    }

    pub(super) fn held(&self) -> impl Iterator<Item = LeaseId> {
        self.held.iter().map(|held| held.id)
    }

    /// Computes deadlines for the terms reported since the last poll. A lease is renewed after a third of its remaining
    /// life, which is at most `ttl`.
    pub(super) fn schedule(&mut self, now: Timestamp, ttl: Duration) {
        for held in &mut self.held {
            if let Renewal::Pending { expires_at } = held.renewal {
                // An expiry in the past comes from another clock.
                let left = Some(expires_at.saturating_duration_since(now)).filter(|left| !left.is_zero());
                held.renewal = Renewal::At(after_a_third(now, left.unwrap_or(ttl).min(ttl)));
            }
        }
    }

    /// Returns a lease whose renewal is due. The renewal is requested once, and again after another third of the
    /// lifetime.
    pub(super) fn renewal(&mut self, now: Timestamp, ttl: Duration) -> Option<LeaseId> {
        let due = self.held.iter_mut().find(|held| held.renewal.is_due(now))?;
        due.renewal = Renewal::At(after_a_third(now, ttl));
        Some(due.id)
    }

    /// Returns the time of the next renewal.
    pub(super) fn next_renewal(&self) -> Option<Timestamp> {
        let deadlines = self.held.iter().filter_map(|held| match held.renewal {
            Renewal::At(at) => Some(at),
            Renewal::Pending { .. } | Renewal::Never => None,
        });
        deadlines.min()
    }

    /// Ends the oldest lease. The report of its release is awaited for one lifetime.
    pub(super) fn release(&mut self, now: Timestamp, ttl: Duration) -> Option<LeaseId> {
        let id = self.held.first()?.id;
        self.begin_release(id, now, ttl);
        Some(id)
    }

    /// Ends a lease whose renewal is due.
    pub(super) fn release_due(&mut self, now: Timestamp, ttl: Duration) -> Option<LeaseId> {
        let id = self.held.iter().find(|held| held.renewal.is_due(now))?.id;
        self.begin_release(id, now, ttl);
        Some(id)
    }

    fn begin_release(&mut self, id: LeaseId, now: Timestamp, ttl: Duration) {
        self.forget(id);
        self.releasing.push((id, now.saturating_add(ttl)));
    }

    /// Returns the time until which to wait for reports of releases.
    pub(super) fn releasing_until(&mut self, now: Timestamp) -> Option<Timestamp> {
        self.releasing.retain(|(_, until)| *until > now);
        self.releasing.iter().map(|(_, until)| *until).max()
    }

    /// Takes the report of a release. Returns `false` if the release was not requested.
    pub(super) fn released(&mut self, id: LeaseId) -> bool {
        let before = self.releasing.len();
        self.releasing.retain(|(releasing, _)| *releasing != id);
        self.releasing.len() < before
    }
}

impl Renewal {
    const fn after(term: LeaseTerm) -> Self {
        if term.at_max_hold { Self::Never } else { Self::Pending { expires_at: term.expires_at } }
    }

    fn is_due(self, now: Timestamp) -> bool {
        matches!(self, Self::At(at) if at <= now)
    }
}

/// Returns the time after a third of this life. It is at least a millisecond later, so that a host that only waits
/// makes progress.
fn after_a_third(now: Timestamp, life: Duration) -> Timestamp {
    now.saturating_add((life / 3).max(Duration::from_millis(1)))
}
