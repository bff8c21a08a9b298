//! `--trace`: a line of JSON for each call of the engine, with the `traceparent` of the request that it belongs to.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use canvas_core::observe::{CallNumber, EngineEvent, EventKind, Observer};
use rmcp::model::MetaObject;
use serde_json::json;

use crate::log;

tokio::task_local! {
    static PARENT: Option<String>;
}

/// Answers a request whose `_meta` may say which span it belongs to.
pub(crate) async fn within<F: Future>(meta: &MetaObject, answer: F) -> F::Output {
    let parent = meta.get_traceparent().filter(|text| is_traceparent(text));
    PARENT.scope(parent.map(str::to_owned), answer).await
}

/// Version, trace, span and flags, as the W3C writes them.
fn is_traceparent(text: &str) -> bool {
    let is_hex = |part: &str| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let parts: Vec<_> = text.split('-').collect();
    text.len() < 256
        && parts.len() >= 4
        && [2, 32, 16, 2].iter().zip(&parts).all(|(length, part)| part.len() == *length && is_hex(part))
}

/// Writes a line for each call that has ended.
#[derive(Debug)]
pub(crate) struct Lines {
    start: Instant,
    /// The spans of calls that are under way.
    parents: Mutex<HashMap<CallNumber, Begun>>,
}

#[derive(Debug)]
struct Begun {
    parent: Option<String>,
    call: Option<String>,
}

impl Lines {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), parents: Mutex::default() }
    }

    fn parents(&self) -> MutexGuard<'_, HashMap<CallNumber, Begun>> {
        self.parents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Lines {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn event(&self, event: &EngineEvent<'_>) {
        match event.kind {
            EventKind::Began { operation, .. } => {
                let parent = PARENT.try_with(Clone::clone).ok().flatten();
                let call = operation.map(|key| key.call.to_string());
                self.parents().insert(event.call, Begun { parent, call });
            }
            EventKind::Ended { name, took, end, replayed, .. } => {
                let begun = self.parents().remove(&event.call);
                let (parent, call) = begun.map_or((None, None), |begun| (begun.parent, begun.call));
                let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
                log::plain(json!({
                    "traceparent": parent, "name": name, "canvas": event.canvas, "call": call, "took_us": took,
                    "end": end.as_str(), "code": end.code(), "replayed": replayed,
                }));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_traceparent;

    #[test]
    fn a_parent_is_as_the_w3c_writes_it() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert!(is_traceparent(good));
        for text in ["", "00", &good[..54], &good.to_uppercase(), &good.replace('-', "_"), &"0".repeat(4_096)]
        {
            assert!(!is_traceparent(text), "{text}");
        }
    }
}
