//! Where the history of a canvas hangs on its head.

use serde::{Deserialize, Serialize};

use super::blob::BlobId;

/// The journal's slot in the head: the blob of its last entry, and how many entries are undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct JournalSlot {
    /// The last entry; entries name the one before. `None` before the first.
    pub last: Option<BlobId>,
    /// Entries, counted from the last one, that undo has taken back and redo can bring again.
    pub undone: u32,
}
