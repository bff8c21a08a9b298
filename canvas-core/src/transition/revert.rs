//! Undo of changes that lie under later ones.

use canvas_patch::Delta;

#[cfg(feature = "board")]
use crate::history::board_revert::BoardRevert;
use crate::history::journal::{Entry, EntryKind, HistoryEntry, NewEntry, Reverts};
use crate::history::reach::Chain;
use crate::history::revert::{Choice, DocumentRevert, RevertError, Selection};
use crate::history::step::Step;
#[cfg(feature = "surface")]
use crate::history::surface_revert::SurfaceRevert;
use crate::model::author::Author;
use crate::model::blob::Blob;
use crate::model::id::OpKey;
#[cfg(feature = "surface")]
use crate::surface::diff::SurfaceFiles;
#[cfg(feature = "recipe")]
use crate::transition::recipe_undo::RecipeRevert;
use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
use crate::transition::step::{Stop, Transition};
use crate::transition::undo::{Replayed, not_supported};

impl From<RevertError> for Stop<UndoRefusal> {
    fn from(error: RevertError) -> Self {
        Self::refused(match error {
            RevertError::Conflict { change, with } => HistoryRefusal::HistoryConflict { change, with },
            RevertError::Damaged(entry) => HistoryRefusal::HistoryDamaged { entry },
        })
    }
}

impl Transition<'_> {
    /// Reverts changes under later ones, which are moved and stay. One conflict refuses all.
    pub(super) fn revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        selection: Selection,
    ) -> Result<Replayed, Stop<UndoRefusal>> {
        let entries = self.choose(selection)?;
        let chosen = entries.iter().filter(|(_, is_chosen)| *is_chosen).map(|(entry, _)| *entry);
        self.authorize_entries(operation, by, chosen)?;
        let mut text = DocumentRevert::new(self.view.text());
        #[cfg(feature = "board")]
        let mut board = BoardRevert::default();
        #[cfg(feature = "surface")]
        let mut surface = SurfaceRevert::new(SurfaceFiles::of(&self.view.head.draft));
        #[cfg(feature = "recipe")]
        let mut recipe = RecipeRevert::of(&self.view.head.draft);
        let mut author = by.actor();
        for (entry, is_chosen) in &entries {
            match &entry.step {
                Step::Document { delta, .. } => text.pass(entry, delta.as_ref(), *is_chosen)?,
                #[cfg(feature = "board")]
                Step::Board { patch, forward, .. } => {
                    self.pass_board(&mut board, entry, (patch, forward), *is_chosen)?;
                }
                #[cfg(feature = "surface")]
                Step::Surface(diff) => self.pass_surface(&mut surface, entry, diff, *is_chosen)?,
                #[cfg(feature = "recipe")]
                Step::Recipe { before, .. } => recipe.pass(entry, *before, *is_chosen)?,
                // Only effects change data, and those lie on no stack.
                #[cfg(feature = "recipe")]
                Step::Data(_) => {}
                Step::Unsupported { face, .. } if *is_chosen => return Err(not_supported(*face)),
                // What stays touches no other face.
                Step::Unsupported { .. } => {}
            }
            if *is_chosen {
                author = entry.author;
            }
        }
        let mut replayed = Replayed::default();
        let delta = Delta::between(self.view.text(), &text.text);
        if !text.changes.is_empty() && !delta.is_empty() {
            self.check_size::<UndoRefusal>(text.text.len())?;
            let before = self.view.contents.document();
            let document = Blob::document_after(before, text.text.into_owned(), delta.edits());
            let step = self.step_between(self.view.head.document(), document.id(), delta);
            let reverts = Reverts { changes: text.changes, author };
            replayed.done.extend(self.push_revert(operation, by, reverts, step)?);
            replayed.document = Some(document);
        }
        #[cfg(feature = "board")]
        if let Some((board, entry)) = self.record_reverted_board(operation, by, author, board)? {
            replayed.board = Some(board);
            replayed.done.extend(entry);
        }
        #[cfg(feature = "surface")]
        if let Some((files, entry)) = self.record_reverted_surface(operation, by, author, surface)? {
            replayed.surface = Some(files);
            replayed.done.extend(entry);
        }
        #[cfg(feature = "recipe")]
        if let Some((recipe, entry)) = self.record_reverted_recipe(operation, by, author, recipe)? {
            replayed.recipe = Some(recipe);
            replayed.done.extend(entry);
        }
        if replayed.done.is_empty() {
            return Err(Stop::refused(HistoryRefusal::HistoryEmpty { asked: 1, available: 0 }));
        }
        Ok(replayed)
    }

    /// Enters a revert into the journal, at a revision of its own.
    pub(super) fn push_revert(
        &mut self,
        operation: &OpKey,
        by: Author,
        reverts: Reverts,
        step: Step,
    ) -> Result<Option<HistoryEntry>, Stop<UndoRefusal>> {
        let count = reverts.changes.len();
        let s = if count == 1 { "" } else { "s" };
        let before = self.head.revision;
        self.next_revision()?;
        let actor = by.actor();
        Ok(self.push(NewEntry {
            kind: EntryKind::Revert,
            change: None,
            actor,
            author: actor,
            reverts: Some(reverts),
            operation: operation.clone(),
            at: self.view.clock,
            summary: format!("took back {count} change{s}"),
            revisions: (before, self.head.revision),
            step,
            also: None,
        }))
    }
}

impl<'a> Transition<'a> {
    /// The changes that still apply, newest first, down to the last that is chosen.
    fn choose(&self, selection: Selection) -> Result<Vec<(&'a Entry, bool)>, Stop<UndoRefusal>> {
        let mut entries: Vec<(&Entry, bool)> = Vec::new();
        let (mut choice, mut chain) = (Choice::new(selection), Chain::new(self.head.journal.undo));
        let (limit, oldest) = (self.policy.history_reach, self.oldest_chosen(selection));
        while let Some(entry) =
            self.step_down(&mut chain, oldest, (limit - entries.len()).saturating_add(1))?
        {
            if selection.ends_before(entry) {
                break;
            }
            if entries.len() == limit {
                return Err(Stop::refused(HistoryRefusal::HistoryTooDeep { limit }));
            }
            let is_chosen = choice.takes(entry.change, entry.author, entry.reverts.as_ref());
            entries.push((entry, is_chosen));
            if is_chosen && matches!(selection, Selection::Change(_)) {
                break;
            }
        }
        match entries.iter().rposition(|(_, is_chosen)| *is_chosen) {
            Some(last) => {
                entries.truncate(last + 1);
                Ok(entries)
            }
            None => Err(Stop::refused(match selection {
                Selection::Change(change) => HistoryRefusal::HistoryNotFound { change },
                Selection::Author { .. } => HistoryRefusal::HistoryEmpty { asked: 1, available: 0 },
            })),
        }
    }

    /// The lowest number that an entry to be looked at has.
    fn oldest_chosen(&self, selection: Selection) -> u64 {
        match selection {
            Selection::Change(change) => change.get(),
            // Each entry is of a revision of its own, so no more of them came after a revision than revisions. One
            // more shows that they end.
            Selection::Author { since, .. } => {
                let revisions = self.head.revision.get().saturating_sub(since);
                self.head.journal.entries.saturating_sub(revisions)
            }
        }
    }
}
