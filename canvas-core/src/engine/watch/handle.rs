//! The host's handle of a watch.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use super::event::WatchEvent;
use super::hub::{Hub, Watches};
use super::slot::{Load, Slot, Step};
use crate::engine::error::EngineError;
use crate::model::id::CanvasId;

/// Reports the changes of one canvas. [`Engine::watch`](crate::Engine::watch) creates it and describes which changes
/// are reported and when.
///
/// A watch runs on any executor and does not borrow the engine. To get a stream of the `futures` crate, write
/// `stream::poll_fn(move |context| watch.poll_next(context))`.
///
/// Each change wakes the task that waits for the watch, until that task has polled it. If you do not poll a watch, it
/// costs only its memory. To end a watch, drop it.
#[derive(Debug)]
pub struct Watch {
    hub: Arc<Hub>,
    slot: Arc<Slot>,
    /// Identifies this watcher in the slot.
    id: u64,
    /// The number of the last event; 0 before the first.
    shown: u64,
}

impl Watch {
    pub(crate) fn begin(
        watches: &Watches,
        canvas: &CanvasId,
        policy: canvas_lease::LeasePolicy,
        notifies: bool,
        load: impl Fn() -> Load + Send + Sync + 'static,
    ) -> Self {
        let (hub, slot, id) = watches.join(canvas, policy, notifies, load);
        Self { hub, slot, id, shown: 0 }
    }

    /// Returns the id of the watched canvas.
    pub fn canvas(&self) -> &CanvasId {
        self.slot.canvas()
    }

    /// Waits for the next event. The first event comes at once, and each later one after a change. Returns `None` if
    /// the engine was dropped. If you drop a call, no event is lost.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy, block_on};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now))?;
    /// let mut watch = engine.watch(&plan);
    /// let first = block_on(watch.next()).ok_or("the engine is there")??;
    /// block_on(engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now))?.result?;
    /// let second = block_on(watch.next()).ok_or("the engine is there")??;
    /// assert!(second.revision != first.revision);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the head must be loaded and the load fails. The watch stays open, and the next call
    /// loads it again, so wait before you call.
    pub async fn next(&mut self) -> Option<Result<WatchEvent, EngineError>> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// Polls for the event that [`Watch::next`] waits for.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Watch::next`].
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

    /// Returns the next event if it is already known. It does not ask the store or wait. So it does not see a change
    /// that must be loaded first, for example after [`Engine::forget`](crate::Engine::forget) and for most first
    /// events. Use [`Watch::next`] for these.
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
