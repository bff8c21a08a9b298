//! The clock of the host.

use std::time::SystemTime;

use canvas_core::lease::Timestamp;

/// Milliseconds since 1970, by the clock of the system.
pub fn now() -> Timestamp {
    SystemTime::now().into()
}
