//! One turn: a canvas in memory, a message, a model over the network.

use std::error::Error;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::store::MemoryStore;
use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_examples::live::{Client, now};
use canvas_providers::{Event, Outcome, TurnDriver, TurnGuard, TurnOptions};
use canvas_tools::{CanvasCalls, DocumentTools, Session, Tools};

use crate::options::Options;
use crate::transcript::Transcript;

/// Runs the turn and prints it. True where the model came to its end.
///
/// # Errors
///
/// If the canvas or the output fails; what the provider does is told in the transcript.
pub(crate) async fn run<W: Write + Send + 'static>(
    options: &Options,
    out: W,
) -> Result<bool, Box<dyn Error>> {
    let transcript = Arc::new(Mutex::new(Transcript::new(out)));
    let engine = Arc::new(Engine::new(MemoryStore::new(now), Policy::default()));
    let (canvas, chat) = (CanvasId::new("live")?, ConversationId::new("chat")?);
    let create = OpKey::of(chat.clone(), "create".parse()?);
    engine.create(&canvas, &options.document, &create, now()).await?;
    let tools = Arc::new(Tools::new(DocumentTools::default())?);
    let session = Session::open(&engine, canvas.clone(), chat, now()).await?;
    let calls = Arc::new(CanvasCalls::new(Arc::clone(&engine), Arc::clone(&tools), session));
    let began = calls.begin_turn("message-1".parse()?, now()).await?;
    let history =
        began.hidden_message.into_iter().chain([options.message.clone()]).map(Event::user).collect();

    let issuer = options.client.issuer(options.provider);
    let turn = TurnOptions {
        retries: options.retries,
        ..TurnOptions::new(options.provider, issuer, tools.briefing(&engine))
    };
    lock(&transcript).line("user", &options.message);
    let told = Arc::clone(&transcript);
    let turn = TurnDriver::new(turn, Client::new(&options.client)?, Arc::clone(&calls))
        .with_history(history)
        .on_event(move |event| lock(&told).take(&event));
    // Where this future is dropped, the rest of the turn still gives its lease back.
    let mut guard = TurnGuard::new(turn, |mut rest: TurnDriver<_, _>| {
        tokio::spawn(async move { rest.run().await });
    });
    let outcome = guard.run().await;
    let turn = guard.into_turn();
    // Before the end of the turn, which would end any lease.
    let snapshot = engine.snapshot(&canvas, now()).await?;
    calls.end_turn("end-1".parse()?, now()).await?;

    let mut transcript = lock(&transcript);
    transcript.line("end", &sentence(&outcome));
    let usage = turn.usage();
    let cached = usage.cache_read_tokens;
    let total = format!("{} + {} tokens, {cached} of them cached", usage.input_tokens, usage.output_tokens);
    transcript.line("total", &total);
    let lock = snapshot.head.lock().valid_lease(&engine.policy().lease, snapshot.clock);
    transcript.line(
        "canvas",
        &format!("{}, {}", snapshot.revision_id(), if lock.is_some() { "locked" } else { "unlocked" }),
    );
    transcript.block(snapshot.text());
    transcript.finish()?;
    Ok(outcome == Outcome::Completed)
}

fn sentence(outcome: &Outcome) -> String {
    match outcome {
        Outcome::TransportFailed { message, .. }
        | Outcome::Broken { message, .. }
        | Outcome::Unusable { message, .. } => format!("gave up: {message}"),
        other => other.name().replace('_', " "),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
