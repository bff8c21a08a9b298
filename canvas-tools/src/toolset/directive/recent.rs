//! The most recent directives for display, and the command to undo each of them.

use std::collections::VecDeque;

use canvas_core::history::{ChangeNumber, Undo, UndoScope};
use canvas_core::{Author, CodedError as _, RevisionId};
use serde::Serialize;

use super::action::Action;
use super::advice::Advice;
use super::apply::AppliedDirective;
use super::failure::DirectiveFailure;

/// The last directives of a canvas, newest last. This is a bounded list that you keep with your chat.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecentEdits {
    #[serde(skip)]
    limit: usize,
    edits: VecDeque<RecentEdit>,
}

/// One directive for display, with an icon by `action`, one line of `status`, and the `preview` of its diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RecentEdit {
    /// The intended action, if it could be parsed.
    pub action: Option<Action>,
    /// The author's reason for the edit, if one was given.
    pub rationale: Option<String>,
    /// One line that describes the outcome.
    pub status: String,
    /// The outcome, with its details.
    #[serde(flatten)]
    pub ending: Ending,
}

/// The end of a directive, in success or failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "ending", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ending {
    /// The directive was applied to the document.
    Done {
        /// The number of its change in the history, or `None` if the text is unchanged.
        change: Option<ChangeNumber>,
        /// The version that the directive names.
        version_before: RevisionId,
        /// The current version after the edit.
        version: RevisionId,
        /// The diff, shortened to a few lines.
        preview: String,
        /// Whether the change is undone.
        #[serde(rename = "taken_back")]
        undone: bool,
    },
    /// The directive failed, and the user should be notified.
    Failed {
        /// The stable error code, such as `STALE_VERSION`.
        code: &'static str,
        /// Text to show in the chat.
        chat_text: String,
        /// Advice for the user or the model.
        advice: Advice,
    },
}

impl Default for RecentEdits {
    /// Creates a list of the last 20 directives.
    fn default() -> Self {
        Self::new(20)
    }
}

impl RecentEdits {
    /// Creates a list of the last `limit` directives.
    pub const fn new(limit: usize) -> Self {
        Self { limit, edits: VecDeque::new() }
    }

    /// Adds the result of a directive. A retry answered from a receipt is already in the list and is skipped.
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

    /// Returns the edits, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &RecentEdit> {
        self.edits.iter()
    }

    /// Returns the command that undoes one of these changes on behalf of the user, even if later changes follow it.
    /// Returns `None` if the list does not have the change, or if it was already undone. The engine may still refuse
    /// the command if a later change touches the same text.
    pub fn rollback(&self, change: ChangeNumber) -> Option<Undo> {
        let is_done = |edit: &RecentEdit| matches!(edit.ending, Ending::Done { change: Some(own), undone: false, .. } if own == change);
        let undo = Undo { by: Author::User, what: UndoScope::Change(change) };
        self.edits.iter().any(is_done).then_some(undo)
    }

    /// Marks a change as undone, whether by [`RecentEdits::rollback`] or by a plain undo.
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
