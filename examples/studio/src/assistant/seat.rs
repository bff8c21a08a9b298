//! One conversation about one canvas.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::CanvasId;
use canvas_core::board::CanvasEvent;
use canvas_providers::Event;
use canvas_tools::Session;
use serde_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, watch};

use super::chat::{Chat, Item};
use crate::clock;
use crate::host::Host;

/// Events of the board that wait for the next message; older ones are dropped.
const WAITING: usize = 64;

/// What only the turn that runs touches.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) session: Option<Session>,
    pub(super) history: Vec<Event>,
}

/// One conversation.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) canvas: CanvasId,
    chat: Mutex<Chat>,
    events: Mutex<VecDeque<CanvasEvent>>,
    /// Held by the turn that runs.
    pub(super) conversation: Arc<AsyncMutex<Conversation>>,
    /// Stops the turn that runs.
    stop: Mutex<Option<watch::Sender<bool>>>,
}

impl Seat {
    pub(super) fn new(canvas: CanvasId) -> Self {
        Self {
            canvas,
            chat: Mutex::default(),
            events: Mutex::default(),
            conversation: Arc::default(),
            stop: Mutex::default(),
        }
    }

    pub(super) fn chat(&self) -> MutexGuard<'_, Chat> {
        lock(&self.chat)
    }

    /// Adds an item to the chat, on every page.
    pub(super) fn append(&self, host: &Host, item: Item) {
        let item = self.chat().append(item, clock::now().as_millis());
        host.publish(&self.canvas, "canvas.chat.appended", json!({"item": item}));
    }

    /// Whether a turn runs, on every page.
    pub(super) fn publish_turn(&self, host: &Host, outcome: Option<&str>) {
        let mut payload = {
            let chat = self.chat();
            json!({"running": chat.is_running, "usePatchEdits": chat.use_patch_edits})
        };
        if let Some(outcome) = outcome {
            payload["outcome"] = outcome.into();
        }
        host.publish(&self.canvas, "canvas.chat.turn", payload);
    }

    pub(super) fn notice(&self, event: CanvasEvent) {
        let mut events = lock(&self.events);
        if events.len() == WAITING {
            events.pop_front();
        }
        events.push_back(event);
    }

    /// The events that no message has brought yet.
    pub(super) fn take_events(&self) -> Vec<Value> {
        lock(&self.events).drain(..).map(|event| json!(event)).collect()
    }

    /// A turn begins: who holds the receiver hears of its end.
    pub(super) fn started(&self) -> watch::Receiver<bool> {
        let (sender, receiver) = watch::channel(false);
        *lock(&self.stop) = Some(sender);
        receiver
    }

    /// Ends the turn that runs. False where none does.
    pub(super) fn stop(&self) -> bool {
        lock(&self.stop).as_ref().is_some_and(|stop| stop.send(true).is_ok())
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
