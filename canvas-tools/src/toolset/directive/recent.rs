//! The last directives, as a screen shows them, and the way back from each.

use std::collections::VecDeque;

use canvas_core::history::{ChangeNumber, Undo, UndoScope};
use canvas_core::{Author, RevisionId};
use serde::Serialize;

use super::action::Action;
use super::advice::Advice;
use super::apply::AppliedDirective;
use super::failure::DirectiveFailure;

/// The last directives of a canvas, newest last: a bounded list that a host keeps beside its chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecentEdits {
    #[serde(skip)]
    limit: usize,
    edits: VecDeque<RecentEdit>,
}

/// One directive, as a screen shows it: icon by `action`, one line of `status`, the `preview` of its diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecentEdit {
    /// What it was to do, where that could be read.
    pub action: Option<Action>,
    /// Why, in the words of whoever asked.
    pub rationale: Option<String>,
    /// One line that says what became of it.
    pub status: String,
    /// How it ended.
    #[serde(flatten)]
    pub ending: Ending,
}

/// How a directive ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// It was done.
    Done {
        /// The number of its change in the history; `None` where the text stayed.
        change: Option<ChangeNumber>,
        /// The version before.
        version_before: RevisionId,
        /// The version after.
        version: RevisionId,
        /// The diff, cut to a few lines.
        preview: String,
        /// Whether the change was undone since.
        #[serde(rename = "taken_back")]
        undone: bool,
    },
    /// It was not done: a notice to the user is in order.
    Failed {
        /// The stable code.
        code: &'static str,
        /// What the chat shows.
        chat_text: String,
        /// What to do about it.
        advice: Advice,
    },
}

impl Default for RecentEdits {
    /// Keeps the last 20.
    fn default() -> Self {
        Self::new(20)
    }
}

impl RecentEdits {
    /// A list of the last `limit` directives.
    pub const fn new(limit: usize) -> Self {
        Self { limit, edits: VecDeque::new() }
    }

    /// Adds what became of a directive. A retry that was answered from a receipt is in the list already.
    pub fn record(&mut self, result: &Result<AppliedDirective, DirectiveFailure>, rationale: Option<&str>) {
        let edit = match result {
            Ok(applied) if applied.replayed => return,
            Ok(applied) => RecentEdit {
                action: Some(applied.context.action),
                rationale: rationale.map(Into::into),
                status: applied.status(),
                ending: Ending::Done {
                    change: applied.change,
                    version_before: applied.version_before,
                    version: applied.version,
                    preview: applied.preview.clone(),
                    undone: false,
                },
            },
            Err(failure) => RecentEdit {
                action: failure.action,
                rationale: rationale.map(Into::into),
                status: failure.status(),
                ending: Ending::Failed {
                    code: failure.code(),
                    chat_text: failure.chat_text(),
                    advice: failure.advice(),
                },
            },
        };
        self.edits.push_back(edit);
        while self.edits.len() > self.limit {
            self.edits.pop_front();
        }
    }

    /// The edits, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RecentEdit> {
        self.edits.iter()
    }

    /// The command that undoes one of these changes, from under later ones, in the user's name; `None` where the
    /// list has no such change, or it was undone. The engine may still refuse it, where a later change touches it.
    pub fn rollback(&self, change: ChangeNumber) -> Option<Undo> {
        let is_done = |edit: &RecentEdit| matches!(edit.ending, Ending::Done { change: Some(own), undone: false, .. } if own == change);
        let undo = Undo { by: Author::User, what: UndoScope::Change(change) };
        self.edits.iter().any(is_done).then_some(undo)
    }

    /// Notes that a change was undone, here or by a plain undo.
    pub fn note_undone(&mut self, change: ChangeNumber) {
        for edit in &mut self.edits {
            if let Ending::Done { change: Some(own), undone, .. } = &mut edit.ending
                && *own == change
            {
                *undone = true;
            }
        }
    }
}
