//! What a host chooses: how long to wait, what a commit survives, how large the file may get.

use std::time::Duration;

/// How a store keeps its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How long a call waits for other connections that keep the file locked, 5 s by default; so does opening, all its
    /// steps together. Then it fails with `STORE_BUSY` and has written nothing. Longer than 24 days counts as 24 days.
    pub busy_timeout: Duration,
    /// What a commit that was answered survives.
    pub durability: Durability,
    /// The size that the file may reach, in whole pages (4 KiB, 8 KiB in files of before). A commit that would need more fails with
    /// `STORE_FULL`; dropping blobs makes room. The log comes on top. A file that is larger already grows no more.
    pub max_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self { busy_timeout: Duration::from_secs(5), durability: Durability::Process, max_bytes: None }
    }
}

/// What a commit that was answered survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Durability {
    /// The end of the process, however sudden (`synchronous = NORMAL`). A power loss or a crash of the operating
    /// system may take the last commits back, all from some point on: at most what the log has taken since its content last
    /// went into the file, 16 MiB or some hundred commits. It tears none.
    Process,
    /// A power loss too (`synchronous = FULL`), as far as the disk is honest. Each commit waits for the disk.
    Power,
}
