//! What a person sees of the lock.

use canvas_lease::Timestamp;

use crate::engine::Snapshot;
use crate::model::id::ConversationId;
use crate::transition::policy::Policy;

/// The lock of a canvas as a user interface shows it.
///
/// It is true until [`LockView::until`]; then, and whenever the canvas has changed, make a new one.
///
/// ```
/// # use canvas_core::lease::{Timestamp, Turn};
/// # use canvas_core::{CallId, CanvasId, CheckOut, ConversationId, Engine, MemoryStore, OpKey, Policy, block_on};
/// use canvas_core::{LockEvent, LockView};
///
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let canvas = CanvasId::new("plan")?;
/// # let key = |call: &str| -> Result<OpKey, canvas_core::NameError> {
/// #     Ok(OpKey { conversation: ConversationId::new("model")?, turn: Turn::ZERO, call: CallId::new(call)? })
/// # };
/// # block_on(engine.create(&canvas, "# Plan\n", &key("create")?, now))?;
/// let before = LockView::of(&block_on(engine.snapshot(&canvas, now))?, engine.policy());
/// let answered = block_on(engine.call(&canvas, &key("out")?, CheckOut, now))?;
/// let view = LockView::of(&answered.snapshot, engine.policy());
/// assert_eq!(view.tooltip(), Some("Assistant editing canvas…"));
/// assert_eq!(view.event_since(&before), Some(LockEvent::Locked));
/// assert!(view.blocks_typing() && view.can_take_control());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockView {
    /// Whose model edits, and until when unless it goes on; `None` where the canvas is free.
    holder: Option<(ConversationId, Timestamp)>,
    epoch: u64,
}

/// What has become of the lock: a reason to draw it anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockEvent {
    /// A model edits: show the indicator and block typing.
    Locked,
    /// Another model edits.
    HandedOver,
    /// The model has given the canvas back, or its time is over.
    Unlocked,
    /// The user has taken the canvas back: at once and to be seen.
    TakenOver,
}

impl LockView {
    /// The lock at the moment of a snapshot, by the store's clock.
    pub fn of(snapshot: &Snapshot, policy: &Policy) -> Self {
        let lock = snapshot.head.lock();
        let lease = lock.valid_lease(&policy.lease, snapshot.clock);
        // Who holds it is named as a conversation, so the name is one.
        let holder = lease.and_then(|lease| {
            let conversation = ConversationId::new(lease.holder.as_str()).ok()?;
            Some((conversation, lease.expires_at))
        });
        Self { holder, epoch: lock.epoch().get() }
    }

    /// Whether to show the indicator.
    pub fn is_locked(&self) -> bool {
        self.holder.is_some()
    }

    /// The conversation whose model edits.
    pub fn holder(&self) -> Option<&ConversationId> {
        self.holder.as_ref().map(|(conversation, _)| conversation)
    }

    /// When the lock ends unless the model goes on, by the store's clock: look again then.
    pub fn until(&self) -> Option<Timestamp> {
        self.holder.as_ref().map(|(_, until)| *until)
    }

    /// The indicator's words.
    pub fn tooltip(&self) -> Option<&'static str> {
        self.is_locked().then_some("Assistant editing canvas…")
    }

    /// Whether the host keeps the user from typing. An edit that reaches the engine all the same takes the canvas over.
    pub fn blocks_typing(&self) -> bool {
        self.is_locked()
    }

    /// Whether to offer [`TakeControl`](crate::TakeControl).
    pub fn can_take_control(&self) -> bool {
        self.is_locked()
    }

    /// What has happened since an earlier view; `None` where there is nothing to draw.
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
