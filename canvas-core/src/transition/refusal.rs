//! Why a command was refused.

use canvas_lease::{CheckOutError, Epoch, Timestamp};
use canvas_patch::{ApplyError, DiffExcerpt, Reason};
use serde::{Deserialize, Serialize};

use crate::board::BoardError;
use crate::document::changes::Changes;
use crate::document::replace::{LinesNow, ReplaceError};
use crate::history::journal::{ChangeNumber, EntryNumber};
use crate::model::revision::{Revision, RevisionId};
use crate::transition::rollout::Rollout;

/// Why nothing was done. A refusal is an answer: it leaves a receipt where the command would have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum Refusal {
    /// Another lease is valid.
    #[error("the canvas is checked out until {until} (milliseconds since 1970 UTC): try again after that")]
    Held {
        /// When that lease ends unless it is renewed, in milliseconds since 1970.
        until: Timestamp,
    },
    /// The user has ended this turn.
    #[error("the user has ended this turn: stop editing and wait for the next user message")]
    UserActive,
    /// The canvas has no more epochs, lease ids or revisions.
    #[error("this canvas has used up its {counter}: ask the user to go on in a new canvas")]
    Exhausted {
        /// Which counter.
        counter: Counter,
    },
    /// The lease was preempted by the user.
    #[error("the user has stepped in and this lease is over: look at what changed")]
    StaleEpoch {
        /// The epoch of the canvas.
        current: Epoch,
        /// What changed since this conversation last saw the document; `None` where nothing did.
        changes: Option<Changes>,
    },
    /// The lease is not this conversation's current one.
    #[error("this is not your lease: use the lease_id of your last check-out, or check out again")]
    NotOwned,
    /// The lease ran out.
    #[error("this lease has expired: check out again and read the canvas before you edit it")]
    Expired {
        /// When it did.
        at: Timestamp,
    },
    /// The document has changed since the patch's base.
    #[error(
        "the document has changed since the revision that this patch was written for: look at the changes and {}",
        after_stale(near.as_ref(), rebased.is_some())
    )]
    StaleBase {
        /// The base that the patch named; `None` where it named none and the conversation had seen an older text.
        base: Option<RevisionId>,
        /// What changed since, where the base is still known. Without its diff where that is too large, or where
        /// the base was named and `near` says what matters.
        changes: Option<Changes>,
        /// Of the changes those near the patch, where others are left out. It does not count as having shown the
        /// document: the next patch must name its base, or the conversation read.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        near: Option<DiffExcerpt>,
        /// The same patch for the document as it is, where it still fits exactly and its author is shown what
        /// changed around it. It was not applied: its author must send it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rebased: Option<String>,
    },
    /// The patch does not fit.
    #[error("{0}")]
    PatchRejected(ApplyError),
    /// The user has acted since the model's turn began, so the model may take nothing back.
    #[error(
        "the user has changed the canvas since your turn began: look at the changes, and edit instead of undoing"
    )]
    UserActed,
    /// There are fewer changes to take back, or to do again, than asked for.
    #[error("the history has {available} of {asked}: ask for no more than there are")]
    HistoryEmpty {
        /// How many were asked for.
        asked: u32,
        /// How many there are.
        available: u32,
    },
    /// No change of this number stands.
    #[error(
        "change {change} does not stand: it was taken back, forgotten, or never made: take a number from the history"
    )]
    HistoryNotFound {
        /// The number.
        change: ChangeNumber,
    },
    /// A later change touches the one that is to be taken back.
    #[error("change {with} touches what change {change} did: take change {with} back first")]
    HistoryConflict {
        /// What was to be taken back.
        change: ChangeNumber,
        /// What stands in the way.
        with: ChangeNumber,
    },
    /// What is to be taken back lies too far below.
    #[error(
        "more than {limit} later changes would have to be moved: undo step by step, or name a later revision"
    )]
    HistoryTooDeep {
        /// The limit.
        limit: usize,
    },
    /// An entry of the journal is not what it was.
    #[error("entry {entry} of the history is damaged: restore it from a backup, or clear the history")]
    HistoryDamaged {
        /// The entry, or the last one above it that can be read.
        entry: EntryNumber,
    },
    /// The lines to replace are not those that the hash was made from.
    #[error(
        "what stands at line {} is not what expect_hash was made from: look at these lines as they are now, read on where they are cut, and send the edit again with their range_hash",
        lines.start_line
    )]
    ContentChanged {
        /// Them, or for an insertion the line beside it.
        lines: LinesNow,
    },
    /// The lines to replace are not in the document.
    #[error(
        "the document has {total_lines} lines, so there is nothing to replace at {start} to {end}: read it again"
    )]
    NoSuchLines {
        /// The first line that was named.
        start: usize,
        /// The last line that was named.
        end: usize,
        /// How many lines the document has.
        total_lines: usize,
    },
    /// The lines read like what should replace them.
    #[error("{}", Reason::NoEffect.advice())]
    NoEffect,
    /// The canvas has no board.
    #[error("this canvas has no board: make one first")]
    NoBoard,
    /// The canvas has a board already.
    #[error("this canvas has a board already: change that one")]
    BoardExists,
    /// No board can be like that.
    #[error("{message}")]
    InvalidBoard {
        /// What is wrong, and what to do.
        message: String,
    },
    /// The board is not what it was.
    #[error("the board cannot be read: restore the store from a backup, or update the library")]
    BoardDamaged,
    /// The board has changed since the revision that a command was made for.
    #[error("the board has changed since revision {}: look at it again and make the command anew", base.get())]
    StaleBoard {
        /// The revision that was named.
        base: Revision,
        /// The revision that last changed the board.
        current: Revision,
    },
    /// Models have not been given this yet, or no more.
    #[error("{}", closed(*rollout))]
    Disabled {
        /// What they have been given.
        rollout: Rollout,
    },
    /// The canvas is kept in Git.
    #[error("this canvas is kept in Git, where the canvas tools do not work: answer without them")]
    GitMode,
    /// The call id was used before, for something else.
    #[error("this call id was used before with other arguments: send the call with a new id")]
    CallIdReused,
    /// The host has given the call up: it was asked what became of it, and nothing had.
    #[error("this call was given up before it was done: send it again with a new id")]
    Abandoned,
    /// The lease has made as many calls as one lease may.
    #[error("this lease has made {limit} calls: check in, then check out again")]
    TooManyCalls {
        /// The limit.
        limit: usize,
    },
    /// The text is larger than a document may be.
    #[error("the document would have {bytes} bytes, the limit is {limit}: shorten it or begin a new canvas")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
}

/// A counter that can run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// Epochs.
    Epoch,
    /// Lease ids.
    Fence,
    /// Revisions.
    Revision,
}

impl std::fmt::Display for Counter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Epoch => "epochs",
            Self::Fence => "lease ids",
            Self::Revision => "revisions",
        })
    }
}

impl From<ReplaceError> for Refusal {
    fn from(error: ReplaceError) -> Self {
        match error {
            ReplaceError::ContentChanged(lines) => Self::ContentChanged { lines },
            ReplaceError::NoSuchLines { start, end, total_lines } => {
                Self::NoSuchLines { start, end, total_lines }
            }
            ReplaceError::NoEffect => Self::NoEffect,
        }
    }
}

impl Refusal {
    /// The stable code (specs 000 §5.1, §4).
    pub fn code(&self) -> &'static str {
        match self {
            Self::Held { .. } | Self::UserActive => "LOCK_NOT_AVAILABLE",
            Self::Exhausted { counter: Counter::Epoch } => "EPOCH_EXHAUSTED",
            Self::Exhausted { counter: Counter::Fence } => "FENCE_EXHAUSTED",
            Self::Exhausted { counter: Counter::Revision } => "REVISION_EXHAUSTED",
            Self::StaleEpoch { .. } => "STALE_EPOCH",
            Self::NotOwned => "LOCK_NOT_OWNED",
            Self::Expired { .. } => "LEASE_EXPIRED",
            Self::UserActed => "USER_ACTED",
            Self::HistoryEmpty { .. } => "HISTORY_EMPTY",
            Self::HistoryNotFound { .. } => "HISTORY_NOT_FOUND",
            Self::HistoryConflict { .. } => "HISTORY_CONFLICT",
            Self::HistoryTooDeep { .. } => "HISTORY_TOO_DEEP",
            Self::HistoryDamaged { .. } => "HISTORY_DAMAGED",
            Self::StaleBase { .. }
            | Self::PatchRejected(_)
            | Self::ContentChanged { .. }
            | Self::NoEffect => ApplyError::CODE,
            Self::NoSuchLines { .. } => "INVALID_RANGE",
            Self::NoBoard => "BOARD_NOT_FOUND",
            Self::BoardExists => "BOARD_EXISTS",
            Self::InvalidBoard { .. } => BoardError::CODE,
            Self::BoardDamaged => "CANVAS_DAMAGED",
            Self::StaleBoard { .. } => "REVISION_CONFLICT",
            Self::Disabled { .. } => "TOOL_DISABLED",
            Self::GitMode => "GIT_MODE_UNSUPPORTED",
            Self::CallIdReused => "CALL_ID_REUSED",
            Self::Abandoned => "CALL_ABANDONED",
            Self::TooManyCalls { .. } => "TOO_MANY_CALLS",
            Self::TooLarge { .. } => "DOCUMENT_TOO_LARGE",
        }
    }

    /// What stands behind a code that covers several cases.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Held { .. } => Some("HELD"),
            Self::UserActive => Some("USER_ACTIVE"),
            Self::StaleBase { .. } => Some("STALE_BASE"),
            Self::PatchRejected(error) => Some(error.reason().code()),
            Self::ContentChanged { .. } => Some("CONTENT_CHANGED"),
            Self::NoEffect => Some(Reason::NoEffect.code()),
            _ => None,
        }
    }

    /// Whether the very same request can succeed later.
    pub const fn retryable(&self) -> bool {
        matches!(self, Self::Held { .. })
    }
}

const fn closed(rollout: Rollout) -> &'static str {
    match rollout {
        Rollout::Off => "the canvas tools are switched off: answer without them",
        Rollout::ReadOnly => "the canvas can only be read: say in your answer what you would change",
        _ => "there are no leases here: call the other tools without a lease_id",
    }
}

/// What to do about a stale base.
fn after_stale(near: Option<&DiffExcerpt>, rebased: bool) -> String {
    let next = if rebased {
        "send the rebased patch for the current revision if it still says what you mean, or write the patch again"
    } else {
        "write the patch again"
    };
    match near {
        Some(near) => format!(
            "{next}, naming the current revision as its base (hunks of the changes elsewhere, not shown: {})",
            near.left_out
        ),
        None => next.to_owned(),
    }
}

impl From<CheckOutError> for Refusal {
    fn from(refusal: CheckOutError) -> Self {
        match refusal {
            CheckOutError::Held { until } => Self::Held { until },
            CheckOutError::UserActive => Self::UserActive,
            CheckOutError::EpochExhausted => Self::Exhausted { counter: Counter::Epoch },
            CheckOutError::FenceExhausted => Self::Exhausted { counter: Counter::Fence },
        }
    }
}
