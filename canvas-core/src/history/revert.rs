//! Changes to revert from under later ones, which stay.

use crate::history::journal::{Entry, Reverts};
use crate::history::number::ChangeNumber;
use crate::model::author::Role;

/// The changes to revert, among those in effect.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selection {
    Change(ChangeNumber),
    /// All changes of an author after a revision.
    Author {
        author: Role,
        since: u64,
    },
}

impl Selection {
    /// Whether no older entry can be selected.
    pub(crate) fn ends_before(self, entry: &Entry) -> bool {
        match self {
            // A redone change has a later entry number than its own, never an earlier one.
            Self::Change(change) => entry.number < change.into(),
            Self::Author { since, .. } => entry.revision_after.get() <= since,
        }
    }
}

/// The choice of changes, visited from the newest to the oldest.
pub(crate) struct Choice {
    selection: Selection,
    /// Changes reverted by later ones.
    reverted: Vec<ChangeNumber>,
}

impl Choice {
    pub(crate) const fn new(selection: Selection) -> Self {
        Self { selection, reverted: Vec::new() }
    }

    /// Whether to revert the next older change, because it is in effect and matches the selection.
    pub(crate) fn takes(&mut self, change: ChangeNumber, author: Role, reverts: Option<&Reverts>) -> bool {
        if self.reverted.contains(&change) {
            // The changes that it reverted are in effect again.
            return false;
        }
        self.reverted.extend(reverts.into_iter().flat_map(|reverts| &reverts.changes));
        match self.selection {
            Selection::Change(one) => one == change,
            // A revert by an author of their own change leaves nothing of that author in the text.
            Selection::Author { author: by, .. } => {
                author == by && reverts.is_none_or(|reverts| reverts.author != by)
            }
        }
    }
}
