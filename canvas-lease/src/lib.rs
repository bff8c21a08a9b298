//! Who may touch a canvas and until when: an exclusive lease with fence and epoch, as pure values.
//!
//! A [`Lock`] is the whole state of one canvas's lock. Every operation takes the state, a [`Policy`]
//! and the clock of the store that keeps the state, and answers with a value. The caller stores the
//! new state by compare-and-swap; what was decided on a state that has since been replaced must be
//! thrown away and decided again.
//!
//! Agents check out, renew and check in. A user never asks: [`Lock::preempt`] always succeeds, and
//! everything the agent had under way fails from then on (specs 000 §4.3). The guard that makes this
//! true is [`Lock::authorize`]: call it in the same compare-and-swap as the write it allows.
//!
//! ```
//! use canvas_lease::{
//!     CheckOutRequest, Holder, LeaseError, Lock, OperationKey, Policy, PreemptionCause, Timestamp,
//! };
//!
//! let policy = Policy::default();
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
//! // Before each write, in the same step as the write.
//! let permit = lock.authorize(&policy, Timestamp::from_millis(2_000), grant.id, &agent)?;
//! assert_eq!(permit.epoch(), grant.epoch);
//!
//! // The user types. The lease is over, whatever its expiry says.
//! let preemption = lock.preempt(&policy, Timestamp::from_millis(3_000), PreemptionCause::UserEdit);
//! let refused = lock.authorize(&policy, Timestamp::from_millis(3_000), grant.id, &agent);
//! assert_eq!(refused, Err(LeaseError::StaleEpoch { current: preemption.epoch }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! * It reads no clock, draws no randomness and stores nothing.
//! * It keeps no receipts: a repeated [`Lock::preempt`] preempts again, and a repeated write is the
//!   caller's to recognise. Only a repeated check-out is answered as the first was.
//! * Clocks decide when a lease ends and nothing else. Whatever a clock does, no id is given twice
//!   and no two holders are valid at once.
//!
//! # Modules
//!
//! The modules are private and their items are exported here: `lock` is the state and its transitions,
//! `lease` the record of one lease and its id, `request` what a transition takes and answers, `time` its
//! durations, `epoch` and `holder` the values that identify and order all of it. With the feature
//! `proptest`, `strategies` draws any of them.

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
pub use lease::{Lease, LeaseId, ParseLeaseIdError};
pub use lock::Lock;
pub use request::{
    CheckInOutcome, CheckOutError, CheckOutRequest, Grant, HeartbeatOutcome, LeaseError, Permit, Preemption,
    PreemptionCause,
};
pub use time::{Policy, Timestamp};
