//! A stream of the changes of one canvas, for hosts that forward them.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use canvas_lease::Timestamp;
use futures_core::Stream;

use super::watch::{Waited, Watch, next_until};
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
/// a `Follow` exists. It is a [`Stream`] that continues after an error, and ends when the store goes back to an earlier
/// state.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use std::sync::Arc;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
/// use canvas_core::document::Edit;
/// use canvas_core::history::EntryNumber;
/// use canvas_core::Follow;
///
/// # fn now() -> Timestamp { Timestamp::from_millis(1_000) }
/// # let engine = Arc::new(Engine::new(MemoryStore::new(now), Policy::default()));
/// # let plan = CanvasId::new("plan")?;
/// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now()).await?;
/// for item in ["one", "two"] {
///     let edit = Edit::overwrite(format!("# Plan\n\n- {item}\n"));
///     engine.call(&plan, &OpKey::user(item.parse()?), edit, now()).await?.result?;
/// }
/// // The client had the first change when its connection broke.
/// let mut follow = Follow::new(Arc::clone(&engine), &plan, Some(EntryNumber::new(1)), now);
/// let second = follow.next().await.ok_or("the store has not gone back")??;
/// assert_eq!(second.number.get(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub struct Follow<S> {
    engine: Arc<Engine<S>>,
    watch: Watch,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    /// Number of the last entry returned.
    after: EntryNumber,
    read: VecDeque<Entry>,
    /// The source of the entries after those in `read`.
    state: State,
}

/// A part of the journal, and the number of the journal's newest entry.
type Read = Pin<Box<dyn Future<Output = Result<(Vec<Entry>, u64), EngineError>> + Send>>;

enum State {
    /// All known changes were read.
    Watching,
    /// The journal may have more entries.
    Behind,
    /// A read of the journal is in flight. If the call is dropped, the next one continues the read.
    Reading(Read),
    /// The store went back to an earlier state, so each call returns `None`.
    Over,
}

impl<S: Store + 'static> Follow<S> {
    /// Follows a canvas from the entry after this number, or from the oldest kept entry if `after` is `None`. If the
    /// first entry that you get is not `after` + 1, the journal no longer has the entries in between, so the client
    /// must read the whole canvas again.
    ///
    /// `clock` is the host's clock. It is a function because a wait may last hours before the store is read.
    pub fn new(
        engine: Arc<Engine<S>>,
        canvas: &CanvasId,
        after: Option<EntryNumber>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Self {
        let (watch, after) = (engine.watch(canvas), after.unwrap_or(EntryNumber::new(0)));
        Self { engine, watch, clock: Box::new(clock), after, read: VecDeque::new(), state: State::Watching }
    }

    /// Waits for the next change. If you drop a call, no change is lost.
    ///
    /// Returns `None` if the store went back to a state before the last change, for example after a restore from a
    /// backup. The client's copy is then void, so the client must read the whole canvas again and start a new `Follow`
    /// from there.
    ///
    /// # Errors
    ///
    /// Returns [`EngineError::NotFound`] if the canvas does not exist or was deleted, and otherwise the errors of
    /// [`Engine::history`]. The next call tries again, so wait before you make it.
    pub async fn next(&mut self) -> Option<Result<Entry, EngineError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Waits for the next change until the deadline, like [`Watch::next_until`]. No change is lost if the deadline
    /// comes first, or if you drop a call.
    pub async fn next_until(&mut self, deadline: impl Future<Output = ()>) -> Waited<Entry> {
        next_until(self, deadline).await
    }

    fn read(&self) -> Read {
        let (engine, canvas) = (Arc::clone(&self.engine), self.watch.canvas().clone());
        let (after, now) = (self.after.get(), (self.clock)());
        Box::pin(async move { engine.read_after(&canvas, after, PAGE, now).await })
    }
}

impl<S: Store + 'static> Stream for Follow<S> {
    type Item = Result<Entry, EngineError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(entry) = self.read.pop_front() {
                self.after = entry.number;
                return Poll::Ready(Some(Ok(entry)));
            }
            self.state = match &mut self.state {
                State::Over => return Poll::Ready(None),
                State::Watching => {
                    let event = ready!(Pin::new(&mut self.watch).poll_next(context));
                    match event.expect("a watch ends with its engine, which is held here") {
                        Ok(event) if event.restored => State::Over,
                        Ok(_) => State::Behind,
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    }
                }
                State::Behind => State::Reading(self.read()),
                State::Reading(read) => match ready!(read.as_mut().poll(context)) {
                    Ok((_, newest)) if newest < self.after.get() => State::Over,
                    Ok((entries, _)) => {
                        let is_behind = entries.len() == PAGE;
                        self.read = entries.into();
                        if is_behind { State::Behind } else { State::Watching }
                    }
                    Err(error) => {
                        self.state = State::Behind;
                        return Poll::Ready(Some(Err(error)));
                    }
                },
            };
        }
    }
}

impl<S> fmt::Debug for Follow<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Follow({:?} after {})", self.watch.canvas(), self.after)
    }
}
