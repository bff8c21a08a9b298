//! Undo, redo and the journal: the record of all changes of a canvas, over all faces.
//!
//! [`Undo`], [`Redo`] and [`ClearHistory`] are commands. An [`Entry`] of the journal has at most one [`Step`] for each
//! face.

#[cfg(feature = "board")]
pub(crate) mod board;
mod effect;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod number;
pub(crate) mod reach;
pub(crate) mod revert;
pub(crate) mod step;
pub(crate) mod track;

pub use self::journal::{Entry, EntryKind, HistoryEntry, Reverts};
pub use self::number::{ChangeNumber, EntryNumber};
pub use self::step::Step;
pub use crate::engine::{Replay, Stacks};
pub use crate::model::journal_slot::JournalSlot;
pub use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
pub use crate::transition::undo::{ClearHistory, HistoryCleared, HistoryMove, Redo, Undo, UndoScope};
