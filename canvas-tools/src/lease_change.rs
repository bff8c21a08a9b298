//! What a call did to its caller's lease.

use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::{AppliedPatch, Command, Outcome, Refusal};

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

impl LeaseChange {
    /// What a call did to the lease that it names, or that it acquired.
    pub(crate) fn of(named: Option<LeaseId>, outcome: &Outcome) -> Self {
        match (outcome, named) {
            (Outcome::CheckedOut { lease, expires_at, .. }, _) => {
                Self::Acquired(LeaseTerm::until(*expires_at, *lease))
            }
            (Outcome::Renewed { lease, expires_at, at_max_hold, .. }, _) => {
                let term = LeaseTerm::until(*expires_at, *lease);
                Self::Extended(LeaseTerm { at_max_hold: *at_max_hold, ..term })
            }
            (Outcome::Readable { expires_at: Some(expires_at), .. }, Some(lease)) => {
                Self::Extended(LeaseTerm::until(*expires_at, lease))
            }
            (Outcome::Applied(AppliedPatch { expires_at: Some(expires_at), .. }), Some(lease)) => {
                Self::Extended(LeaseTerm::until(*expires_at, lease))
            }
            (Outcome::CheckedIn { .. }, Some(lease)) => Self::Released(lease),
            (
                Outcome::Refused(Refusal::StaleEpoch { .. } | Refusal::NotOwned | Refusal::Expired { .. }),
                Some(lease),
            ) => Self::Lost(lease),
            _ => Self::None,
        }
    }
}

impl LeaseTerm {
    const fn until(expires_at: Timestamp, lease_id: LeaseId) -> Self {
        Self { lease_id, expires_at, at_max_hold: false }
    }
}

/// The lease that a model's command names.
pub(crate) fn named_lease(command: &Command) -> Option<LeaseId> {
    match command {
        Command::Renew { lease }
        | Command::CheckIn { lease }
        | Command::Read { lease }
        | Command::Apply { lease, .. }
        | Command::Replace { lease, .. } => *lease,
        _ => None,
    }
}
