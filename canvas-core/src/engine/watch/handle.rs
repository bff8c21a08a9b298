//! A watcher in the host's hand.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::event::WatchEvent;
use super::hub::{Hub, Watches};
use super::slot::{Load, Slot, Step};
use crate::engine::error::EngineError;
use crate::model::id::CanvasId;

/// Shows what becomes of one canvas. Made by [`Engine::watch`](crate::Engine::watch), which says what is shown and when.
///
/// It runs on any executor and keeps no borrow of the engine. As a stream of the `futures` crate:
/// `stream::poll_fn(move |context| watch.poll_next(context))`.
///
/// Whoever has a watch is woken for each change until it has polled; one that is not polled costs nothing but its memory.
/// Dropping it ends it.
#[derive(Debug)]
pub struct Watch {
    hub: Arc<Hub>,
    slot: Arc<Slot>,
    /// Which of the slot's watchers it is.
    id: u64,
    /// The number of its last event; 0 before the first.
    shown: u64,
}

impl Watch {
    pub(crate) fn begin(
        watches: &Watches,
        canvas: &CanvasId,
        policy: canvas_lease::Policy,
        notifies: bool,
        load: impl Fn() -> Load + Send + Sync + 'static,
    ) -> Self {
        let (hub, slot, id) = watches.join(canvas, policy, notifies, load);
        Self { hub, slot, id, shown: 0 }
    }

    /// The canvas.
    pub fn canvas(&self) -> &CanvasId {
        self.slot.canvas()
    }

    /// The next event: the first at once, each later one when there is a change since. `None` where the engine is gone.
    /// A call that is dropped loses no event.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let mut watch = engine.watch(&plan);
    /// let first = block_on(watch.next()).ok_or("the engine is there")??;
    /// block_on(engine.call(&plan, &OpKey::user(CallId::new("edit")?), Edit::replace("# Ours\n"), now))?.result?;
    /// let second = block_on(watch.next()).ok_or("the engine is there")??;
    /// assert!(second.revision != first.revision);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where the head must be loaded and that fails. The watch goes on: the next call tries again, so wait before it.
    pub async fn next(&mut self) -> Option<Result<WatchEvent, EngineError>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls for what [`Watch::next`] waits for.
    ///
    /// # Errors
    ///
    /// As [`Watch::next`].
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<WatchEvent, EngineError>>> {
        loop {
            match self.slot.step(self.id, self.shown, context.waker()) {
                Step::Event(number, event) => {
                    self.shown = number;
                    return Poll::Ready(Some(Ok(*event)));
                }
                Step::Load => {
                    if let Err(error) = ready!(self.slot.poll_load(self.id)) {
                        return Poll::Ready(Some(Err(error)));
                    }
                }
                Step::Wait => return Poll::Pending,
                Step::End => return Poll::Ready(None),
            }
        }
    }

    /// The next event where it is known already. Asks no store and waits for nothing, so a change that has to be loaded
    /// first, as after [`Engine::forget`](crate::Engine::forget) and mostly the first event, is for [`Watch::next`].
    pub fn try_next(&mut self) -> Option<WatchEvent> {
        let (number, event) = self.slot.event_after(self.shown)?;
        self.shown = number;
        Some(event)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.hub.leave(self.slot.canvas());
        self.slot.leave(self.id);
    }
}
