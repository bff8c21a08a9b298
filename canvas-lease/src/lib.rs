//! An exclusive lease with a fencing token and an epoch, which decides who may write to a shared value and
//! until when.
//!
//! A [`Lock`] is the whole state. Every operation takes a [`LeasePolicy`] and the clock of the store that keeps
//! the lock, changes the lock and returns an outcome or an error. The caller stores the changed lock by
//! compare-and-swap. If the swap fails, discard the outcome, load the lock again and repeat the operation.
//!
//! Agents check out, renew and check in. A user never asks: [`Lock::preempt`] always succeeds, and every
//! later use of the agent's lease fails. This holds because each write calls [`Lock::authorize`] in the
//! compare-and-swap that stores the write.
//!
//! ```
//! use canvas_lease::{
//!     CheckOutRequest, Holder, LeaseError, Lock, OperationKey, LeasePolicy, PreemptionCause, Timestamp,
//! };
//!
//! let policy = LeasePolicy::default();
//! let agent = Holder::new("agent-1");
//! let mut lock = Lock::new(Timestamp::from_millis(1_000));
//!
//! let request = CheckOutRequest {
//!     holder: agent.clone(),
//!     operation: OperationKey::new("call-7"),
//!     turn: lock.turn(),
//! };
//! let grant = lock.check_out(&policy, Timestamp::from_millis(1_000), request)?;
//! assert_eq!(grant.id.to_string(), "lease-1-0");
//! assert_eq!(grant.expires_at, Timestamp::from_millis(16_000));
//!
//! // Before each write, in the same compare-and-swap as the write.
//! let permit = lock.authorize(&policy, Timestamp::from_millis(2_000), grant.id, &agent)?;
//! assert_eq!(permit.id(), grant.id);
//!
//! // The user types. This ends the lease, regardless of its expiry.
//! let preemption = lock.preempt(&policy, Timestamp::from_millis(3_000), PreemptionCause::UserEdit);
//! let refused = lock.authorize(&policy, Timestamp::from_millis(3_000), grant.id, &agent);
//! assert_eq!(refused, Err(LeaseError::StaleEpoch { current: preemption.epoch }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Rules
//!
//! * A lease is valid while `now < expires_at`, in every operation. `now` is the clock, or the highest
//!   clock seen so far if that is later.
//! * A clock that falls back by more than [`LeasePolicy::clock_tolerance`] ends the lease and raises the epoch.
//! * A lease id carries a fence, which is never used twice, and the epoch. Only its holder may use it.
//! * A message, a cancel, a take-over and an edit each end the lease and raise the epoch, whether or not
//!   anybody holds it. A message opens the next turn; cancel and take-over close the current one.
//! * A renewal neither revives an expired lease nor shortens a valid one. A check-in releases only its own
//!   lease, and a second check-in succeeds.
//! * No lease is issued at the last epoch or after the last fence, so a preemption at the last epoch has no
//!   lease to invalidate and leaves the epoch unchanged.
//! * Only the expiry depends on clocks. Whatever a clock does, no id is issued twice and no two holders
//!   are valid at once.
//!
//! `tests/model` checks these rules over every order of events in small worlds, and verifies that the checker
//! catches each of two dozen deliberate faults.
//!
//! # Limits
//!
//! * It does not read a clock, draw random numbers or store anything. It does not know what it locks.
//! * It keeps no receipts. A repeated [`Lock::preempt`] preempts again, and the caller must recognise a
//!   repeated write. Only a repeated check-out is recognised, and it returns the lease of the first attempt.
//!
//! # Modules
//!
//! The items of the private modules are exported here. `lock` is the state machine, `lease` one lease and its
//! id, `request` the requests, outcomes and errors of the operations, `time` timestamps and time limits,
//! `epoch` the counters, and `holder` the names of holders and the retry keys. [`safe_integer`] holds the
//! limit of every number in JSON. With the feature `proptest`, `strategies` generates any value of this
//! crate.

mod epoch;
mod holder;
mod lease;
mod lock;
mod request;
pub mod safe_integer;
#[cfg(any(test, feature = "proptest"))]
pub mod strategies;
mod time;

pub use epoch::{Epoch, Fence, Turn};
pub use holder::{Holder, OperationKey};
pub use lease::{Grant, Lease, LeaseId, ParseLeaseIdError};
pub use lock::Lock;
pub use request::{
    CheckInOutcome, CheckOutError, CheckOutRequest, HeartbeatOutcome, LeaseError, Permit, Preemption,
    PreemptionCause,
};
pub use safe_integer::SafeIntegerError;
pub use time::{LeasePolicy, Timestamp};

/// The example of the README, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
