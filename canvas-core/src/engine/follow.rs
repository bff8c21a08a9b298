//! The changes of a canvas one by one, for hosts that send them on.

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

/// Entries that are read at once.
const PAGE: usize = 256;

/// Every change of one canvas, once and in order: first those that a client has missed, then each as it happens.
///
/// It is a [`Watch`], which says that something has changed, and [`Engine::history_after`], which says what: so nothing queues
/// for a client that is slow, and one that was away names the number of the last entry that it has. What is known, and when, of
/// commits of other processes is said at [`Engine::watch`]. The engine stays as long as somebody follows.
///
/// ```
/// # use std::sync::Arc;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
/// use canvas_core::document::Edit;
/// use canvas_core::history::EntryNumber;
/// use canvas_core::Follow;
///
/// # fn now() -> Timestamp { Timestamp::from_millis(1_000) }
/// # let engine = Arc::new(Engine::new(MemoryStore::new(now), Policy::default()));
/// # let plan = CanvasId::new("plan")?;
/// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now()))?;
/// for item in ["one", "two"] {
///     let edit = Edit::replace(format!("# Plan\n\n- {item}\n"));
///     block_on(engine.call(&plan, &OpKey::user(CallId::new(item)?), edit, now()))?.result?;
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
    /// The watch has told of something that is not read yet.
    is_behind: bool,
    is_over: bool,
}

impl<S: Store + 'static> Follow<S> {
    /// The changes after the entry of this number, or all that are kept. The first entry is not `after` + 1 where those between
    /// are no longer kept; a client then reads the canvas anew.
    pub fn new(engine: Arc<Engine<S>>, canvas: &CanvasId, after: Option<EntryNumber>) -> Self {
        let (watch, after) = (engine.watch(canvas), after.unwrap_or(EntryNumber::new(0)));
        Self { engine, watch, after, read: VecDeque::new(), is_behind: false, is_over: false }
    }

    /// The next change; it waits until there is one. A call that is dropped loses none.
    ///
    /// `None` where the store has gone back to before the last change, as after a restore from a backup: what the client has is
    /// void, so it reads the canvas anew and follows it from there.
    ///
    /// `now` reads the host's clock, because a call may wait for hours before it asks the store.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`] where there is no canvas, or it was deleted; else as [`Engine::history`]. The next call tries
    /// again, so wait before it.
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
