//! Errors of refused commands.
//!
//! A command's refusal is composed of a few shared groups, so that callers match only the refusals that the command can
//! produce. To render any refusal, use the borrowed [`Refusal`] from [`Refused::view`].
//!
//! The enums of refusals are exhaustive, so a new refusal does not compile until `canvas-tools` has advice for models
//! about it. Only [`Refusal`] is non-exhaustive, because each new face may add a group.
//!
//! Receipts keep refusals as JSON, distinguished by the member `refusal`. The names of variants and fields are
//! therefore part of the stored format.

use std::borrow::Cow;

use canvas_lease::{CheckOutError, Epoch, LeaseId, Timestamp};
use canvas_patch::{ApplyError, EditPolicyError, LineRange, PartId, Reason, StructureError};
use serde::{Deserialize, Serialize};

use crate::document::changes::Changes;
use crate::document::replace::LinesRefusal;
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::model::error::CodedError;
use crate::model::face::{FACE_NOT_SUPPORTED, Face, INVALID_BOARD, not_supported};
use crate::model::revision::Revision;
use crate::proposal::owner::Owner;
#[cfg(feature = "recipe")]
use crate::recipe::refusal::RecipeRefusal;
#[cfg(feature = "surface")]
use crate::surface::refusal::SurfaceRefusal;
use crate::transition::rollout::Rollout;
use crate::transition::stale::{StaleBase, StaleEdit};
use crate::version::label::VersionLabel;

/// The common interface of all refusals. A refusal is an answer, so it leaves a receipt if the command's answer would.
pub trait Refused: CodedError {
    /// Returns the refusal in its group, so that one function can render the refusals of all commands.
    fn view(&self) -> Refusal<'_>;
}

/// Implements [`CodedError`] for refusals by their view.
macro_rules! coded_by_view {
    ($($type:ty),+ $(,)?) => {$(
        impl CodedError for $type {
            fn code(&self) -> &'static str {
                self.view().code()
            }

            fn reason(&self) -> Option<&'static str> {
                self.view().reason()
            }

            fn place(&self) -> Option<Cow<'_, str>> {
                place(self.view())
            }

            fn is_retryable(&self) -> bool {
                self.view().is_retryable()
            }
        }
    )+};
}

coded_by_view! {
    CallRefusal, NotAvailable, LeaseRefusal, LimitRefusal, BaseRefusal, StaleEdit, PatchRefusal, LinesRefusal,
    StructureRefusal,
    HistoryRefusal, ProposalRefusal, VersionRefusal, BoardRefusal, NewBoardRefusal,
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

        impl std::error::Error for Refusal<'_> {}

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
    Call(CallRefusal): "Refusals of any call.",
    NotAvailable(NotAvailable): "Another lease is valid, or the turn is over.",
    Lease(LeaseRefusal): "Refusals of the holder of a lease.",
    Limit(LimitRefusal): "A counter or a size is at its limit.",
    Base(BaseRefusal): "The document changed after the base of the call.",
    StaleEdit(StaleEdit): "A user's text is based on an older document.",
    Patch(PatchRefusal): "A patch does not apply.",
    Lines(LinesRefusal): "Lines differ from those that their author expects.",
    Structure(StructureRefusal): "An edit of the structure is refused.",
    History(HistoryRefusal): "The history cannot undo or redo the change.",
    Proposal(ProposalRefusal): "A proposal or a decision is refused.",
    Version(VersionRefusal): "A command on named versions is refused.",
    Board(BoardRefusal): "The board is missing, unreadable or newer than the command.",
    NewBoard(NewBoardRefusal): "A new board is refused.",
    #[cfg(feature = "surface")]
    Surface(SurfaceRefusal): "A surface refuses the command.",
    #[cfg(feature = "recipe")]
    Recipe(RecipeRefusal): "There is no such recipe, or it is invalid.",
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

        coded_by_view!($name);
    )+};
}

composed! {
    /// Refusals of [`CheckOut`](crate::lease::CheckOut).
    CheckOutRefusal { Call(CallRefusal), NotAvailable(NotAvailable), Limit(LimitRefusal) }

    /// Refusals of calls under a lease without changes of content, which are [`Renew`](crate::lease::Renew),
    /// [`CheckIn`](crate::lease::CheckIn) and [`Read`](crate::document::Read).
    HolderRefusal { Call(CallRefusal), Lease(LeaseRefusal) }

    /// Refusals of [`ApplyPatch`](crate::document::ApplyPatch).
    ApplyPatchRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), Patch(PatchRefusal),
        Limit(LimitRefusal),
    }

    /// Refusals of [`ReplaceLines`](crate::document::ReplaceLines).
    ReplaceLinesRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), Lines(LinesRefusal),
        Patch(PatchRefusal), Limit(LimitRefusal),
    }

    /// Refusals of [`EditStructure`](crate::document::EditStructure).
    EditStructureRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), StaleEdit(StaleEdit),
        Structure(StructureRefusal), Patch(PatchRefusal), Limit(LimitRefusal),
    }

    /// Refusals of [`Edit`](crate::document::Edit).
    EditRefusal { Call(CallRefusal), Limit(LimitRefusal), StaleEdit(StaleEdit) }

    /// Refusals of [`HostEdit`](crate::document::HostEdit).
    HostEditRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Base(BaseRefusal), Patch(PatchRefusal), Limit(LimitRefusal),
    }

    /// Refusals of [`Propose`](crate::proposal::Propose).
    ProposeRefusal {
        Call(CallRefusal), Proposal(ProposalRefusal), Patch(PatchRefusal), Limit(LimitRefusal),
    }

    /// Refusals of [`DecideParts`](crate::proposal::DecideParts) and [`Withdraw`](crate::proposal::Withdraw).
    DecisionRefusal { Call(CallRefusal), Proposal(ProposalRefusal), Limit(LimitRefusal) }

    /// Refusals of [`NameVersion`](crate::version::NameVersion), [`RenameVersion`](crate::version::RenameVersion) and
    /// [`RemoveVersion`](crate::version::RemoveVersion).
    VersionCommandRefusal { Call(CallRefusal), Version(VersionRefusal) }

    /// Refusals of [`Restore`](crate::version::Restore).
    RestoreRefusal {
        Call(CallRefusal), Version(VersionRefusal), History(HistoryRefusal), Limit(LimitRefusal),
    }

    /// Refusals of [`Undo`](crate::history::Undo) and [`Redo`](crate::history::Redo).
    UndoRefusal {
        Call(CallRefusal), Lease(LeaseRefusal), NotAvailable(NotAvailable), History(HistoryRefusal),
        Proposal(ProposalRefusal), Board(BoardRefusal), Patch(PatchRefusal), Limit(LimitRefusal),
    }
}

#[cfg(feature = "board")]
composed! {
    /// Refusals of [`CreateBoard`](crate::board::CreateBoard).
    CreateBoardRefusal { Call(CallRefusal), NewBoard(NewBoardRefusal), Limit(LimitRefusal) }

    /// Refusals of [`RunBoardCommand`](crate::board::RunBoardCommand), except those by the board itself.
    BoardCommandRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Board(BoardRefusal), Limit(LimitRefusal),
    }
}

#[cfg(feature = "surface")]
composed! {
    /// Refusals of commands on a surface.
    SurfaceCommandRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Surface(SurfaceRefusal), Limit(LimitRefusal),
    }
}

#[cfg(feature = "recipe")]
composed! {
    /// Refusals of commands on recipes.
    RecipeCommandRefusal {
        Call(CallRefusal), NotAvailable(NotAvailable), Recipe(RecipeRefusal), Limit(LimitRefusal),
    }
}

/// Refusals of any call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum CallRefusal {
    /// The rollout does not let models use this command.
    #[error("{}", closed(*rollout))]
    Disabled {
        /// The rollout of the canvas tools.
        rollout: Rollout,
    },
    /// The canvas is kept in Git, and the canvas tools do not work there.
    #[error("this canvas is kept in Git, where the canvas tools do not work: answer without them")]
    GitMode,
    /// An earlier call with other arguments used the same call id.
    #[error("this call id was used before with other arguments: send the call with a new id")]
    CallIdReused,
    /// The proposals of the canvas cannot be read.
    #[error("the proposals cannot be read: restore the store from a backup, or update the library")]
    ProposalsDamaged,
    /// [`Engine::resolve`](crate::Engine::resolve) abandoned the call before it was applied, or its answer was erased.
    #[error(
        "this call was abandoned before it was done, or its answer was erased: look at the canvas, and send it with a new id if it is still to be done"
    )]
    Abandoned,
}

/// Another lease is valid, or the turn is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum NotAvailable {
    /// Another lease is valid.
    #[error("{}", held(*own))]
    Held {
        /// Expiry of that lease unless it is renewed.
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        until: Timestamp,
        /// Id of the lease if it belongs to the caller.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        own: Option<LeaseId>,
    },
    /// The user ended the turn of this call.
    #[error("the user has ended this turn: stop editing and wait for the next user message")]
    UserActive,
}

/// Refusals of the holder of a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LeaseRefusal {
    /// The user preempted the lease, so its epoch is over.
    #[error("the user has stepped in and this lease is over: {}", after_preemption(changes.as_ref()))]
    StaleEpoch {
        /// Current epoch of the canvas, above the epoch of the lease.
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        current: Epoch,
        /// Changes since this conversation last saw the document, if there are any.
        changes: Option<Changes>,
    },
    /// The lease is not this conversation's current one.
    #[error("{}", not_owned(*over, *own, *held_until))]
    NotOwned {
        /// Whether the lease existed, and then expired or was checked in.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        over: bool,
        /// Id of the valid lease of this conversation, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
        own: Option<LeaseId>,
        /// Expiry of the valid lease of another conversation unless it is renewed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "schema", schemars(with = "Option<u64>"))]
        held_until: Option<Timestamp>,
    },
    /// The lease expired before the call.
    #[error("this lease has expired: check out again")]
    Expired {
        /// Expiry of the lease, by the store's clock.
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        at: Timestamp,
    },
    /// The number of calls under this lease is at its limit.
    #[error("this lease has made {limit} calls: check in, then check out again")]
    TooManyCalls {
        /// Maximum number of calls under one lease.
        limit: usize,
    },
}

/// A counter or a size is at its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum LimitRefusal {
    /// A counter of the canvas reached its maximum.
    #[error("this canvas has used up its {counter}: ask the user to go on in a new canvas")]
    Exhausted {
        /// The counter that is at its maximum value.
        counter: Counter,
    },
    /// The document would be larger than the policy allows.
    #[error("the document would have {bytes} bytes, the limit is {limit}: shorten it or begin a new canvas")]
    TooLarge {
        /// Size of the document in bytes.
        bytes: usize,
        /// Maximum size in bytes.
        limit: usize,
    },
    /// A proposal would have too many parts.
    #[error("the proposal would have more than {limit} parts: ask for a decision on those that there are")]
    TooManyParts {
        /// Maximum number of parts.
        limit: usize,
    },
    /// The canvas would have too many proposals.
    #[error("the canvas would have more than {limit} open proposals: ask for a decision on one of them")]
    TooManyProposals {
        /// Maximum number of proposals.
        limit: usize,
    },
    /// The proposals would have too much text.
    #[error("the proposals would have {bytes} bytes of text, the limit is {limit}: make a smaller change")]
    ProposalsTooLarge {
        /// Bytes of text in all proposals of the canvas.
        bytes: usize,
        /// Maximum size in bytes.
        limit: usize,
    },
}

/// A proposal or a decision is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum ProposalRefusal {
    /// The owner has no open proposal.
    #[error("{owner} has no open proposal: look at the list of proposals")]
    ProposalNotFound {
        /// The person or the conversation in the request.
        owner: Owner,
    },
    /// No open proposal has the part.
    #[error("no open proposal has the part {part}: look at the list of proposals")]
    PartNotFound {
        /// Id of the part in the request.
        part: PartId,
    },
    /// Another change touched the words of the part.
    #[error("another change touched the words of {part}: ask its owner to propose it again, or reject it")]
    PartStale {
        /// Id of the part.
        part: PartId,
    },
    /// The part differs from the one shown to the person.
    #[error("{part} has changed since it was shown: look at it again, then decide")]
    PartChanged {
        /// Id of the part.
        part: PartId,
    },
    /// The decision both accepts and rejects the part.
    #[error("{part} is both accepted and rejected: choose one of these")]
    DecidedTwice {
        /// Id of the part.
        part: PartId,
    },
    /// A model tried to decide.
    #[error("a model does not decide on proposals: leave the decision to a person")]
    DecisionByModel,
    /// The note of a rejection is too long.
    #[error("the note has {bytes} bytes, the limit is {limit}: shorten it")]
    NoteTooLong {
        /// Length of the note in bytes.
        bytes: usize,
        /// Maximum length in bytes.
        limit: usize,
    },
    /// The reason of a part is too long.
    #[error("the reason has {bytes} bytes, the limit is {limit}: shorten it")]
    ReasonTooLong {
        /// Length of the reason in bytes.
        bytes: usize,
        /// Maximum length in bytes.
        limit: usize,
    },
}

/// A command on named versions is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum VersionRefusal {
    /// Another version has the label.
    #[error("there is a version {label} already: choose another label")]
    VersionExists {
        /// The label in the request.
        label: VersionLabel,
    },
    /// No version has the label.
    #[error("there is no version {label}: look at the list of versions")]
    VersionNotFound {
        /// The label in the request.
        label: VersionLabel,
    },
    /// The canvas has as many versions as it may have.
    #[error("the canvas has {limit} versions, which is the limit: remove one first")]
    TooManyVersions {
        /// Maximum number of versions.
        limit: usize,
    },
    /// The note of a version is too long.
    #[error("the note has {bytes} bytes, the limit is {limit}: shorten it")]
    VersionNoteTooLong {
        /// Length of the note in bytes.
        bytes: usize,
        /// Maximum length in bytes.
        limit: usize,
    },
    /// A model tried to name, rename, remove or restore a version.
    #[error("a model does not change versions: leave that to a person")]
    VersionByModel,
    /// The faces to name or restore come from another canvas, or a deletion, an erasure or a collection dropped them.
    #[error("the canvas does not have this content: read it again")]
    DocumentNotFound,
    /// The faces to restore equal the current ones.
    #[error("the canvas has this content already: leave it, or name another version")]
    NothingToRestore,
    /// The stored versions, or a face to restore, are not readable.
    #[error("the versions or a face of the canvas cannot be read: restore the store from a backup")]
    VersionsDamaged,
}

/// The document differs from the base of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum BaseRefusal {
    /// The document changed after the base of the call.
    #[error("{0}")]
    StaleBase(Box<StaleBase>),
}

/// A patch does not apply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum PatchRefusal {
    /// The patch has conflicts and is not applied.
    #[error("{0}")]
    PatchRejected(ApplyError),
    /// The patch fits, but changes lines outside its scope, or structure that the policy protects. A scope that the
    /// document lacks has its own code and no reason.
    #[error("{error}")]
    EditRefused {
        /// The violated rule and its place.
        error: EditPolicyError,
    },
    /// The patch fits, but changes lines that its author did not search, read or list in this turn.
    #[error(
        "lines {start} to {end} were neither searched, read nor listed in this turn: read them, then send the patch again",
        start = lines.start, end = lines.end
    )]
    NotLocated {
        /// The first of these lines, with adjacent ones.
        lines: LineRange,
    },
}

/// An edit of the structure is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum StructureRefusal {
    /// The document has no such place, or the edit does not fit there.
    #[error("{error}")]
    StructureRejected {
        /// The reason, with candidates if there are any.
        error: StructureError,
    },
}

/// The history cannot undo or redo a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum HistoryRefusal {
    /// The user acted after the model's turn began, so the model may not undo.
    #[error(
        "the user has changed the canvas since your turn began: look at the changes, and edit instead of undoing"
    )]
    UserActed,
    /// The history has fewer changes to undo or redo than requested.
    #[error("the history has only {available} of {asked} changes: ask for no more than there are")]
    HistoryEmpty {
        /// Number of requested changes.
        asked: u32,
        /// Number of available changes.
        available: u32,
    },
    /// No change of this actor is in effect.
    #[error("no change of theirs is in effect: look at the history for what there is to undo")]
    NothingToUndo,
    /// The person has no undo to redo, or changed something after it.
    #[error(
        "this person undid nothing, or has made a change since: look at the history and undo the undo itself"
    )]
    NothingToRedo,
    /// The request names an edit that the change does not have.
    #[error(
        "change {change} has {count} edits, numbered from 0, and no edit {edit}: take a number below {count}"
    )]
    EditNotFound {
        /// Number of the change in the request.
        change: ChangeNumber,
        /// Number of the edit in the request.
        edit: u32,
        /// Number of edits of the change.
        count: usize,
    },
    /// A model may not undo what another actor did.
    #[error("change {change} is not of this conversation: undo only your own changes, or ask the user")]
    NotOwnChange {
        /// Number of a change that somebody else made.
        change: ChangeNumber,
    },
    /// The change with this number is not in effect.
    #[error(
        "change {change} is not in effect, because it was taken back, forgotten or never made: take a number from the history"
    )]
    HistoryNotFound {
        /// Number of the change in the request.
        change: ChangeNumber,
    },
    /// A later change touches the change to be undone.
    #[error("change {with} touches what change {change} did: take change {with} back first")]
    HistoryConflict {
        /// The change that the request would undo.
        change: ChangeNumber,
        /// The later change that touches it.
        with: ChangeNumber,
    },
    /// A tool or a job later changed the same place, so the value to restore is unknown.
    #[error(
        "{path:?} was changed by entry {effect}, a tool's result, after change {change}: set what it should be"
    )]
    EffectConflict {
        /// The change to be undone or redone.
        change: ChangeNumber,
        /// Place of the change, as a JSON Pointer into the state.
        path: String,
        /// The last effect that touched the place.
        effect: EntryNumber,
    },
    /// The model's undo or redo would allow the surface more than its current spec.
    #[error("without change {change} the surface may do more than now: ask the user to undo it")]
    PolicyWidening {
        /// The change to be undone or redone.
        change: ChangeNumber,
    },
    /// The state of the surface would grow beyond its limit.
    #[error("the state would have {bytes} bytes, the limit is {limit}: remove something from it first")]
    StateTooLarge {
        /// Resulting size in bytes.
        bytes: usize,
        /// Maximum size in bytes.
        limit: usize,
    },
    /// Too many later changes follow the one to be undone.
    #[error(
        "more than {limit} later changes would have to be moved: undo step by step, or name a later revision"
    )]
    HistoryTooDeep {
        /// Maximum number of later changes.
        limit: usize,
    },
    /// A change belongs to a face that this build does not support.
    #[error("{}", not_supported(*face))]
    FaceNotSupported {
        /// The face of the change, which lacks support in this build.
        face: Face,
    },
    /// An entry of the journal is damaged.
    #[error("entry {entry} of the history is damaged: restore it from a backup, or clear the history")]
    HistoryDamaged {
        /// The damaged entry, or the last readable one above it.
        entry: EntryNumber,
    },
}

/// The board is missing, unreadable or newer than the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum BoardRefusal {
    /// The canvas lacks a board, so create one first.
    #[error("this canvas has no board: make one first")]
    NoBoard,
    /// The stored board cannot be read.
    #[error("the board cannot be read: restore the store from a backup, or update the library")]
    BoardDamaged,
    /// The board changed after the base of the command.
    #[error("the board has changed since revision {}: look at it again and make the command anew", base.get())]
    StaleBoard {
        /// Revision of the board on which the command is based.
        base: Revision,
        /// The revision that last changed the board.
        current: Revision,
    },
}

/// Refusals of a new board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "refusal", rename_all = "snake_case")]
pub enum NewBoardRefusal {
    /// The canvas already has a board.
    #[error("this canvas has a board already: change that one")]
    BoardExists,
    /// The workspace is not a valid board.
    #[error("{message}")]
    InvalidBoard {
        /// One sentence with the fault and the next step.
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

impl CodedError for Refusal<'_> {
    fn code(&self) -> &'static str {
        match self {
            Self::Call(CallRefusal::Disabled { .. }) => "TOOL_DISABLED",
            Self::Call(CallRefusal::GitMode) => "GIT_MODE_UNSUPPORTED",
            Self::Call(CallRefusal::CallIdReused) => "CALL_ID_REUSED",
            Self::Call(CallRefusal::Abandoned) => "CALL_ABANDONED",
            Self::Call(CallRefusal::ProposalsDamaged) => "CANVAS_DAMAGED",
            Self::NotAvailable(_) => "LOCK_NOT_AVAILABLE",
            Self::Lease(LeaseRefusal::StaleEpoch { .. }) => "STALE_EPOCH",
            Self::Lease(LeaseRefusal::NotOwned { .. }) => "LOCK_NOT_OWNED",
            Self::Lease(LeaseRefusal::Expired { .. }) => "LEASE_EXPIRED",
            Self::Lease(LeaseRefusal::TooManyCalls { .. }) => "TOO_MANY_CALLS",
            Self::Limit(LimitRefusal::Exhausted { counter: Counter::Epoch }) => "EPOCH_EXHAUSTED",
            Self::Limit(LimitRefusal::Exhausted { counter: Counter::Fence }) => "FENCE_EXHAUSTED",
            Self::Limit(LimitRefusal::Exhausted { counter: Counter::Revision }) => "REVISION_EXHAUSTED",
            Self::Limit(LimitRefusal::TooLarge { .. }) => "DOCUMENT_TOO_LARGE",
            Self::Limit(LimitRefusal::TooManyParts { .. }) => "TOO_MANY_PARTS",
            Self::Limit(LimitRefusal::TooManyProposals { .. }) => "TOO_MANY_PROPOSALS",
            Self::Limit(LimitRefusal::ProposalsTooLarge { .. }) => "PROPOSALS_TOO_LARGE",
            Self::Patch(PatchRefusal::EditRefused { error: EditPolicyError::Scope(error) }) => error.code(),
            Self::Lines(LinesRefusal::NoSuchLines { .. }) => "INVALID_RANGE",
            Self::Structure(StructureRefusal::StructureRejected { error }) => error.code(),
            Self::Base(_) | Self::StaleEdit(_) | Self::Patch(_) | Self::Lines(_) => ApplyError::CODE,
            Self::History(HistoryRefusal::UserActed) => "USER_ACTED",
            Self::History(HistoryRefusal::HistoryEmpty { .. }) => "HISTORY_EMPTY",
            Self::History(HistoryRefusal::NothingToUndo) => "NOTHING_TO_UNDO",
            Self::History(HistoryRefusal::NothingToRedo) => "NOTHING_TO_REDO",
            Self::History(HistoryRefusal::EditNotFound { .. }) => "EDIT_NOT_FOUND",
            Self::History(HistoryRefusal::NotOwnChange { .. }) => "NOT_OWN_CHANGE",
            Self::History(HistoryRefusal::HistoryNotFound { .. }) => "HISTORY_NOT_FOUND",
            Self::History(HistoryRefusal::HistoryConflict { .. } | HistoryRefusal::EffectConflict { .. }) => {
                "HISTORY_CONFLICT"
            }
            Self::History(HistoryRefusal::PolicyWidening { .. }) => "POLICY_WIDENING",
            Self::History(HistoryRefusal::StateTooLarge { .. }) => "STATE_TOO_LARGE",
            Self::History(HistoryRefusal::HistoryTooDeep { .. }) => "HISTORY_TOO_DEEP",
            Self::History(HistoryRefusal::FaceNotSupported { .. }) => FACE_NOT_SUPPORTED,
            Self::History(HistoryRefusal::HistoryDamaged { .. }) => "HISTORY_DAMAGED",
            Self::Proposal(ProposalRefusal::ProposalNotFound { .. }) => "PROPOSAL_NOT_FOUND",
            Self::Proposal(ProposalRefusal::PartNotFound { .. }) => "PART_NOT_FOUND",
            Self::Proposal(ProposalRefusal::PartStale { .. }) => "PART_STALE",
            Self::Proposal(ProposalRefusal::PartChanged { .. }) => "PART_CHANGED",
            Self::Proposal(ProposalRefusal::DecidedTwice { .. }) => "INVALID_ARGUMENTS",
            Self::Proposal(ProposalRefusal::DecisionByModel) => "DECISION_BY_MODEL",
            Self::Proposal(ProposalRefusal::NoteTooLong { .. }) => "NOTE_TOO_LONG",
            Self::Proposal(ProposalRefusal::ReasonTooLong { .. }) => "REASON_TOO_LONG",
            Self::Version(VersionRefusal::VersionExists { .. }) => "VERSION_EXISTS",
            Self::Version(VersionRefusal::VersionNotFound { .. }) => "VERSION_NOT_FOUND",
            Self::Version(VersionRefusal::TooManyVersions { .. }) => "TOO_MANY_VERSIONS",
            Self::Version(VersionRefusal::VersionNoteTooLong { .. }) => "NOTE_TOO_LONG",
            Self::Version(VersionRefusal::VersionByModel) => "DECISION_BY_MODEL",
            Self::Version(VersionRefusal::DocumentNotFound) => "REVISION_NOT_FOUND",
            Self::Version(VersionRefusal::NothingToRestore) => "NO_EFFECT",
            Self::Version(VersionRefusal::VersionsDamaged) => "CANVAS_DAMAGED",
            Self::Board(BoardRefusal::NoBoard) => "BOARD_NOT_FOUND",
            Self::Board(BoardRefusal::BoardDamaged) => "CANVAS_DAMAGED",
            Self::Board(BoardRefusal::StaleBoard { .. }) => "REVISION_CONFLICT",
            Self::NewBoard(NewBoardRefusal::BoardExists) => "BOARD_EXISTS",
            Self::NewBoard(NewBoardRefusal::InvalidBoard { .. }) => INVALID_BOARD,
            #[cfg(feature = "surface")]
            Self::Surface(refusal) => refusal.code(),
            #[cfg(feature = "recipe")]
            Self::Recipe(refusal) => refusal.code(),
        }
    }

    fn reason(&self) -> Option<&'static str> {
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

    fn place(&self) -> Option<Cow<'_, str>> {
        place(*self)
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::NotAvailable(NotAvailable::Held { .. }) => true,
            #[cfg(feature = "surface")]
            Self::Surface(refusal) => refusal.is_retryable(),
            _ => false,
        }
    }
}

fn place(refusal: Refusal<'_>) -> Option<Cow<'_, str>> {
    match refusal {
        #[cfg(feature = "surface")]
        Refusal::Surface(refusal) => refusal.place(),
        #[cfg(feature = "recipe")]
        Refusal::Recipe(refusal) => refusal.place(),
        _ => None,
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
