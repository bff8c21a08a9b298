//! How long is long.

use std::time::Duration;

/// The durations a host may set. They are not part of the state: each call brings its own.
///
/// Every value is safe. A shorter policy does not shorten a lease already given, and a `ttl` or
/// `max_hold` under a millisecond gives leases that have expired when they arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    /// How long a lease lives after it was given or last extended. 15 seconds (specs 000 §4.2).
    pub ttl: Duration,
    /// How long one lease may be held by renewing it. 120 seconds.
    pub max_hold: Duration,
    /// How far the clock may step back before every lease given by it is in doubt. 5 seconds.
    pub clock_tolerance: Duration,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(15),
            max_hold: Duration::from_secs(120),
            clock_tolerance: Duration::from_secs(5),
        }
    }
}
