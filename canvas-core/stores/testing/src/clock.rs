//! Clocks of tests.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use canvas_core::lease::Timestamp;

/// What a clock shows that nobody moves.
pub const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A clock that only the test moves; a copy shows the same time. It begins at 1,000,000 ms.
#[derive(Debug, Clone)]
pub struct Clock(Arc<AtomicU64>);

impl Default for Clock {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(1_000_000)))
    }
}

impl Clock {
    /// What it shows.
    pub fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.millis())
    }

    /// What it shows, as a number.
    pub fn millis(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Moves it, by whole milliseconds.
    pub fn advance(&self, by: Duration) {
        self.0.fetch_add(by.as_millis().try_into().expect("tests are short"), Ordering::SeqCst);
    }
}

/// The clock of this machine.
pub fn system_now() -> Timestamp {
    SystemTime::now().into()
}
