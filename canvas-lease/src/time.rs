//! Points in time, which the host supplies, and the time limits of a lease.

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::safe_integer;

/// A point in time, in milliseconds since 1970 UTC by the clock of the store that keeps the lease.
///
/// Timestamps from different clocks are not comparable. On the wire, a timestamp is a JSON number of at most
/// 2^53 − 1, and arithmetic stops there instead of overflowing.
///
/// Durations are rounded down to whole milliseconds.
///
/// This crate does not read a clock. A host reads its own, once for each call, and passes the value in:
///
/// ```
/// use std::time::SystemTime;
///
/// use canvas_lease::Timestamp;
///
/// let now = Timestamp::from(SystemTime::now());
/// // From a source that counts seconds, such as `date +%s`.
/// assert_eq!(Timestamp::from_secs(1_700_000_000), Timestamp::from_millis(1_700_000_000_000));
/// assert!(now > Timestamp::from_secs(1_700_000_000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(#[serde(deserialize_with = "safe_integer::deserialize")] u64);

impl Timestamp {
    /// The last timestamp, 2^53 − 1.
    pub const MAX: Self = Self(safe_integer::MAX);

    /// Returns the timestamp `millis` milliseconds after 1970, or [`Timestamp::MAX`] if that is earlier.
    pub const fn from_millis(millis: u64) -> Self {
        if millis < safe_integer::MAX { Self(millis) } else { Self::MAX }
    }

    /// Returns the timestamp `secs` seconds after 1970, or [`Timestamp::MAX`] if that is earlier.
    pub const fn from_secs(secs: u64) -> Self {
        Self::from_millis(secs.saturating_mul(1_000))
    }

    /// Returns the milliseconds since 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Returns this timestamp moved forward by `duration`, at most to [`Timestamp::MAX`].
    #[must_use]
    pub fn saturating_add(self, duration: Duration) -> Self {
        let millis = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self::from_millis(self.0.saturating_add(millis))
    }

    /// Returns the time passed since `earlier`, or zero if `earlier` is in fact later.
    pub const fn saturating_duration_since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

/// Converts the time of the host's clock, rounded down to whole milliseconds. A time before 1970 becomes 0, and one
/// after [`Timestamp::MAX`] becomes [`Timestamp::MAX`].
impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        Self(0).saturating_add(time.duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

/// Prints the milliseconds, as on the wire.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Time limits of a lease. They are not part of the lock. Instead, the host passes them to each operation.
///
/// Every value is safe. A shorter policy does not shorten a lease issued earlier. If `ttl` or `max_hold` is under a
/// millisecond, leases expire at the moment they are issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LeasePolicy {
    /// The time for which a lease is valid after it is issued or extended. Default: 15 seconds.
    pub ttl: Duration,
    /// The longest time for which renewals can keep one lease valid, counted from check-out. Default: 120
    /// seconds.
    pub max_hold: Duration,
    /// The furthest that the clock may step back while expiries are still trusted. Default: 5 seconds.
    pub clock_tolerance: Duration,
}

impl Default for LeasePolicy {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(15),
            max_hold: Duration::from_secs(120),
            clock_tolerance: Duration::from_secs(5),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAST: u64 = (1 << 53) - 1;

    #[test]
    fn stops_at_the_last_timestamp() {
        for (millis, expected) in
            [(0, 0), (LAST - 1, LAST - 1), (LAST, LAST), (LAST + 1, LAST), (u64::MAX, LAST)]
        {
            assert_eq!(Timestamp::from_millis(millis).as_millis(), expected);
        }
    }

    #[test]
    fn adds_whole_milliseconds() {
        for (start, duration, expected) in [
            (5, Duration::ZERO, 5),
            (5, Duration::from_millis(2), 7),
            (5, Duration::from_micros(2_999), 7),
            (5, Duration::MAX, LAST),
            (LAST, Duration::from_millis(1), LAST),
        ] {
            assert_eq!(Timestamp::from_millis(start).saturating_add(duration).as_millis(), expected);
        }
    }

    #[test]
    fn takes_seconds_and_the_times_of_clocks() {
        let after = |duration| Timestamp::from(UNIX_EPOCH + duration).as_millis();
        for (secs, expected) in [(0, 0), (1, 1_000), (LAST / 1_000 + 1, LAST), (u64::MAX, LAST)] {
            assert_eq!(Timestamp::from_secs(secs).as_millis(), expected);
        }
        for secs in [0, 1, 1_700_000_000] {
            assert_eq!(after(Duration::from_secs(secs)), Timestamp::from_secs(secs).as_millis());
        }
        assert_eq!(after(Duration::from_micros(2_999)), 2);
        let before = UNIX_EPOCH - Duration::from_secs(1);
        assert_eq!(Timestamp::from(before).as_millis(), 0);
    }

    #[test]
    fn measures_no_time_backwards() {
        for (later, earlier, expected) in [(7, 5, 2), (5, 5, 0), (5, 7, 0), (LAST, 0, LAST)] {
            let passed =
                Timestamp::from_millis(later).saturating_duration_since(Timestamp::from_millis(earlier));
            assert_eq!(passed, Duration::from_millis(expected));
        }
    }

    #[test]
    fn is_a_json_number() {
        assert_eq!(serde_json::to_string(&Timestamp::MAX).unwrap(), "9007199254740991");
        assert_eq!(serde_json::from_str::<Timestamp>("9007199254740991").unwrap(), Timestamp::MAX);
        for refused in ["9007199254740992", "-1", "1.0", "\"1\"", "null"] {
            assert!(serde_json::from_str::<Timestamp>(refused).is_err(), "{refused}");
        }
    }
}
