//! Used confirmations, each of which counts only once.

use std::time::Duration;

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use crate::model::json_hash::JsonHash;

/// Maximum number of confirmations listed. Beyond that, all confirmations at least as old as a dropped one count as
/// used.
const LISTED: usize = 16;

/// Used confirmations, each kept for as long as it could otherwise still be accepted.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub(crate) struct Confirmed {
    /// The times of the plans and their digests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    used: Vec<(Timestamp, JsonHash)>,
    /// Every plan up to this time counts as used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    up_to: Option<Timestamp>,
}

impl Confirmed {
    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a plan with this time was already confirmed and begun. `latest` is the latest time that a plan may have
    /// now. A bar above it is ignored, so that a clock that once ran ahead does not bar later plans.
    pub(crate) fn has(&self, planned_at: Timestamp, digest: JsonHash, latest: Timestamp) -> bool {
        let bar = self.up_to.filter(|bar| *bar <= latest);
        bar.is_some_and(|bar| planned_at <= bar) || self.used.contains(&(planned_at, digest))
    }

    /// Returns a time for the next plan, later than all begun plans up to `latest`, or `latest` if there is no such
    /// plan.
    pub(crate) fn next(&self, latest: Timestamp) -> Timestamp {
        let times = self.used.iter().map(|(planned, _)| *planned).chain(self.up_to);
        let last = times.filter(|planned| *planned <= latest).max();
        last.map_or(latest, |last| last.saturating_add(Duration::from_millis(1)))
    }

    /// Records that a plan has begun, and drops records older than a confirmation may be.
    pub(crate) fn note(
        &mut self,
        (planned_at, digest): (Timestamp, JsonHash),
        (clock, lifetime): (Timestamp, Duration),
        latest: Timestamp,
    ) {
        self.used.push((planned_at, digest));
        self.used.sort_unstable();
        let over =
            self.used.iter().take_while(|(planned, _)| clock.saturating_duration_since(*planned) >= lifetime);
        let left_out = over.count().max(self.used.len().saturating_sub(LISTED));
        if let Some((last, _)) = self.used.drain(..left_out).next_back() {
            self.up_to = Some(self.up_to.filter(|bar| *bar <= latest).map_or(last, |bar| bar.max(last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_millis(100);

    fn hash(n: u64) -> JsonHash {
        JsonHash::of_text(&n.to_string())
    }

    /// Uses plans one after another at different times, and then looks them up.
    #[test]
    fn what_was_used_counts_as_used_as_long_as_it_could_be_used_again() {
        let at = Timestamp::from_millis;
        let mut confirmed = Confirmed::default();
        for n in 0..200_u64 {
            let (clock, planned) = (1_000 + n, 1_000 + n - n % 7);
            let asked = (at(planned), hash(n));
            assert!(!confirmed.has(asked.0, asked.1, at(clock)), "{n}");
            confirmed.note(asked, (at(clock), LIFETIME), at(clock));
            assert!((0..=n).all(|n| confirmed.has(at(1_000 + n - n % 7), hash(n), at(clock))), "{n}");
            assert!(confirmed.used.len() <= LISTED);
        }
        assert!(!confirmed.has(at(1_199), hash(999), at(1_199)));
        // The clock does not advance.
        for _ in 0..200 {
            let next = confirmed.next(at(2_000));
            assert!(!confirmed.has(next, hash(7), at(2_000)));
            confirmed.note((next, hash(7)), (at(1_200), LIFETIME), at(2_000));
        }
    }

    #[test]
    fn a_clock_that_was_ahead_bars_nothing_of_today() {
        let at = Timestamp::from_millis;
        let mut confirmed = Confirmed::default();
        confirmed.note((at(1_000_000), hash(1)), (at(1_000_200), LIFETIME), at(1_000_200));
        assert_eq!((confirmed.used.len(), confirmed.up_to), (0, Some(at(1_000_000))));
        assert!(!confirmed.has(at(500), hash(2), at(500)));
        confirmed.note((at(500), hash(2)), (at(500), LIFETIME), at(500));
        assert!(confirmed.has(at(500), hash(2), at(500)));
        confirmed.note((at(700), hash(3)), (at(700), LIFETIME), at(700));
        assert!(confirmed.has(at(500), hash(2), at(700)) && !confirmed.has(at(700), hash(2), at(700)));
    }
}
