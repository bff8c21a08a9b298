//! What may be asked of a document.

use std::num::NonZeroU32;

use canvas_lease::LeaseId;
use canvas_patch::{Delta, TextEdit};

use crate::board::{CanvasCommand, Workspace};
use crate::document::replace::Replacement;
use crate::history::journal::ChangeNumber;
use crate::model::author::{Actor, Author};
use crate::model::blob::BlobId;
use crate::model::head::TurnStart;
use crate::model::id::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Revision, RevisionId};
use crate::transition::rollout::Access;

/// One operation and its name. The same call again is answered as the first one was.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Names it; a model's call carries its conversation and turn.
    pub operation: OpKey,
    /// What is asked.
    pub command: Command,
}

/// What is asked. The first six are a model's and stand under the lease; the others are the user's or the host's
/// and always come first.
///
/// A lease id is `None` where the model named none, or sent what cannot be read as one: enough where the
/// [`Rollout`](crate::Rollout) asks for none.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Take the lease.
    CheckOut,
    /// Extend it.
    Renew {
        /// The lease.
        lease: Option<LeaseId>,
    },
    /// Give it back.
    CheckIn {
        /// The lease.
        lease: Option<LeaseId>,
    },
    /// See the document.
    Read {
        /// The lease.
        lease: Option<LeaseId>,
    },
    /// Change the document by an anchored patch.
    Apply {
        /// The lease.
        lease: Option<LeaseId>,
        /// A unified diff.
        patch: String,
        /// The revision that the patch was written against.
        base: Option<RevisionId>,
    },
    /// Change the document by replacing whole lines, where they are as their author knows them.
    Replace {
        /// The lease.
        lease: Option<LeaseId>,
        /// Which lines, and by what.
        replacement: Replacement,
        /// The revision that the line numbers are of.
        base: Option<RevisionId>,
    },
    /// The user has changed the text: it becomes the document, and the lease ends.
    Edit {
        /// The whole new text.
        markdown: String,
    },
    /// The user sends a message to the conversation: the running turn ends and the next begins.
    Message,
    /// The conversation has lost what it knew of the document, as when a chat is compacted or begun anew: its next
    /// message brings the whole of it.
    Forget,
    /// The user stops the answer: the running turn ends.
    Cancel,
    /// The user takes the locked document over: the running turn ends.
    TakeControl,
    /// Change the document on a model's behalf without a lease: refused while one is valid, and where the user has ended
    /// the turn.
    Amend {
        /// The revision that the edit was made for: the document must not have changed since.
        base: RevisionId,
        /// The edit.
        delta: Delta,
        /// A short line for the history.
        summary: String,
        /// The hash of what the edit was made from, where the host makes it anew for a retry: a call with the same key
        /// and the same hash is then the same call, whatever the edit. `None` tells calls apart by the edit.
        request: Option<BlobId>,
    },
    /// Take changes back.
    Undo {
        /// Who asks.
        by: Author,
        /// Which ones.
        what: Undo,
    },
    /// Do again what was undone last.
    Redo {
        /// Who asks.
        by: Author,
        /// How many.
        steps: NonZeroU32,
    },
    /// Forget the history of the canvas. The document stays; what was done can no more be taken back.
    ClearHistory,
    /// Give the canvas a board.
    CreateBoard {
        /// The board.
        workspace: Box<Workspace>,
    },
    /// Change the board. It takes no lease: the lease is of the document.
    Board {
        /// Who asks.
        by: Author,
        /// What.
        command: Box<CanvasCommand>,
        /// The revision that the command was made for: it is refused where the board has changed since.
        base: Option<Revision>,
    },
    /// The model's turn is over: its lease is given back and its draft promoted.
    EndTurn {
        /// Where the turn began, as the user's message told.
        start: TurnStart,
    },
}

/// Which changes to take back. Each way takes back all that it names, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Undo {
    /// So many of the last ones.
    Steps(NonZeroU32),
    /// The last ones down to this change and with it, by its number ([`Entry::change`](crate::Entry::change)).
    To(ChangeNumber),
    /// One change, by its number, from under later ones, which stay.
    Change(ChangeNumber),
    /// All changes of one author that still stand, from under those of the other, which stay.
    Author {
        /// Whose.
        author: Actor,
        /// Only those made after this revision; `None` for all.
        since: Option<Revision>,
    },
}

impl Command {
    /// What a model does by it; `None` where it is not a model's.
    pub(crate) const fn access(&self) -> Option<Access> {
        match self {
            Self::CheckOut | Self::Renew { .. } | Self::CheckIn { .. } => Some(Access::Lease),
            Self::Read { .. } => Some(Access::Read),
            Self::Apply { .. }
            | Self::Replace { .. }
            | Self::Amend { .. }
            | Self::Board { by: Author::Assistant { .. }, .. }
            | Self::Undo { by: Author::Assistant { .. }, .. }
            | Self::Redo { by: Author::Assistant { .. }, .. } => Some(Access::Write),
            Self::Edit { .. }
            | Self::Message
            | Self::Forget
            | Self::Cancel
            | Self::TakeControl
            | Self::Undo { .. }
            | Self::Redo { .. }
            | Self::ClearHistory
            | Self::CreateBoard { .. }
            | Self::Board { .. }
            | Self::EndTurn { .. } => None,
        }
    }

    /// Reads are run again rather than answered from a receipt.
    pub(crate) const fn is_read(&self) -> bool {
        matches!(self, Self::Read { .. })
    }

    pub(crate) fn digest(&self) -> Digest {
        let (name, lease) = match self {
            Self::CheckOut => ("check_out", None),
            Self::Renew { lease } => ("renew", *lease),
            Self::CheckIn { lease } => ("check_in", *lease),
            Self::Read { lease } => ("read", *lease),
            Self::Apply { lease, .. } => ("apply", *lease),
            Self::Replace { lease, .. } => ("replace", *lease),
            Self::Edit { .. } => ("edit", None),
            Self::Message => ("message", None),
            Self::Forget => ("forget", None),
            Self::Cancel => ("cancel", None),
            Self::TakeControl => ("take_control", None),
            Self::Amend { .. } => ("amend", None),
            Self::Undo { .. } => ("undo", None),
            Self::Redo { .. } => ("redo", None),
            Self::ClearHistory => ("clear_history", None),
            Self::CreateBoard { .. } => ("create_board", None),
            Self::Board { .. } => ("board", None),
            Self::EndTurn { .. } => ("end_turn", None),
        };
        let lease = lease.map_or_else(String::new, |lease| lease.to_string());
        match self {
            Self::Apply { patch, base, .. } => {
                let base = base.map_or_else(String::new, |base| base.to_string());
                Digest::of(&[name.as_bytes(), lease.as_bytes(), patch.as_bytes(), base.as_bytes()])
            }
            Self::Replace { replacement: Replacement { start, end, expect, text }, base, .. } => {
                let base = base.map_or_else(String::new, |base| base.to_string());
                let place = format!("{start} {end} {expect}");
                let parts = [name, &lease, &place, text, &base];
                Digest::of(&parts.map(str::as_bytes))
            }
            Self::Edit { markdown } => Digest::of(&[name.as_bytes(), markdown.as_bytes()]),
            Self::Amend { request: Some(request), .. } => {
                Digest::of(&[name.as_bytes(), b"request", request.as_bytes()])
            }
            Self::Amend { base, delta, summary, request: None } => {
                let mut parts = vec![name.to_owned(), base.to_string(), summary.clone()];
                for TextEdit { at, old, new } in delta.edits() {
                    parts.extend([at.to_string(), old.clone(), new.clone()]);
                }
                Digest::of(&parts.iter().map(String::as_bytes).collect::<Vec<_>>())
            }
            Self::CreateBoard { workspace } => {
                let json = serde_json::to_string(workspace).expect("its maps have text for keys");
                Digest::of(&[name.as_bytes(), json.as_bytes()])
            }
            Self::Board { by, command, base } => {
                let json = serde_json::to_string(command).expect("its maps have text for keys");
                let base = base.map_or_else(String::new, |base| base.get().to_string());
                Digest::of(&[name, &author(*by), &json, &base].map(str::as_bytes))
            }
            Self::Undo { by, what } => {
                let (what, value, since) = match what {
                    Undo::Steps(steps) => ("steps", steps.to_string(), None),
                    Undo::To(change) => ("to", change.to_string(), None),
                    Undo::Change(change) => ("change", change.to_string(), None),
                    Undo::Author { author: Actor::User, since } => ("author", "user".to_owned(), *since),
                    Undo::Author { author: Actor::Assistant, since } => {
                        ("author", "assistant".to_owned(), *since)
                    }
                };
                let since = since.map_or_else(String::new, |revision| revision.get().to_string());
                Digest::of(&[name, &author(*by), what, &value, &since].map(str::as_bytes))
            }
            Self::Redo { by, steps } => {
                Digest::of(&[name, &author(*by), &steps.to_string()].map(str::as_bytes))
            }
            // A turn's end names what it ends by its key; a host may learn the start late.
            _ => Digest::of(&[name.as_bytes(), lease.as_bytes()]),
        }
    }
}

/// An author as a part of a digest.
fn author(by: Author) -> String {
    match by {
        Author::User => "user".to_owned(),
        Author::Host => "host".to_owned(),
        Author::Assistant { lease: None } => "assistant".to_owned(),
        Author::Assistant { lease: Some(lease) } => format!("assistant {lease}"),
    }
}
