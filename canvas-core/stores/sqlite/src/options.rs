//! Options of a store: waiting for locks, durability, and the maximum size of the file.

use std::time::Duration;

/// Options of a store's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqliteOptions {
    /// Maximum wait of a call while another connection holds a lock on the file. Default 5 s. Opening a file waits for
    /// at most this time, over all of its steps together. A call that waits longer fails with `STORE_BUSY` and writes
    /// nothing. More than 24 days count as 24 days.
    pub busy_timeout: Duration,
    /// The failures that an acknowledged commit survives. [`Durability::Process`] by default.
    pub durability: Durability,
    /// The maximum size of the file in bytes, rounded down to whole pages (4 KiB, or 8 KiB in files of earlier
    /// formats). `None`, the default, sets no limit. A commit that needs more fails with `STORE_FULL`; deleting blobs
    /// makes room. The log is not included. A file that is already larger does not grow further.
    pub max_bytes: Option<u64>,
}

impl Default for SqliteOptions {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), durability: Durability::Process, max_bytes: None }
    }
}

/// The failures that an acknowledged commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// The end of the process, however sudden (`synchronous = NORMAL`). A power loss or a crash of the operating system
    /// may undo all commits after some recent point. These are at most the commits since SQLite last moved the log into
    /// the file, up to 16 MiB or some hundred commits. A commit is never torn.
    Process,
    /// A power loss too (`synchronous = FULL`), if the disk reports its writes truthfully. Each commit waits for the disk.
    Power,
}
