//! A clock for hosts that have none of their own.

use std::time::SystemTime;

use canvas_core::lease::Timestamp;

/// The clock of this machine. Before 1970 it shows 0.
///
/// Processes that share a file read the same one. Should it be set back, the engine ends the leases.
pub fn system_clock() -> Timestamp {
    SystemTime::now().into()
}
