//! One conversation about one canvas.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::board::CanvasEvent;
use canvas_core::{CanvasId, ConversationId, PersonId};
use canvas_providers::Event;
use canvas_tools::{EventLog, Session};
use serde_json::json;
use tokio::sync::{Mutex as AsyncMutex, watch};

use super::archive::{Archive, KeptHistory};
use super::chat::{Chat, Edits, Item};
use crate::clock;
use crate::host::Host;

/// The conversation that all share. Those of people begin with it.
const CONVERSATION: &str = "assistant";

/// What only the turn that runs touches.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) session: Option<Session>,
    pub(super) history: Vec<Event>,
    /// The model may have seen things that the history does not have.
    pub(super) is_incomplete: bool,
}

/// One conversation.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) canvas: CanvasId,
    /// The name of the conversation for the engine.
    pub(super) id: ConversationId,
    /// The person whose conversation it is; `None` if it is for all.
    of: Option<PersonId>,
    chat: Mutex<Chat>,
    /// What happened on the board since the last message.
    events: Mutex<EventLog>,
    archive: Archive,
    /// Held by the turn that runs.
    pub(super) conversation: Arc<AsyncMutex<Conversation>>,
    /// Stops the turn that runs.
    stop: Mutex<Option<watch::Sender<bool>>>,
}

impl Seat {
    /// With what the files beside the database have kept of the conversation.
    pub(super) fn new(canvas: CanvasId, of: Option<PersonId>, database: Option<&Path>) -> Self {
        let archive = Archive::of(database, &canvas, of.as_ref());
        let history = archive.history().unwrap_or(KeptHistory { events: Vec::new(), is_running: true });
        let KeptHistory { events: history, is_running: is_incomplete } = history;
        let conversation = Conversation { session: None, history, is_incomplete };
        let id = match &of {
            Some(person) => ConversationId::new(&format!("{CONVERSATION}:{person}")),
            None => ConversationId::new(CONVERSATION),
        };
        Self {
            canvas,
            id: id.expect("a short name"),
            of,
            chat: Mutex::new(Chat::of(archive.chat())),
            events: Mutex::default(),
            archive,
            conversation: Arc::new(AsyncMutex::new(conversation)),
            stop: Mutex::default(),
        }
    }

    pub(super) fn chat(&self) -> MutexGuard<'_, Chat> {
        lock(&self.chat)
    }

    /// Adds an item to the chat, on every page.
    pub(super) fn append(&self, host: &Host, item: Item) {
        let item = {
            let mut chat = self.chat();
            let item = chat.append(item, clock::now().as_millis());
            self.archive.keep_chat(&chat.kept());
            item
        };
        host.publish(&self.canvas, "canvas.chat.appended", json!({"item": item, "of": self.of}));
    }

    /// How the model edits from the next turn on.
    pub(super) fn set_edits(&self, edits: Edits) {
        let mut chat = self.chat();
        chat.edits = edits;
        self.archive.keep_chat(&chat.kept());
    }

    /// Keeps what the model was sent and has answered, before the first call of a turn and after its end.
    pub(super) fn keep_history(&self, events: &[Event], is_running: bool) {
        self.archive.keep_history(&KeptHistory { events: events.to_vec(), is_running });
    }

    /// Whether a turn runs, on every page.
    pub(super) fn publish_turn(&self, host: &Host, outcome: Option<&str>) {
        let mut payload = {
            let chat = self.chat();
            json!({"running": chat.is_running, "edits": chat.edits, "of": self.of})
        };
        if let Some(outcome) = outcome {
            payload["outcome"] = outcome.into();
        }
        host.publish(&self.canvas, "canvas.chat.turn", payload);
    }

    pub(super) fn notice(&self, events: impl IntoIterator<Item = CanvasEvent>) {
        lock(&self.events).extend(events);
    }

    /// The events that no message has brought yet.
    pub(super) fn take_events(&self) -> EventLog {
        std::mem::take(&mut lock(&self.events))
    }

    /// A turn begins: who holds the receiver hears of its end.
    pub(super) fn started(&self) -> watch::Receiver<bool> {
        let (sender, receiver) = watch::channel(false);
        *lock(&self.stop) = Some(sender);
        receiver
    }

    /// Ends the turn that runs. False if none does, or if it was told before.
    pub(super) fn stop(&self) -> bool {
        let is_new = |stopped: &mut bool| !std::mem::replace(stopped, true);
        lock(&self.stop)
            .as_ref()
            .is_some_and(|stop| stop.receiver_count() > 0 && stop.send_if_modified(is_new))
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
