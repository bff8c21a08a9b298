//! A stream of the changes of one canvas, for hosts that forward them.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use canvas_lease::Timestamp;

use super::watch::Watch;
use super::{Engine, EngineError};
use crate::history::journal::Entry;
use crate::history::number::EntryNumber;
use crate::model::id::CanvasId;
use crate::store::contract::Store;

/// Entries read at once.
const PAGE: usize = 256;

/// Every change of one canvas, once and in order: first those that a client missed, then each one as it happens.
///
/// It combines a [`Watch`], which signals that something changed, with [`Engine::history_after`], which reads the
/// changes. So no queue builds up for a slow client, and a client that was away passes the number of the last entry
/// that it has. [`Engine::watch`] describes when commits of other processes are seen. The engine stays alive as long as
/// a `Follow` exists.
///
/// ```
/// # use std::sync::Arc;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CanvasId, Engine, OpKey, Policy, block_on};
/// use canvas_core::document::Edit;
/// use canvas_core::history::EntryNumber;
/// use canvas_core::Follow;
///
/// # fn now() -> Timestamp { Timestamp::from_millis(1_000) }
/// # let engine = Arc::new(Engine::new(MemoryStore::new(now), Policy::default()));
/// # let plan = CanvasId::new("plan")?;
/// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now()))?;
/// for item in ["one", "two"] {
///     let edit = Edit::replace(format!("# Plan\n\n- {item}\n"));
///     block_on(engine.call(&plan, &OpKey::user(item.parse()?), edit, now()))?.result?;
/// }
/// // The client had the first change when its connection broke.
/// let mut follow = Follow::new(Arc::clone(&engine), &plan, Some(EntryNumber::new(1)));
/// let second = block_on(follow.next(now)).ok_or("the store has not gone back")??;
/// assert_eq!(second.number.get(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Follow<S> {
    engine: Arc<Engine<S>>,
    watch: Watch,
    after: EntryNumber,
    read: VecDeque<Entry>,
    /// The watch signalled a change that the journal read has not returned yet.
    is_behind: bool,
    is_over: bool,
}

impl<S: Store + 'static> Follow<S> {
    /// Follows a canvas from the entry after this number, or from the oldest kept entry if `after` is `None`. If the
    /// first entry that you get is not `after` + 1, the journal no longer has those in between, so the client must read
    /// the whole canvas again.
    pub fn new(engine: Arc<Engine<S>>, canvas: &CanvasId, after: Option<EntryNumber>) -> Self {
        let (watch, after) = (engine.watch(canvas), after.unwrap_or(EntryNumber::new(0)));
        Self { engine, watch, after, read: VecDeque::new(), is_behind: false, is_over: false }
    }

    /// Waits for the next change. If you drop a call, no change is lost.
    ///
    /// Returns `None` if the store went back to a state before the last change, for example after a restore from a
    /// backup. The client's copy is then void, so it reads the whole canvas again and starts a new `Follow` from there.
    ///
    /// `now` is a function that reads the host's clock, because a call may wait for hours before it asks the store.
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`] if the canvas does not exist or was deleted, and otherwise the errors of
    /// [`Engine::history`]. The next call tries again, so wait before you make it.
    #[expect(clippy::missing_panics_doc, reason = "a watch ends with its engine, which is held here")]
    pub async fn next(&mut self, now: impl Fn() -> Timestamp) -> Option<Result<Entry, EngineError>> {
        loop {
            if let Some(entry) = self.read.pop_front() {
                self.after = entry.number;
                return Some(Ok(entry));
            }
            if self.is_over {
                return None;
            }
            if !self.is_behind {
                match self.watch.next().await.expect("the engine is held here") {
                    Ok(event) => (self.is_behind, self.is_over) = (true, event.restored),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            }
            let read = self.engine.read_after(self.watch.canvas(), self.after.get(), PAGE, now()).await;
            match read {
                Ok((entries, newest)) => {
                    self.is_over = newest < self.after.get();
                    self.is_behind = entries.len() == PAGE;
                    self.read = entries.into();
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<S> fmt::Debug for Follow<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Follow({:?} after {})", self.watch.canvas(), self.after)
    }
}
