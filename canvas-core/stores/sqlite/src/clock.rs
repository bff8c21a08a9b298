//! A clock for hosts without a clock of their own.

use std::time::SystemTime;

use canvas_core::lease::Timestamp;

/// Returns the time of this machine's clock, or 0 if it is before 1970.
///
/// Processes that share a file read the same clock. If it is set back, the engine ends the leases.
pub fn system_clock() -> Timestamp {
    SystemTime::now().into()
}
