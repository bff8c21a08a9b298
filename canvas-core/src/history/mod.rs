//! Undo, redo and the journal: the record of all changes of a canvas, over all faces.
//!
//! [`Undo`], [`Redo`] and [`ClearHistory`] are commands. An [`Entry`] of the journal has at most one [`Step`] for each
//! face.
//!
//! # Reading the document at an old revision
//!
//! No single call does this. Start from the current text and revert the entries after that revision, newest first:
//!
//! ```
//! # canvas_core::testing::block_on(async {
//! # use canvas_core::lease::Timestamp;
//! # use canvas_core::store::{MemoryStore, Store};
//! # use canvas_core::{CanvasId, Engine, EngineError, OpKey, Policy, Revision};
//! use canvas_core::document::{DocumentStep, Edit};
//! use canvas_core::history::Step;
//!
//! /// `None` if the kept history does not lead back to the revision.
//! async fn text_at<S: Store>(
//!     engine: &Engine<S>,
//!     canvas: &CanvasId,
//!     revision: Revision,
//!     now: Timestamp,
//! ) -> Result<Option<String>, EngineError> {
//!     let snapshot = engine.snapshot(canvas, now).await?;
//!     let (mut text, mut at) = (snapshot.text().to_owned(), snapshot.head.revision());
//!     for entry in engine.history(canvas, None, 1_000, now).await? {
//!         if at <= revision {
//!             break;
//!         }
//!         if entry.revision_after > at {
//!             continue; // committed after the snapshot
//!         }
//!         if let Step::Document(DocumentStep { before, delta, .. }) = &entry.step {
//!             match delta {
//!                 Some(delta) if delta.revert(&mut text).is_err() => return Ok(None),
//!                 Some(_) => {}
//!                 // The change is larger than `HistoryLimits::entry_bytes`, so both texts are kept instead.
//!                 None => match engine.document(canvas, *before).await? {
//!                     Some(older) => text = older.as_text().unwrap_or_default().to_owned(),
//!                     None => return Ok(None),
//!                 },
//!             }
//!         }
//!         at = entry.revision_before;
//!     }
//!     Ok((at == revision).then_some(text))
//! }
//!
//! # let now = Timestamp::from_millis(1_000);
//! # let mut policy = Policy::default();
//! # policy.history.entry_bytes = 8;
//! # let engine = Engine::new(MemoryStore::new(move || now), policy);
//! # let plan = CanvasId::new("plan")?;
//! # engine.create(&plan, "- a\n", &OpKey::host("create".parse()?), now).await?;
//! let first = engine.snapshot(&plan, now).await?.head.revision();
//! for text in ["- a\n- b\n", "- b\n", "something longer\n"] {
//!     engine.call(&plan, &OpKey::user(text.parse()?), Edit::overwrite(text), now).await?.result?;
//! }
//! assert_eq!(text_at(&engine, &plan, first, now).await?.as_deref(), Some("- a\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # }).unwrap();
//! ```
//!
//! The example reads one page of the history. If more than 1,000 entries came after the revision, read further pages with
//! `before`. To make an old text the current one instead, use [`UndoScope::To`], which
//! undoes the later changes of all faces. If you need a text for longer than the
//! journal keeps its entries, store it yourself.
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

#[cfg(feature = "board")]
pub(crate) mod board;
pub(crate) mod cause;
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
pub use self::revert::{ChangeSelection, ChangesOf};
pub use self::step::Step;
pub use crate::engine::{JournalReplay, Stacks};
pub use crate::model::journal_slot::JournalSlot;
pub use crate::transition::refusal::{HistoryRefusal, UndoRefusal};
pub use crate::transition::undo::{
    ClearHistory, HistoryCleared, HistoryMove, KeptChange, Redo, RedoOf, Undo, UndoScope,
};
