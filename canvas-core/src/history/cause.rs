//! The numbers by which parts of proposals know the changes that made them stale.

use crate::history::journal::{EntryKind, Reverts};
use crate::history::number::ChangeNumber;

/// The number of an entry, and the numbers of the entries that it takes back. An undo has another number than its change.
#[derive(Debug, Clone)]
pub(crate) struct Cause {
    pub(crate) number: u64,
    pub(crate) undone: Vec<u64>,
}

impl Cause {
    pub(crate) fn of(kind: EntryKind, change: ChangeNumber, reverts: Option<&Reverts>) -> Self {
        let number = Self::number_of(change);
        match kind {
            EntryKind::Undo => Self { number: number + 1, undone: vec![number] },
            EntryKind::Redo => Self { number, undone: vec![number + 1] },
            EntryKind::Revert => {
                // A change that is undone in part stays in effect.
                let whole = reverts.into_iter().filter(|reverts| reverts.edits.is_none());
                let changes = whole.flat_map(|reverts| &reverts.changes);
                Self { number, undone: changes.map(|change| Self::number_of(*change)).collect() }
            }
            EntryKind::Edit | EntryKind::Effect => Self { number, undone: Vec::new() },
        }
    }

    /// Returns the number of an entry that makes a change.
    pub(crate) const fn number_of(change: ChangeNumber) -> u64 {
        2 * change.get()
    }
}
