//! Sending events to all pages that show a canvas.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use canvas_core::CanvasId;
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, Receiver, Sender};
use tokio::sync::watch;
use tokio_tungstenite::tungstenite::Utf8Bytes;

/// Events that wait for a slow page. One that has missed some asks for the whole canvas.
const WAITING: usize = 64;

/// Who shows what. An event is written once, and all pages share its bytes.
#[derive(Debug, Default)]
pub struct Fan {
    canvases: Mutex<HashMap<CanvasId, Shown>>,
    written: AtomicU64,
    resyncs: AtomicU64,
}

/// A canvas that some page shows or has shown.
#[derive(Debug)]
struct Shown {
    events: Sender<Utf8Bytes>,
    begun: watch::Receiver<()>,
}

/// What a page gets that opens a canvas.
pub(crate) struct Opened {
    /// The events from now on.
    pub(crate) events: Receiver<Utf8Bytes>,
    /// Closes when the follower knows the state that later ones are compared with.
    pub(crate) begun: watch::Receiver<()>,
    /// For the first page of a canvas: the end that its follower drops.
    pub(crate) first: Option<watch::Sender<()>>,
}

impl Fan {
    /// Opens a canvas for a page.
    pub(crate) fn open(&self, canvas: &CanvasId) -> Opened {
        let mut canvases = self.lock();
        if let Some(shown) = canvases.get(canvas) {
            return Opened { events: shown.events.subscribe(), begun: shown.begun.clone(), first: None };
        }
        let (sender, events) = broadcast::channel(WAITING);
        let (first, begun) = watch::channel(());
        canvases.insert(canvas.clone(), Shown { events: sender, begun: begun.clone() });
        Opened { events, begun, first: Some(first) }
    }

    /// Sends an event to all pages. It is not even written where none shows the canvas.
    pub(crate) fn send(&self, canvas: &CanvasId, event: &str, payload: &Value) {
        let sender = match self.lock().get(canvas) {
            Some(shown) if shown.events.receiver_count() > 0 => shown.events.clone(),
            _ => return,
        };
        self.written.fetch_add(1, Ordering::Relaxed);
        // All pages may have gone meanwhile.
        drop(sender.send(event_text(event, payload)));
    }

    /// How many events were written.
    pub fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// The canvases that somebody shows or has shown.
    pub(crate) fn followed(&self) -> Vec<CanvasId> {
        self.lock().keys().cloned().collect()
    }

    pub(crate) fn count_resync(&self) {
        self.resyncs.fetch_add(1, Ordering::Relaxed);
    }

    /// How many pages have missed events and were told so.
    pub fn resyncs(&self) -> u64 {
        self.resyncs.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CanvasId, Shown>> {
        self.canvases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event as it is sent.
pub(crate) fn event_text(event: &str, payload: &Value) -> Utf8Bytes {
    json!({"type": "evt", "event": event, "payload": payload}).to_string().into()
}
