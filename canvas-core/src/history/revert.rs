//! Changes that are taken back from under later ones, which stay.

use crate::history::journal::{Entry, Reverts};
use crate::history::number::ChangeNumber;
use crate::model::author::Actor;

/// Which of the changes that still apply are reverted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Selection {
    /// One.
    Change(ChangeNumber),
    /// All of an author that were made after a revision.
    Author { author: Actor, since: u64 },
}

impl Selection {
    /// Whether nothing older can be chosen.
    pub(crate) fn ends_before(self, entry: &Entry) -> bool {
        match self {
            // Done again, a change has a later number than its own, never an earlier one.
            Self::Change(change) => entry.number < change.into(),
            Self::Author { since, .. } => entry.revision_after.get() <= since,
        }
    }
}

/// Which changes are chosen, looked at from the newest to older ones.
pub(crate) struct Choice {
    selection: Selection,
    /// Changes that later ones have reverted.
    reverted: Vec<ChangeNumber>,
}

impl Choice {
    pub(crate) const fn new(selection: Selection) -> Self {
        Self { selection, reverted: Vec::new() }
    }

    /// Whether the next older change is chosen: it still applies, and is one of the selection.
    pub(crate) fn takes(&mut self, change: ChangeNumber, author: Actor, reverts: Option<&Reverts>) -> bool {
        if self.reverted.contains(&change) {
            // What it reverted applies again.
            return false;
        }
        self.reverted.extend(reverts.into_iter().flat_map(|reverts| &reverts.changes));
        match self.selection {
            Selection::Change(one) => one == change,
            // Who reverted an own change has nothing of it in the text any more.
            Selection::Author { author: by, .. } => {
                author == by && reverts.is_none_or(|reverts| reverts.author != by)
            }
        }
    }
}
