//! What became of a command.

use canvas_lease::{Epoch, LeaseId, Timestamp};
use canvas_patch::{Repair, Summary};
use serde::{Deserialize, Serialize};

use crate::board::{BoardResult, CanvasEvent};
use crate::document::changes::Changes;
use crate::history::journal::{ChangeNumber, Entry, EntryKind, EntryNumber};
use crate::model::author::Actor;
use crate::model::head::TurnStart;
use crate::model::revision::{Revision, RevisionId};
use crate::transition::refusal::Refusal;

/// The answer to a command. It is what a receipt keeps, so its JSON form is part of the stored head.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    /// The canvas was made.
    Created {
        /// Its first revision, or the next after a deletion.
        revision: RevisionId,
    },
    /// The canvas was deleted.
    Deleted,
    /// The lease was given.
    CheckedOut {
        /// Names it in every later call.
        lease: LeaseId,
        /// The epoch it belongs to.
        epoch: Epoch,
        /// When it ends unless it is renewed, by the store's clock.
        expires_at: Timestamp,
        /// The revision at that moment.
        revision: RevisionId,
    },
    /// The lease was extended.
    Renewed {
        /// The lease.
        lease: LeaseId,
        /// When it ends now.
        expires_at: Timestamp,
        /// No renewal will move this end any more.
        at_max_hold: bool,
        /// The current revision.
        revision: RevisionId,
    },
    /// The lease is over.
    CheckedIn {
        /// False where it had ended before.
        released: bool,
        /// The current revision.
        revision: RevisionId,
    },
    /// The document may be read.
    Readable {
        /// The revision that is read.
        revision: RevisionId,
        /// When the lease ends; `None` where it was done without.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<Timestamp>,
    },
    /// The patch was applied.
    Applied(AppliedPatch),
    /// The edit was made.
    Amended {
        /// The new revision; the same as before where the edit changes nothing.
        revision: RevisionId,
        /// The revision before.
        previous: RevisionId,
        /// Its number in the history; `None` where it changes nothing, or no history is kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<ChangeNumber>,
        /// The line for the history that came with it.
        summary: String,
    },
    /// The user's text is the document.
    Edited {
        /// The epoch from now on.
        epoch: Epoch,
        /// The revision; the same as before where the text was the same.
        revision: RevisionId,
    },
    /// Changes were taken back.
    Undone {
        /// What was entered into the journal for it, in the order in which it was done.
        entries: Vec<HistoryEntry>,
        /// What happened on the board by it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<CanvasEvent>,
        /// The epoch from now on.
        epoch: Epoch,
        /// The new revision.
        revision: RevisionId,
    },
    /// Changes were done again.
    Redone {
        /// What was entered into the journal for it, in the order in which it was done.
        entries: Vec<HistoryEntry>,
        /// What happened on the board by it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<CanvasEvent>,
        /// The epoch from now on.
        epoch: Epoch,
        /// The new revision.
        revision: RevisionId,
    },
    /// The canvas has a board.
    BoardCreated {
        /// The new revision.
        revision: RevisionId,
    },
    /// A command was run on the board: done, or refused by what stands on it.
    Board {
        /// What is answered.
        result: Box<BoardResult>,
        /// What happened.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        events: Vec<CanvasEvent>,
        /// The revision; the same as before where nothing was changed.
        revision: RevisionId,
    },
    /// The history is empty.
    HistoryCleared {
        /// False where it was empty before.
        cleared: bool,
        /// The current revision.
        revision: RevisionId,
    },
    /// The running turn was ended by the user.
    Interrupted {
        /// The epoch from now on.
        epoch: Epoch,
    },
    /// The next turn has begun.
    TurnBegan {
        /// Where it begins; its end names this.
        start: TurnStart,
        /// What changed since the conversation last knew the document.
        changes: Option<Changes>,
        /// Whether the draft became the artefact.
        promotion: Promotion,
    },
    /// The conversation will be told the whole document.
    Forgotten,
    /// The turn is over.
    TurnEnded {
        /// What changed since the conversation last knew the document.
        changes: Option<Changes>,
        /// Whether the draft became the artefact.
        promotion: Promotion,
    },
    /// Nothing was done to the document.
    Refused(Refusal),
}

/// A patch that has become a revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AppliedPatch {
    /// The new revision.
    pub revision: RevisionId,
    /// Lines added and removed, and hunks.
    pub summary: Summary,
    /// What anchored mode put right.
    pub repairs: Vec<Repair>,
    /// The changed lines of the new text.
    pub spans: Vec<LineSpan>,
    /// When the lease ends; `None` where it was done without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// An entry of the journal, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryEntry {
    /// Its number.
    pub number: EntryNumber,
    /// The number of the change that it makes or takes back.
    pub change: ChangeNumber,
    /// What kind of doing it is.
    pub kind: EntryKind,
    /// Whose change it is.
    pub author: Actor,
    /// What the change did, in short.
    pub summary: String,
    /// The revision after it.
    pub revision: Revision,
}

impl From<&Entry> for HistoryEntry {
    fn from(entry: &Entry) -> Self {
        Self {
            number: entry.number,
            change: entry.change,
            kind: entry.kind,
            author: entry.author,
            summary: entry.summary.clone(),
            revision: entry.revision_after,
        }
    }
}

/// Lines of the new text, from 1 and inclusive; `end_line` is `start_line - 1` where lines were only removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSpan {
    /// The first line.
    pub start_line: usize,
    /// The last line.
    pub end_line: usize,
}

impl From<&canvas_patch::Span> for LineSpan {
    fn from(span: &canvas_patch::Span) -> Self {
        Self { start_line: span.new_lines.start + 1, end_line: span.new_lines.end }
    }
}

/// Whether a draft became the artefact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promotion {
    /// It did.
    Promoted,
    /// There was nothing to promote: draft and artefact are the same.
    Unchanged,
    /// The user interrupted the turn, so its end promotes nothing (`STALE_EPOCH`); the next message will.
    StaleEpoch,
}
