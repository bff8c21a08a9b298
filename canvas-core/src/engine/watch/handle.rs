//! The host's handle of a watch.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use super::event::WatchEvent;
use super::hub::{Hub, Watches};
use super::slot::{Load, Slot, Step};
use super::wait::{Waited, next_until};
use crate::engine::error::EngineError;
use crate::model::id::CanvasId;

/// Reports the changes of one canvas. [`Engine::watch`](crate::Engine::watch) creates it and describes which changes
/// are reported and when.
///
/// A watch runs on any executor and does not borrow the engine. It is a [`Stream`] that continues after an error, and
/// ends when the engine is dropped.
///
/// A change wakes the task that waits for the watch. Later changes wake it only after it polls the watch again. If you
/// do not poll a watch, it costs only its memory. To end a watch, drop it.
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
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let mut watch = engine.watch(&plan);
    /// let first = watch.next().await.ok_or("the engine is there")??;
    /// engine.call(&plan, &OpKey::user("edit".parse()?), Edit::overwrite("# Ours\n"), now).await?.result?;
    /// let second = watch.next().await.ok_or("the engine is there")??;
    /// assert!(second.revision != first.revision);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the head must be loaded and the load fails. The watch stays open, and the next call tries
    /// again, so wait before you call.
    pub async fn next(&mut self) -> Option<Result<WatchEvent, EngineError>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Waits for the next event until the deadline, a future of your runtime such as `tokio::time::sleep(left)`. An
    /// event that is already known wins over the deadline. No event is lost if the deadline comes first, or if you drop
    /// a call, because the next call returns the event.
    ///
    /// The expiry of a lease, for example, is not an event. This host waits until the lease ends:
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::lease::{CheckOut, Timestamp};
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// use canvas_core::watch::Waited;
    ///
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// # let sleep = |left: std::time::Duration| std::future::ready(assert!(!left.is_zero()));
    /// # let model = OpKey { conversation: "chat".parse()?, ..OpKey::host("check-out".parse()?) };
    /// # engine.call(&plan, &model, CheckOut, now).await?.result?;
    /// let mut watch = engine.watch(&plan);
    /// let event = watch.next().await.ok_or("the engine is there")??;
    /// let until = event.lock.until().ok_or("a model has the lease")?;
    /// match watch.next_until(sleep(until.saturating_duration_since(event.clock))).await {
    ///     Waited::Next(event) => println!("the lock changed earlier: {:?}", event?.lock),
    ///     Waited::Deadline => println!("the lease ended"),
    ///     Waited::End => println!("the engine was dropped"),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn next_until(&mut self, deadline: impl Future<Output = ()>) -> Waited<WatchEvent> {
        next_until(self, deadline).await
    }

    /// Returns the next event if it is already known. It neither asks the store nor waits, so it misses changes that
    /// must be loaded first, for example after [`Engine::forget`](crate::Engine::forget). Most first events must be
    /// loaded, too. Use [`Watch::next`] for these.
    pub fn try_next(&mut self) -> Option<WatchEvent> {
        let (number, event) = self.slot.event_after(self.shown)?;
        self.shown = number;
        Some(event)
    }
}

impl Stream for Watch {
    type Item = Result<WatchEvent, EngineError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
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
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.hub.leave(self.slot.canvas());
        self.slot.leave(self.id);
    }
}
