//! The input of a run, which consists of a canvas's row and the host's settings and clock.

use std::sync::Arc;
use std::time::Duration;

use canvas_lease::Timestamp;

use super::error::EngineError;
use crate::face::contents::Contents;
use crate::model::blob::BlobId;
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::contract::Version;
use crate::transition::policy::Policy;
use crate::transition::view::Types;

/// The context of a run and its task.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct RunContext<'a> {
    pub(crate) canvas: &'a CanvasId,
    pub(crate) policy: &'a Policy,
    pub(crate) types: &'a Types,
    /// The host's clock.
    pub(crate) now: Timestamp,
}

impl RunContext<'_> {
    pub(crate) fn not_found(&self) -> EngineError {
        EngineError::NotFound { canvas: self.canvas.clone() }
    }

    /// Returns an error if one of three clocks counts seconds and another one milliseconds. The clocks are the host's,
    /// the store's, and the one by which the head was written. Without this check, leases would last a thousand times
    /// as long, or end at once.
    ///
    /// A clock counts seconds if a thousand times its reading is close to the reading of another clock. The host's and
    /// the store's clock are read together, so close means within a day. A head may be old, so there it means within
    /// ten years. If the other clock shows a time before 2001, as test clocks do, the two are not compared.
    pub(crate) fn check_units(&self, head: &Head, store_at: Timestamp) -> Result<(), EngineError> {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        const YEARS: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
        let pairs = [
            (self.now, store_at, DAY),
            (store_at, self.now, DAY),
            (store_at, head.lock().high_water_mark(), YEARS),
        ];
        let wrong = pairs.into_iter().find(|(time, known, within)| is_thousandth(*time, *known, *within));
        wrong.map_or(Ok(()), |(time, known, _)| Err(EngineError::TimeInSeconds { time, known }))
    }

    pub(crate) fn damaged(&self, blob: BlobId) -> EngineError {
        EngineError::Damaged { canvas: self.canvas.clone(), blob }
    }
}

/// Whether `time` is roughly `known`, but counted in seconds.
fn is_thousandth(time: Timestamp, known: Timestamp, within: Duration) -> bool {
    const IN_2001: Timestamp = Timestamp::from_secs(1_000_000_000);
    let multiplied = Timestamp::from_secs(time.as_millis());
    let apart = multiplied.saturating_duration_since(known).max(known.saturating_duration_since(multiplied));
    // At the maximum, the product saturates and proves nothing.
    known >= IN_2001 && multiplied < Timestamp::MAX && apart <= within
}

/// The last seen row of a canvas.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct CachedRow {
    pub(crate) head: Arc<Head>,
    pub(crate) version: Version,
    /// Only the files needed so far.
    pub(crate) contents: Contents,
    /// The host's clock when the store's clock was requested.
    pub(crate) host_at: Timestamp,
    /// The store's clock in the answer.
    pub(crate) store_at: Timestamp,
}

impl CachedRow {
    /// The approximate size in memory, in bytes. It costs a few additions for each page of the board.
    pub(crate) fn approximate_bytes(&self) -> usize {
        self.head.approximate_bytes() + self.contents.approximate_bytes()
    }

    /// An estimate of the store's clock. It is ahead by at most one round trip, and never behind.
    pub(crate) fn clock(&self, now: Timestamp) -> Timestamp {
        self.store_at.saturating_add(now.saturating_duration_since(self.host_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_told_from_small_clocks_and_old_ones() {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        const NOW: u64 = 1_700_000_000_000;
        for (time, known, expected) in [
            (NOW / 1_000, NOW, true),
            (NOW / 1_000 - 80_000, NOW, true),
            (NOW / 1_000 + 80_000, NOW, true),
            (NOW / 1_000 - 90_000, NOW, false),
            (NOW / 1_000 + 90_000, NOW, false),
            (NOW, NOW, false),
            // Clocks of tests, and a clock that counts from the start of a machine.
            (0, 0, false),
            (1_000, 1_000_000, false),
            (1_000, NOW, false),
            (86_400_000, NOW, false),
            // Both are in seconds, so the difference does not show.
            (NOW / 1_000, NOW / 1_000, false),
            (u64::MAX, u64::MAX, false),
            (NOW * 100, u64::MAX, false),
        ] {
            let [time, known] = [time, known].map(Timestamp::from_millis);
            assert_eq!(is_thousandth(time, known, DAY), expected, "{time} {known}");
        }
    }
}
