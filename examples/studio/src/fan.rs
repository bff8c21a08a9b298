//! Sending events to all pages that show a canvas.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Utf8Bytes;
use canvas_core::CanvasId;
use serde_json::{Value, json};
use tokio::sync::broadcast::{self, Receiver, Sender};

/// Events that wait for a slow page. One that has missed some asks for the whole canvas.
const WAITING: usize = 64;

/// Who shows what. An event is written once, and all pages share its bytes.
#[derive(Debug, Default)]
pub struct Fan {
    canvases: Mutex<HashMap<CanvasId, Sender<Utf8Bytes>>>,
    written: AtomicU64,
    resyncs: AtomicU64,
}

impl Fan {
    /// The events of a canvas from now on; and whether this is the first page of it.
    pub(crate) fn open(&self, canvas: &CanvasId) -> (Receiver<Utf8Bytes>, bool) {
        let mut canvases = self.lock();
        if let Some(sender) = canvases.get(canvas) {
            return (sender.subscribe(), false);
        }
        let (sender, receiver) = broadcast::channel(WAITING);
        canvases.insert(canvas.clone(), sender);
        (receiver, true)
    }

    /// Sends an event to all pages. It is not even written where none shows the canvas.
    pub(crate) fn send(&self, canvas: &CanvasId, event: &str, payload: &Value) {
        let sender = match self.lock().get(canvas) {
            Some(sender) if sender.receiver_count() > 0 => sender.clone(),
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

    fn lock(&self) -> MutexGuard<'_, HashMap<CanvasId, Sender<Utf8Bytes>>> {
        self.canvases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event as it is sent.
pub(crate) fn event_text(event: &str, payload: &Value) -> Utf8Bytes {
    json!({"type": "evt", "event": event, "payload": payload}).to_string().into()
}
