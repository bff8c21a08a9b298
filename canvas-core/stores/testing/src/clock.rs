//! Clocks for tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use canvas_core::lease::Timestamp;

/// The time of a clock that never moves.
pub const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A clock that only the test moves. Clones share the time, which starts at 1,000,000 ms.
#[derive(Debug, Clone)]
pub struct Clock(Arc<AtomicU64>);

impl Default for Clock {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(1_000_000)))
    }
}

impl Clock {
    /// Returns the current time of this clock.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis())
    }

    /// Returns the current time in milliseconds.
    pub fn millis(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Advances the clock by whole milliseconds.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis().try_into().expect("tests are short"), Ordering::SeqCst);
    }
}

/// Returns the time of this machine's clock.
pub fn system_now() -> Timestamp {
    SystemTime::now().into()
}
