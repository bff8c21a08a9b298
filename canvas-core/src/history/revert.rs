//! Changes that are taken back from under later ones, which stay.

use std::borrow::Cow;

use canvas_patch::Delta;

use crate::history::journal::{ChangeNumber, Entry, EntryNumber, Reverts};
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

/// Why changes are not reverted.
#[derive(Debug)]
pub(crate) enum RevertError {
    /// A later change touches one of them.
    Conflict {
        /// What was to be reverted.
        change: ChangeNumber,
        /// What touches it.
        with: ChangeNumber,
    },
    /// An entry does not fit what it was made on.
    Damaged(EntryNumber),
}

/// A document that changes are taken out of, newest first.
pub(crate) struct DocumentRevert<'t> {
    pub(crate) text: Cow<'t, str>,
    /// What was reverted.
    pub(crate) changes: Vec<ChangeNumber>,
    /// The changes after the entry that is looked at, oldest first, as if the chosen ones had never been.
    later: Vec<(ChangeNumber, Delta)>,
}

impl<'t> DocumentRevert<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text: Cow::Borrowed(text), changes: Vec::new(), later: Vec::new() }
    }

    /// Takes the next older change, to revert it or to keep it. A change that has no edit cannot be passed either way.
    pub(crate) fn pass(
        &mut self,
        entry: &Entry,
        delta: Option<&Delta>,
        is_chosen: bool,
    ) -> Result<(), RevertError> {
        let Some(delta) = delta else {
            let with = self.later.first().map_or(entry.change, |(with, _)| *with);
            return Err(RevertError::Conflict { change: entry.change, with });
        };
        if !is_chosen {
            self.later.insert(0, (entry.change, delta.clone()));
            return Ok(());
        }
        let mut back = delta.inverse();
        for (with, delta) in &mut self.later {
            let conflict = |_| RevertError::Conflict { change: entry.change, with: *with };
            let moved = delta.transform(&back).map_err(conflict)?;
            back = back.transform(delta).map_err(conflict)?;
            *delta = moved;
        }
        let text = back.apply(&self.text).map_err(|_| RevertError::Damaged(entry.number))?;
        self.text = Cow::Owned(text);
        self.changes.push(entry.change);
        Ok(())
    }
}
