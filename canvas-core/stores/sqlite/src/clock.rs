//! A clock for hosts that have none of their own.

use std::time::{SystemTime, UNIX_EPOCH};

use canvas_core::lease::Timestamp;

/// The clock of this machine. Before 1970 it shows 0.
///
/// Processes that share a file read the same one. Should it be set back, the engine ends the leases.
pub fn system_clock() -> Timestamp {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(0).saturating_add(passed)
}
