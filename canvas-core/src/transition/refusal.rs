//! Errors of refused commands.
//!
//! A command's refusal is composed of a few shared groups, so that callers match only the refusals that the command can
//! produce. To render any refusal, use the borrowed [`Refusal`] from [`Refused::view`].
//!
//! Receipts keep refusals as JSON, distinguished by the member `refusal`. The names of variants and fields are
//! therefore part of the stored format.

use canvas_lease::{CheckOutError, Epoch, LeaseId, Timestamp};
use canvas_patch::{ApplyError, EditPolicyError, LineRange, Reason};
use serde::{Deserialize, Serialize};

use crate::document::changes::Changes;
use crate::document::replace::LinesRefusal;
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::model::error_report::ErrorReport;
use crate::model::face::{FACE_NOT_SUPPORTED, Face, INVALID_BOARD, not_supported};
use crate::model::revision::Revision;
#[cfg(feature = "recipe")]
use crate::recipe::refusal::RecipeRefusal;
#[cfg(feature = "surface")]
use crate::surface::refusal::SurfaceRefusal;
use crate::transition::rollout::Rollout;
use crate::transition::stale::{StaleBase, StaleEdit};

/// The common interface of all refusals. A refusal is an answer, so it leaves a receipt if the command's answer would.
pub trait Refused: std::error::Error {
    /// Returns the refusal by its group, to render the refusals of any command.
    fn view(&self) -> Refusal<'_>;

    /// Returns the stable error code.
    fn code(&self) -> &'static str {
        self.view().code()
    }

    /// Returns the reason, which distinguishes cases with the same code.
    fn reason(&self) -> Option<&'static str> {
        self.view().reason()
    }

    /// Builds the report that a host sends to a client.
    fn report(&self) -> ErrorReport {
        let (code, reason) = (self.code(), self.reason());
        ErrorReport { code, reason, message: self.to_string(), retryable: self.retryable() }
    }

    /// Whether the same request can succeed later without any change, simply because of the time passed. Its author
    /// then need not look at the canvas or change the request. `false` rules out only that; the message says how to
    /// continue.
    fn retryable(&self) -> bool {
        self.view().retryable()
    }
}

macro_rules! groups {
    ($($(#[$cfg:meta])* $group:ident($type:ty): $doc:literal),+ $(,)?) => {
        /// A borrowed refusal of any command. Each face that the library is built with may add a group.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[non_exhaustive]
        pub enum Refusal<'a> {
            $($(#[$cfg])* #[doc = $doc] $group(&'a $type)),+
        }

        impl std::fmt::Display for Refusal<'_> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $($(#[$cfg])* Self::$group(group) => std::fmt::Display::fmt(group, f)),+
                }
            }
        }

        $(
            $(#[$cfg])*
            impl Refused for $type {
                fn view(&self) -> Refusal<'_> {
                    Refusal::$group(self)
                }
            }
        )+
    };
}

groups! {
    Call(CallRefusal): "What any call can meet.",
    NotAvailable(NotAvailable): "Somebody else holds the lease, or the turn is over.",
    Lease(LeaseRefusal): "What the holder of a lease can meet.",
    Limit(LimitRefusal): "A number or a size is used up.",
    Base(BaseRefusal): "The document is not the one that a call was made for.",
    StaleEdit(StaleEdit): "A user's text was made from an older document.",
    Patch(PatchRefusal): "A patch does not fit.",
    Lines(LinesRefusal): "Lines are not what their author takes them for.",
    History(HistoryRefusal): "The history does not have it.",
    Board(BoardRefusal): "There is no such board to change.",
    NewBoard(NewBoardRefusal): "There can be no such board.",
    #[cfg(feature = "surface")]
    Surface(SurfaceRefusal): "A surface refuses it.",
    #[cfg(feature = "recipe")]
    Recipe(RecipeRefusal): "There is no such recipe, or there can be none.",
}

macro_rules! composed {
    ($($(#[$doc:meta])* $name:ident { $($group:ident($type:ty)),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, thiserror::Error)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(untagged)]
        pub enum $name {
            $(
                #[doc = concat!("See [`Refusal::", stringify!($group), "`].")]
                #[error(transparent)]
                $group(#[from] $type)
            ),+
        }

        impl Refused for $name {
            fn view(&self) -> Refusal<'_> {
                match self {
                    $(Self::$group(group) => Refusal::$group(group)),+
                }
            }
        }
    )+};
}

composed! {
    /// Why [`CheckOut`](crate::lease::CheckOut) is refused.
    CheckOutRefusal { Call(CallRefusal), NotAvailable(NotAvailable), Limit(LimitRefusal) }

    /// Why a call that only the holder of a lease makes is refused: [`Renew`](crate::lease::Renew),
    /// [`CheckIn`](crate::lease::CheckIn), [`Read`](crate::document::Read).
    HolderRefusal { Call(CallRefusal), Lease(LeaseRefusal) }

    /// Why [`ApplyPatch`](crate::document::ApplyPatch) is refused.
    ApplyPatchRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), Patch(PatchRefusal),
        Limit(LimitRefusal),
    }

    /// Why [`ReplaceLines`](crate::document::ReplaceLines) is refused.
    ReplaceLinesRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), Lines(LinesRefusal),
        Patch(PatchRefusal), Limit(LimitRefusal),
    }

    /// Why [`Edit`](crate::document::Edit) is refused.
    EditRefusal { Call(CallRefusal), Limit(LimitRefusal), StaleEdit(StaleEdit) }

    /// Why [`HostEdit`](crate::document::HostEdit) is refused.
    HostEditRefusal { Call(CallRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), Limit(LimitRefusal) }

    /// Why [`Undo`](crate::history::Undo) or [`Redo`](crate::history::Redo) is refused.
    UndoRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), History(HistoryRefusal),
        Board(BoardRefusal), Limit(LimitRefusal),
    }
}

#[cfg(feature = "board")]
composed! {
    /// Why [`CreateBoard`](crate::board::CreateBoard) is refused.
    CreateBoardRefusal { Call(CallRefusal), NewBoard(NewBoardRefusal), Limit(LimitRefusal) }

    /// Why [`RunBoardCommand`](crate::board::RunBoardCommand) is refused, other than by the board itself.
    BoardCommandRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Board(BoardRefusal), Limit(LimitRefusal),
    }
}

#[cfg(feature = "surface")]
composed! {
    /// Why a command on a surface is refused.
    SurfaceCommandRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Surface(SurfaceRefusal), Limit(LimitRefusal),
    }
}

#[cfg(feature = "recipe")]
composed! {
    /// Why a command on recipes is refused.
    RecipeCommandRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Recipe(RecipeRefusal), Limit(LimitRefusal),
    }
}

/// What any call can meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum CallRefusal {
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
    /// [`Engine::resolve`](crate::Engine::resolve) has barred the call, which had not been done by then.
    #[error(
        "this call was abandoned before it was done, or its answer was erased: look at the canvas, and send it with a new id if it is still to be done"
    )]
    Abandoned,
}

/// The lease is not to be had, or nobody may write without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum NotAvailable {
    /// Another lease is valid.
    #[error("{}", held(*own))]
    Held {
        /// When that lease ends unless it is renewed.
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        until: Timestamp,
        /// The lease, where it is the asker's own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        own: Option<LeaseId>,
    },
    /// The user has ended this turn.
    #[error("the user has ended this turn: stop editing and wait for the next user message")]
    UserActive,
}

/// What the holder of a lease can meet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LeaseRefusal {
    /// The user has preempted the lease.
    #[error("the user has stepped in and this lease is over: {}", after_preemption(changes.as_ref()))]
    StaleEpoch {
        /// The epoch of the canvas.
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        current: Epoch,
        /// What changed since this conversation last saw the document; `None` where nothing did.
        changes: Option<Changes>,
    },
    /// The lease is not this conversation's current one.
    #[error("{}", not_owned(*over, *own, *held_until))]
    NotOwned {
        /// There was such a lease, and it ran out or was given back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        over: bool,
        /// The valid lease of this conversation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        own: Option<LeaseId>,
        /// When the valid lease of another conversation ends unless it is renewed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
        held_until: Option<Timestamp>,
    },
    /// The lease ran out.
    #[error("this lease has expired: check out again")]
    Expired {
        /// When it did.
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        at: Timestamp,
    },
    /// The lease has made as many calls as one lease may.
    #[error("this lease has made {limit} calls: check in, then check out again")]
    TooManyCalls {
        /// The limit.
        limit: usize,
    },
}

/// A number or a size is used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LimitRefusal {
    /// The canvas has no more epochs, lease ids or revisions.
    #[error("this canvas has used up its {counter}: ask the user to go on in a new canvas")]
    Exhausted {
        /// Which counter.
        counter: Counter,
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

/// The document is not the one that a call was made for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum BaseRefusal {
    /// The document has changed since.
    #[error("{0}")]
    StaleBase(Box<StaleBase>),
}

/// A patch does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum PatchRefusal {
    /// Nothing of it was applied.
    #[error("{0}")]
    PatchRejected(ApplyError),
    /// The patch fits, but changes lines outside of its scope, or what the policy keeps as it is. A scope that is not in the
    /// document has a code of its own and no reason.
    #[error("{error}")]
    EditRefused {
        /// Which of these, and where.
        error: EditPolicyError,
    },
    /// The patch fits, but changes lines that its author has not looked at in this turn.
    #[error(
        "lines {start} to {end} were neither searched, read nor listed in this turn: read them, then send the patch again",
        start = lines.start, end = lines.end
    )]
    NotLocated {
        /// The first of such lines, with those around them.
        lines: LineRange,
    },
}

/// The history does not have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum HistoryRefusal {
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
    /// No change of this number is in effect.
    #[error(
        "change {change} is not in effect: it was taken back, forgotten, or never made: take a number from the history"
    )]
    HistoryNotFound {
        /// The number.
        change: ChangeNumber,
    },
    /// A later change touches the one that is to be undone.
    #[error("change {with} touches what change {change} did: take change {with} back first")]
    HistoryConflict {
        /// The change that was to be undone.
        change: ChangeNumber,
        /// The later change that touches it.
        with: ChangeNumber,
    },
    /// A tool or a job has changed since what is to be undone, so nothing tells what should be there.
    #[error(
        "{path:?} was changed by entry {effect}, a tool's result, after change {change}: set what it should be"
    )]
    EffectConflict {
        /// The change that was to be undone or redone.
        change: ChangeNumber,
        /// The place that it changed, as a JSON Pointer into the state.
        path: String,
        /// The last effect that has touched the place.
        effect: EntryNumber,
    },
    /// A model would allow the surface what its spec does not allow now.
    #[error("without change {change} the surface may do more than now: ask the user to undo it")]
    PolicyWidening {
        /// The change that was to be undone or redone.
        change: ChangeNumber,
    },
    /// The state of the surface would be larger than it is, and than it may be.
    #[error("the state would have {bytes} bytes, the limit is {limit}: remove something from it first")]
    StateTooLarge {
        /// The size that it would have.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Too many later changes lie above the one that is to be undone.
    #[error(
        "more than {limit} later changes would have to be moved: undo step by step, or name a later revision"
    )]
    HistoryTooDeep {
        /// The limit.
        limit: usize,
    },
    /// A change is of a face that this library was built without.
    #[error("{}", not_supported(*face))]
    FaceNotSupported {
        /// The face.
        face: Face,
    },
    /// An entry of the journal is not what it was.
    #[error("entry {entry} of the history is damaged: restore it from a backup, or clear the history")]
    HistoryDamaged {
        /// The entry, or the last one above it that can be read.
        entry: EntryNumber,
    },
}

/// There is no such board to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum BoardRefusal {
    /// The canvas has no board.
    #[error("this canvas has no board: make one first")]
    NoBoard,
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
}

/// There can be no such board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum NewBoardRefusal {
    /// The canvas has a board already.
    #[error("this canvas has a board already: change that one")]
    BoardExists,
    /// No board can be like that.
    #[error("{message}")]
    InvalidBoard {
        /// What is wrong, and what to do.
        message: String,
    },
}

/// A counter that can run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

canvas_patch::coded_error!(Refusal<'_> {
    Self::Call(CallRefusal::Disabled { .. }) => "TOOL_DISABLED";
    Self::Call(CallRefusal::GitMode) => "GIT_MODE_UNSUPPORTED";
    Self::Call(CallRefusal::CallIdReused) => "CALL_ID_REUSED";
    Self::Call(CallRefusal::Abandoned) => "CALL_ABANDONED";
    Self::NotAvailable(NotAvailable::Held { .. }) => "LOCK_NOT_AVAILABLE", true;
    Self::NotAvailable(NotAvailable::UserActive) => "LOCK_NOT_AVAILABLE";
    Self::Lease(LeaseRefusal::StaleEpoch { .. }) => "STALE_EPOCH";
    Self::Lease(LeaseRefusal::NotOwned { .. }) => "LOCK_NOT_OWNED";
    Self::Lease(LeaseRefusal::Expired { .. }) => "LEASE_EXPIRED";
    Self::Lease(LeaseRefusal::TooManyCalls { .. }) => "TOO_MANY_CALLS";
    Self::Limit(LimitRefusal::Exhausted { counter: Counter::Epoch }) => "EPOCH_EXHAUSTED";
    Self::Limit(LimitRefusal::Exhausted { counter: Counter::Fence }) => "FENCE_EXHAUSTED";
    Self::Limit(LimitRefusal::Exhausted { counter: Counter::Revision }) => "REVISION_EXHAUSTED";
    Self::Limit(LimitRefusal::TooLarge { .. }) => "DOCUMENT_TOO_LARGE";
    Self::Base(BaseRefusal::StaleBase(stale)) => stale.code();
    Self::StaleEdit(stale) => stale.code();
    Self::Patch(PatchRefusal::PatchRejected(error)) => error.code();
    Self::Patch(PatchRefusal::EditRefused { error: EditPolicyError::Scope(error) }) => error.code();
    Self::Patch(PatchRefusal::EditRefused { .. } | PatchRefusal::NotLocated { .. }) => ApplyError::CODE;
    Self::Lines(LinesRefusal::ContentChanged { .. } | LinesRefusal::Overlap { .. } | LinesRefusal::NoEffect) => ApplyError::CODE;
    Self::Lines(LinesRefusal::NoSuchLines { .. }) => "INVALID_RANGE";
    Self::History(HistoryRefusal::UserActed) => "USER_ACTED";
    Self::History(HistoryRefusal::HistoryEmpty { .. }) => "HISTORY_EMPTY";
    Self::History(HistoryRefusal::HistoryNotFound { .. }) => "HISTORY_NOT_FOUND";
    Self::History(HistoryRefusal::HistoryConflict { .. } | HistoryRefusal::EffectConflict { .. }) => "HISTORY_CONFLICT";
    Self::History(HistoryRefusal::PolicyWidening { .. }) => "POLICY_WIDENING";
    Self::History(HistoryRefusal::StateTooLarge { .. }) => "STATE_TOO_LARGE";
    Self::History(HistoryRefusal::HistoryTooDeep { .. }) => "HISTORY_TOO_DEEP";
    Self::History(HistoryRefusal::FaceNotSupported { .. }) => FACE_NOT_SUPPORTED;
    Self::History(HistoryRefusal::HistoryDamaged { .. }) => "HISTORY_DAMAGED";
    Self::Board(BoardRefusal::NoBoard) => "BOARD_NOT_FOUND";
    Self::Board(BoardRefusal::BoardDamaged) => "CANVAS_DAMAGED";
    Self::Board(BoardRefusal::StaleBoard { .. }) => "REVISION_CONFLICT";
    Self::NewBoard(NewBoardRefusal::BoardExists) => "BOARD_EXISTS";
    Self::NewBoard(NewBoardRefusal::InvalidBoard { .. }) => INVALID_BOARD;
    #[cfg(feature = "surface")]
    Self::Surface(refusal) => refusal.code(), refusal.retryable();
    #[cfg(feature = "recipe")]
    Self::Recipe(refusal) => refusal.code();
});

impl Refusal<'_> {
    /// Returns the reason, which distinguishes cases with the same code.
    pub fn reason(self) -> Option<&'static str> {
        Some(match self {
            Self::NotAvailable(NotAvailable::Held { .. }) => "HELD",
            Self::NotAvailable(NotAvailable::UserActive) => "USER_ACTIVE",
            Self::Base(BaseRefusal::StaleBase(_)) | Self::StaleEdit(_) => "STALE_BASE",
            Self::Patch(PatchRefusal::PatchRejected(error)) => error.reason().code(),
            Self::Patch(PatchRefusal::EditRefused { error: EditPolicyError::Scope(_) }) => return None,
            Self::Patch(PatchRefusal::EditRefused { error }) => error.code(),
            Self::Patch(PatchRefusal::NotLocated { .. }) => "NOT_LOCATED",
            Self::Lines(LinesRefusal::ContentChanged { .. }) => "CONTENT_CHANGED",
            Self::Lines(LinesRefusal::Overlap { .. }) => Reason::Overlap.code(),
            Self::Lines(LinesRefusal::NoEffect) => Reason::NoEffect.code(),
            _ => return None,
        })
    }
}

fn held(own: Option<LeaseId>) -> String {
    match own {
        Some(own) => format!("you have checked out the canvas already: go on with {own}"),
        None => "another conversation has checked out the canvas: try again when it is free".to_owned(),
    }
}

fn after_preemption(changes: Option<&Changes>) -> &'static str {
    match changes {
        Some(changes) if changes.is_shown() => "look at what changed",
        Some(_) => "what has changed is too much to be shown, so read the document",
        None => "the document is as you have seen it",
    }
}

fn not_owned(over: bool, own: Option<LeaseId>, held_until: Option<Timestamp>) -> String {
    let what =
        if over { "this lease is over: it ran out or was given back" } else { "this is not your lease" };
    match (own, held_until) {
        (Some(own), _) => format!("{what}, and yours is {own}: use that one"),
        (None, Some(_)) => {
            format!("{what}, and another conversation has checked out the canvas: check out when it is free")
        }
        (None, None) => format!("{what}: check out again"),
    }
}

impl LeaseRefusal {
    /// The refusal of an unknown lease.
    pub const NOT_OWNED: Self = Self::NotOwned { over: false, own: None, held_until: None };
}

const fn closed(rollout: Rollout) -> &'static str {
    match rollout {
        Rollout::Off => "the canvas tools are switched off: answer without them",
        Rollout::ReadOnly => "the canvas can only be read: say in your answer what you would change",
        _ => "there are no leases here: call the other tools without a lease_id",
    }
}

impl From<CheckOutError> for CheckOutRefusal {
    fn from(error: CheckOutError) -> Self {
        match error {
            CheckOutError::Held { until } => NotAvailable::Held { until, own: None }.into(),
            CheckOutError::UserActive => NotAvailable::UserActive.into(),
            CheckOutError::EpochExhausted => LimitRefusal::Exhausted { counter: Counter::Epoch }.into(),
            CheckOutError::FenceExhausted => LimitRefusal::Exhausted { counter: Counter::Fence }.into(),
        }
    }
}
