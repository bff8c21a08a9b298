//! The lock of a canvas as a person sees it.

use canvas_lease::Timestamp;
use serde::Serialize;

use super::snapshot::Snapshot;
use crate::model::head::Head;
use crate::model::id::ConversationId;
use crate::transition::policy::Policy;

/// The lock of a canvas as a user interface shows it.
///
/// It is valid until [`LockView::until`]. Make a new one then, and whenever the canvas changes.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use canvas_core::lease::{CheckOut, Timestamp, Turn};
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
/// use canvas_core::watch::{LockEvent, LockView};
///
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let canvas = CanvasId::new("plan")?;
/// # let key = |call: &str| -> Result<OpKey, canvas_core::NameError> {
/// #     Ok(OpKey::of(ConversationId::new("model")?, CallId::new(call)?))
/// # };
/// # engine.create(&canvas, "# Plan\n", &key("create")?, now).await?;
/// let before = LockView::of(&engine.snapshot(&canvas, now).await?, engine.policy());
/// let answered = engine.call(&canvas, &key("out")?, CheckOut, now).await?;
/// let view = LockView::of(&answered.snapshot, engine.policy());
/// assert_eq!(view.tooltip(), Some("Assistant editing canvas…"));
/// assert_eq!(view.event_since(&before), Some(LockEvent::Locked));
/// assert!(view.blocks_typing() && view.can_take_control());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LockView {
    /// The holder and the end of the lock. `None` if the canvas is free.
    #[serde(flatten)]
    held: Option<Held>,
    /// Rises with each preemption.
    epoch: u64,
}

/// The holder of the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Held {
    /// The conversation whose model edits.
    holder: ConversationId,
    /// The time, by the store's clock, at which the lock ends unless the model continues. In milliseconds since 1970.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    until: Timestamp,
}

/// A change of the lock, after which a user interface redraws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LockEvent {
    /// A model begins to edit. Show the indicator and block typing.
    Locked,
    /// Another model edits.
    HandedOver,
    /// The model returned the lease, or the lease expired.
    Unlocked,
    /// The user took the canvas back. Show this at once.
    TakenOver,
}

impl LockView {
    /// Returns the lock at the moment of a snapshot, by the store's clock.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// use canvas_core::lease::CheckOut;
    /// use canvas_core::watch::{LockEvent, LockView};
    /// use canvas_core::ConversationId;
    ///
    /// let shown = LockView::of(&engine.snapshot(&plan, now).await?, engine.policy());
    /// assert!(!shown.is_locked());
    ///
    /// let model = OpKey::of(ConversationId::new("chat")?, CallId::new("check-out")?);
    /// let answered = engine.call(&plan, &model, CheckOut, now).await?;
    /// let locked = LockView::of(&answered.snapshot, engine.policy());
    /// assert_eq!(locked.event_since(&shown), Some(LockEvent::Locked));
    /// assert_eq!(locked.tooltip(), Some("Assistant editing canvas…"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn of(snapshot: &Snapshot, policy: &Policy) -> Self {
        Self::at(&snapshot.head, snapshot.clock, &policy.lease)
    }

    pub(super) fn at(head: &Head, clock: Timestamp, policy: &canvas_lease::LeasePolicy) -> Self {
        // The holder of a lease is a conversation, so its name parses.
        let held = head.lock().valid_lease(policy, clock).and_then(|lease| {
            Some(Held { holder: ConversationId::new(lease.holder.as_str()).ok()?, until: lease.expires_at })
        });
        Self { held, epoch: head.lock().epoch().get() }
    }

    /// Whether to show the indicator.
    pub fn is_locked(&self) -> bool {
        self.held.is_some()
    }

    /// Returns the conversation whose model edits; `None` if the canvas is free.
    pub fn holder(&self) -> Option<&ConversationId> {
        self.held.as_ref().map(|held| &held.holder)
    }

    /// Returns the time, by the store's clock, at which the lock ends unless the model continues. Look again then.
    pub fn until(&self) -> Option<Timestamp> {
        self.held.as_ref().map(|held| held.until)
    }

    /// Returns the text of the indicator; `None` if the canvas is free.
    pub fn tooltip(&self) -> Option<&'static str> {
        self.is_locked().then_some("Assistant editing canvas…")
    }

    /// Whether the host should keep the user from typing. If an edit reaches the engine anyway, it takes the canvas
    /// over.
    pub fn blocks_typing(&self) -> bool {
        self.is_locked()
    }

    /// Whether to offer [`TakeControl`](crate::turn::TakeControl).
    pub fn can_take_control(&self) -> bool {
        self.is_locked()
    }

    /// Returns the change since an earlier view; `None` if a user interface need not redraw the lock.
    pub fn event_since(&self, earlier: &Self) -> Option<LockEvent> {
        match (earlier.holder(), self.holder()) {
            (None, Some(_)) => Some(LockEvent::Locked),
            (Some(was), Some(is)) => (was != is).then_some(LockEvent::HandedOver),
            (Some(_), None) if earlier.epoch != self.epoch => Some(LockEvent::TakenOver),
            (Some(_), None) => Some(LockEvent::Unlocked),
            (None, None) => None,
        }
    }
}
