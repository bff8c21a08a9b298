//! Undo, redo and the journal: the record of all changes of a canvas, over all faces.
//!
//! [`Undo`], [`Redo`] and [`ClearHistory`] are commands. An [`Entry`] of the journal has at most one [`Step`] for each
//! face.
//!
//! # Reading the past
//!
//! [`Engine::document_at`](crate::Engine::document_at) returns the document of an earlier revision, and
//! [`Engine::diff`](crate::Engine::diff) compares two. [`Engine::blame`](crate::Engine::blame) tells who last wrote each
//! line. [`Restore`](crate::version::Restore) makes the document or other faces of an earlier revision the current ones,
//! and [`UndoScope::To`] undoes the later changes of all faces. If you need a revision for longer than the journal keeps
//! its entries, name it with [`NameVersion`](crate::version::NameVersion).
//!
//! # Which old blobs remain
//!
//! You can rely on the blobs that [`Engine::blobs_in_use`](crate::Engine::blobs_in_use) returns. These are the blobs of
//! the current head (the draft, the artefact and the texts that conversations know) and of the entries within
//! [`HistoryLimits::changes`](crate::policy::HistoryLimits::changes) and
//! [`HistoryLimits::effects`](crate::policy::HistoryLimits::effects). Any other blob may be gone after the next
//! [`Engine::collect`](crate::Engine::collect). In particular,
//! [`DocumentStep::before`](crate::document::DocumentStep::before) and `after` identify texts, but if the step has a
//! delta, their blobs need not exist. [`Engine::erase`](crate::Engine::erase), [`ClearHistory`] and the deletion of the
//! canvas end the history at once.

pub(crate) mod blame;
#[cfg(feature = "board")]
pub(crate) mod board;
pub(crate) mod cause;
mod effect;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod number;
pub(crate) mod past;
pub(crate) mod reach;
pub(crate) mod revert;
pub(crate) mod step;
pub(crate) mod track;

pub use self::blame::LineWriter;
pub use self::journal::{Entry, EntryKind, HistoryEntry, Reverts};
pub use self::number::{ChangeNumber, EntryNumber};
pub use self::past::{At, PastDocument, PastFaces};
pub use self::revert::{ChangeSelection, ChangesOf};
pub use self::step::Step;
pub use crate::engine::{BlamedLines, DocumentChanges, DocumentDiff, JournalReplay, Stacks};
pub use crate::model::journal_slot::JournalSlot;
pub use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
pub use crate::transition::undo::{
    ClearHistory, HistoryCleared, HistoryMove, KeptChange, Redo, RedoOf, Undo, UndoScope,
};
