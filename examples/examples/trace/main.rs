//! What an engine does, as spans of `tracing` and, through them, of OpenTelemetry: a refusal, an edit that others were faster
//! than, a collection, and an error.
//!
//! `cargo run -p canvas-examples --features trace --example trace`
//!
//! Each call is a span, within the span that the host is in; each commit is a span in that of the call that sends it; loads,
//! decisions, waits and retries are events of these. No span has a text of a canvas. To send them to a collector, give
//! the provider the exporter of `opentelemetry-otlp` in place of [`Kept`].

mod spans;

use std::error::Error;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use canvas_core::document::Edit;
use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{Author, CallIds, CanvasId, CollectOptions, Engine, OpKey, Policy, Role};
use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, TracerProvider as _};
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
use tracing_subscriber::layer::SubscriberExt as _;

use spans::Spans;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
/// A host with a store that outlives it draws its own, so that ids never repeat.
const RANDOM: u64 = 1;

/// An exporter that keeps what has ended.
#[derive(Debug, Default, Clone)]
struct Kept(Arc<Mutex<Vec<SpanData>>>);

impl SpanExporter for Kept {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        self.0.lock().expect("nobody panics with it").append(&mut batch);
        Ok(())
    }
}

/// Two servers over one store; the first is observed.
fn story() -> Result<(), Box<dyn Error>> {
    let store = MemoryStore::new(|| NOW);
    let (canvas, ids) = (CanvasId::new("plan")?, CallIds::new(RANDOM));
    let engine = Engine::new(store.clone(), Policy::default()).with_observer(Arc::new(Spans::new()));
    let other = Engine::new(store, Policy::default());
    let user = || OpKey::user(ids.fresh());

    {
        let _request = tracing::info_span!("POST /documents").entered();
        block_on(engine.create(&canvas, "# Plan\n\n- one\n", &OpKey::host(ids.fresh()), NOW))?;
    }
    // There is nothing to undo: refused.
    let undo = Undo { by: Author::User, what: UndoScope::Author { author: Role::Assistant, since: None } };
    let _refused = block_on(engine.call(&canvas, &user(), undo, NOW))?.result;
    // The other server is faster: the commit is lost, and the edit is decided again.
    block_on(other.call(&canvas, &user(), Edit::overwrite("# Plan\n\n- two\n"), NOW))?.result?;
    block_on(engine.call(&canvas, &user(), Edit::overwrite("# Plan\n\n- three\n"), NOW))?.result?;
    block_on(engine.collect(&canvas, CollectOptions::default()))?;
    let _unknown = block_on(engine.snapshot(&CanvasId::new("nowhere")?, NOW));
    Ok(())
}

/// Runs the story, and gives the spans in the order in which they have ended.
fn spans() -> Result<Vec<SpanData>, Box<dyn Error>> {
    let kept = Kept::default();
    // A host that sends them takes `with_batch_exporter`, and so does not wait.
    let provider = SdkTracerProvider::builder().with_simple_exporter(kept.clone()).build();
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer("canvas"))
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_level(false)
        .with_tracked_inactivity(false);
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, story)?;
    provider.shutdown()?;
    Ok(std::mem::take(&mut *kept.0.lock().expect("nobody panics with it")))
}

/// The spans within `parent`, with their events, indented by `depth`.
fn show(out: &mut impl Write, spans: &[SpanData], parent: SpanId, depth: usize) -> io::Result<()> {
    for span in spans.iter().filter(|span| span.parent_span_id == parent) {
        let took = span.end_time.duration_since(span.start_time).unwrap_or_default();
        writeln!(out, "{:depth$}{}{} in {took:.0?}", "", span.name, said(&span.attributes))?;
        for event in &span.events.events {
            writeln!(out, "{:depth$}    - {}{}", "", event.name, said(&event.attributes))?;
        }
        show(out, spans, span.span_context.span_id(), depth + 4)?;
    }
    Ok(())
}

/// What the engine says, without what `tracing` says of each event.
fn said(attributes: &[KeyValue]) -> String {
    let ours = attributes.iter().filter(|said| !["level", "target"].contains(&said.key.as_str()));
    ours.map(|said| format!(" {}={}", said.key, said.value)).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    Ok(show(&mut io::stdout().lock(), &spans()?, SpanId::INVALID, 0)?)
}

#[cfg(test)]
mod tests {
    use opentelemetry::trace::Status;

    use super::*;

    fn value(attributes: &[KeyValue], key: &str) -> Option<String> {
        attributes.iter().find(|said| said.key.as_str() == key).map(|said| said.value.to_string())
    }

    /// The name of a span, the name of that around it, what it has come to with its code, and its events.
    type Row = (
        &'static str,
        Option<&'static str>,
        Option<&'static str>,
        Option<&'static str>,
        &'static [&'static str],
    );

    #[test]
    fn each_call_and_each_commit_is_a_span_in_its_place() {
        let expected: [Row; 10] = [
            ("canvas.commit", Some("create"), Some("done"), None, &[]),
            ("create", Some("POST /documents"), Some("answered"), None, &["loaded", "decided", "waited"]),
            ("POST /documents", None, None, None, &[]),
            ("canvas.commit", Some("undo"), Some("done"), None, &[]),
            (
                "undo",
                None,
                Some("refused"),
                Some("HISTORY_EMPTY"),
                &["decided", "loaded", "decided", "waited"],
            ),
            ("canvas.commit", Some("edit"), Some("conflict"), None, &[]),
            ("canvas.commit", Some("edit"), Some("done"), None, &[]),
            ("edit", None, Some("answered"), None, &["decided", "waited", "decided", "waited"]),
            (
                "collect",
                None,
                Some("answered"),
                None,
                &["loaded", "fetched", "fetched", "fetched", "collected"],
            ),
            ("snapshot", None, Some("failed"), Some("CANVAS_NOT_FOUND"), &["loaded", "decided"]),
        ];
        let spans = spans().unwrap();
        let name_of =
            |id: SpanId| spans.iter().find(|span| span.span_context.span_id() == id).map(|span| &*span.name);
        let found: Vec<_> = spans
            .iter()
            .map(|span| {
                let events: Vec<_> = span.events.events.iter().map(|event| event.name.to_string()).collect();
                let (end, code) = (value(&span.attributes, "end"), value(&span.attributes, "code"));
                (span.name.to_string(), name_of(span.parent_span_id), end, code, events)
            })
            .collect();
        let found = found.iter().map(|(name, parent, end, code, events)| {
            let events: Vec<_> = events.iter().map(String::as_str).collect();
            (name.as_str(), *parent, end.as_deref(), code.as_deref(), events)
        });
        let expected =
            expected.map(|(name, parent, end, code, events)| (name, parent, end, code, events.to_vec()));
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_refusal_is_no_error_and_an_unknown_canvas_is_one() {
        let failed = spans().unwrap().into_iter().filter(|span| matches!(span.status, Status::Error { .. }));
        assert_eq!(failed.map(|span| span.name).collect::<Vec<_>>(), ["snapshot"]);
    }

    #[test]
    fn spans_have_no_text_of_a_canvas() {
        let said = format!("{:?}", spans().unwrap());
        assert!(said.contains("HISTORY_EMPTY"));
        for text in ["# Plan", "- one", "- two", "- three"] {
            assert!(!said.contains(text), "{text} is in a span");
        }
    }
}
