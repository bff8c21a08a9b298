//! Undo and redo of recipes, each as a whole.

use crate::history::journal::{ChangeNumber, Entry, HistoryEntry, Reverts};
use crate::history::revert::RevertError;
use crate::history::step::Step;
use crate::model::author::{Actor, Author};
use crate::model::blob::BlobId;
use crate::model::face::Face;
use crate::model::file::TreeFile;
use crate::model::id::OpKey;
use crate::model::tree::Tree;
use crate::transition::refusal::UndoRefusal;
use crate::transition::step::{Stop, Transition};

/// The recipe after an undo; `None` where the canvas has none then.
pub(super) struct ReplayedRecipe(Option<BlobId>);

/// The recipe while entries are inverted on it, one after the other.
pub(super) struct RecipeReplay {
    now: Option<BlobId>,
    is_touched: bool,
}

impl RecipeReplay {
    pub(super) fn of(tree: &Tree) -> Self {
        Self { now: tree.file(TreeFile::Recipe), is_touched: false }
    }

    /// Takes back what an entry changed.
    pub(super) fn invert(
        &mut self,
        entry: &Entry,
        (before, after): (Option<BlobId>, Option<BlobId>),
    ) -> Result<(), RevertError> {
        if self.now != after {
            return Err(RevertError::Damaged(entry.number));
        }
        (self.now, self.is_touched) = (before, true);
        Ok(())
    }

    /// The recipe after it; `None` where no entry was of one.
    pub(super) fn finish(self) -> Option<ReplayedRecipe> {
        self.is_touched.then_some(ReplayedRecipe(self.now))
    }
}

/// A recipe that changes are taken out of, newest first.
pub(super) struct RecipeRevert {
    now: Option<BlobId>,
    changes: Vec<ChangeNumber>,
    /// The oldest later change that stays: it stands on those below it.
    kept: Option<ChangeNumber>,
}

impl RecipeRevert {
    pub(super) fn of(tree: &Tree) -> Self {
        Self { now: tree.file(TreeFile::Recipe), changes: Vec::new(), kept: None }
    }

    /// Takes the next older change, to revert it or to keep it.
    pub(super) fn pass(
        &mut self,
        entry: &Entry,
        before: Option<BlobId>,
        is_chosen: bool,
    ) -> Result<(), RevertError> {
        if !is_chosen {
            self.kept = Some(entry.change);
            return Ok(());
        }
        if let Some(with) = self.kept {
            return Err(RevertError::Conflict { change: entry.change, with });
        }
        self.now = before;
        self.changes.push(entry.change);
        Ok(())
    }
}

impl Transition<'_> {
    /// Records what a revert has done to the recipe; `None` where that is nothing.
    pub(super) fn record_reverted_recipe(
        &mut self,
        operation: &OpKey,
        by: Author,
        author: Actor,
        revert: RecipeRevert,
    ) -> Result<Option<(ReplayedRecipe, Option<HistoryEntry>)>, Stop<UndoRefusal>> {
        let RecipeRevert { now: after, changes, .. } = revert;
        let before = self.view.head.draft.file(TreeFile::Recipe);
        if changes.is_empty() || before == after {
            return Ok(None);
        }
        let step = Step::Recipe { before, after };
        let entry = self.push_revert(operation, by, Reverts { changes, author }, step)?;
        Ok(Some((ReplayedRecipe(after), entry)))
    }

    /// Makes what was replayed the recipe, in the name of whoever asked.
    pub(super) fn put_replayed_recipe(&mut self, by: Author, ReplayedRecipe(recipe): ReplayedRecipe) {
        let path = TreeFile::Recipe.tree_path();
        match recipe {
            Some(blob) => self.head.draft.insert(path, blob),
            None => self.head.draft.remove(&path),
        };
        self.head.faces[Face::Recipe] = self.head.revision;
        if by == Author::User {
            self.head.user_revision = self.head.revision;
        }
    }
}
