//! One turn, from the message of a person to the end.

use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use canvas_core::{CallId, CodedError as _, EngineError, PersonId};
use canvas_providers::{
    Event, Interruption, Issuer, LogEvent, Outcome, Provider, StreamEvent, TurnDriver, TurnEvent, TurnOptions,
};
use canvas_tools::{Session, SessionError, UserSelection};
use serde_json::{Value, json};
use tokio::sync::{OwnedMutexGuard, watch};

use super::brief::Brief;
use super::calls::Calls;
use super::chat::{Edits, Item, Speaker};
use super::script::Known;
use super::seat::{Conversation, Seat, lock};
use super::transport::{Line, Seen};
use super::{Assistant, Voice, tools};
use crate::clock;
use crate::host::Host;

/// How often a person who waits ends the turn that runs.
const AGAIN: Duration = Duration::from_millis(100);

/// The longest message, in bytes.
const MESSAGE: usize = 64 << 10;

/// A turn that has begun.
#[derive(Debug)]
pub(super) struct Begun {
    host: Arc<Host>,
    seat: Arc<Seat>,
    conversation: OwnedMutexGuard<Conversation>,
    stop: watch::Receiver<bool>,
    session: Session,
    edits: Edits,
    /// What the model is asked, hidden parts first.
    message: Vec<String>,
    line: Option<(Line, Provider, Issuer)>,
    seen: Arc<Mutex<Seen>>,
}

/// Who asks for a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asker {
    /// A person: the turn that runs comes to its end.
    Person,
    /// A surface, which waits until the turn that runs is over.
    Surface,
}

/// A message, and the named person who sends it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) by: Option<PersonId>,
    pub(crate) text: String,
    /// The lines that the person selected.
    pub(crate) selection: Option<UserSelection>,
}

/// Begins the next turn.
pub(super) async fn begin(
    assistant: &Assistant,
    host: &Arc<Host>,
    seat: Arc<Seat>,
    Said { by, text, selection }: Said,
    asker: Asker,
) -> Result<Begun, Value> {
    if text.trim().is_empty() || text.len() > MESSAGE {
        let message = format!("a message has 1 to {MESSAGE} bytes: write it anew");
        return Err(
            json!({"code": "INVALID_ARGUMENTS", "place": "/text", "message": message, "retryable": false}),
        );
    }
    let mut conversation = match asker {
        Asker::Surface => Arc::clone(&seat.conversation).lock_owned().await,
        Asker::Person => {
            let mut freed = pin!(Arc::clone(&seat.conversation).lock_owned());
            loop {
                if seat.stop() {
                    // What runs can no longer commit, and ends the sooner.
                    let ended = host.end_turn(&seat.canvas, &seat.id).await;
                    ended.map_err(|error| engine_json(&error))?;
                }
                tokio::select! {
                    conversation = &mut freed => break conversation,
                    // A turn of a surface that has waited longer may begin meanwhile.
                    () = tokio::time::sleep(AGAIN) => {}
                }
            }
        }
    };
    let now = clock::now();
    let mut session = match conversation.session.take() {
        Some(session) => session,
        None => {
            let joined = Session::open(&host.engine, seat.canvas.clone(), seat.id.clone(), now).await;
            let session = joined.map_err(|error| engine_json(&error))?;
            if conversation.is_incomplete {
                let forgotten = session.forget(&host.engine, call(host, "forget"), now).await;
                forgotten.map_err(|error| session_json(&error))?;
                conversation.is_incomplete = false;
            }
            session
        }
    };
    let edits = seat.chat().edits;
    session.mode = edits.mode();
    // What the engine takes for seen from here on must be in the history once the turn is over.
    seat.keep_history(&conversation.history, true);
    let began = session.begin_turn_with(&host.engine, call(host, "message"), selection, now).await;
    let began = began.map_err(|error| session_json(&error))?;
    seat.append(host, Item::said(by, &text));
    let stop = seat.started();
    seat.chat().is_running = true;
    seat.publish_turn(host, None);
    let brief = Brief::take(host, &seat).await;
    let hidden = began.hidden_message.into_iter().chain(brief.messages());
    let message: Vec<String> = hidden.chain([text.clone()]).collect();
    let events: Vec<String> = brief.events.lines().collect();
    let known = Known { message: text.clone(), events: events.join("\n"), replies: Vec::new() };
    let seen = Arc::new(Mutex::new(Seen { known, ..Seen::default() }));
    let line = match assistant.voice() {
        Voice::None => None,
        Voice::Script(script) => {
            let answers = script.answers(&text, edits);
            let (provider, answers) = (script.provider, Arc::new(Mutex::new(answers.into())));
            let line = Line::Script { provider, answers, seen: Arc::clone(&seen) };
            Some((line, provider, provider.issuer("recorded")))
        }
        Voice::Live(model) => {
            let issuer = model.options.issuer(model.provider);
            Some((Line::Live(model.client.clone()), model.provider, issuer))
        }
    };
    let host = Arc::clone(host);
    Ok(Begun { host, seat, conversation, stop, session, edits, message, line, seen })
}

impl Begun {
    /// The number of the turn.
    pub(super) fn number(&self) -> u64 {
        json!(self.session.turn).as_u64().unwrap_or_default()
    }

    /// Runs the turn to its end, and gives what was said last.
    pub(super) async fn run(mut self) -> String {
        let said = match self.line.take() {
            Some(line) => self.drive(line).await,
            None => {
                let nobody = "No assistant is set up: start the studio with --script or --live.";
                self.seat.append(&self.host, Item::notice("NO_ASSISTANT", nobody, ""));
                String::new()
            }
        };
        let call = call(&self.host, "end");
        match self.session.end_turn(&self.host.engine, call, clock::now()).await {
            Ok(ended) => self.conversation.history.extend(ended.hidden_message.map(Event::user)),
            Err(error) => {
                let text = error.message();
                self.seat.append(&self.host, Item::notice(error.code(), &text, ""));
            }
        }
        self.conversation.history.extend(self.message.drain(..).map(Event::user));
        self.seat.keep_history(&self.conversation.history, false);
        self.conversation.session = Some(self.session);
        self.seat.chat().is_running = false;
        self.seat.publish_turn(&self.host, None);
        said
    }

    async fn drive(&mut self, (line, provider, issuer): (Line, Provider, Issuer)) -> String {
        let (host, seat) = (Arc::clone(&self.host), Arc::clone(&self.seat));
        let tools = Arc::new(tools::of(&host, self.edits));
        let briefing = tools.briefing_in(&host.engine, &self.session.mode);
        let options = TurnOptions::new(provider, issuer, briefing);
        let calls = Arc::new(Calls {
            host: Arc::clone(&host),
            seat: Arc::clone(&seat),
            tools,
            session: Mutex::new(self.session.clone()),
            seen: Arc::clone(&self.seen),
            stop: self.stop.clone(),
        });
        let mut history = std::mem::take(&mut self.conversation.history);
        history.extend(self.message.drain(..).map(Event::user));
        let last = Arc::new(Mutex::new(String::new()));
        let on_event = {
            let (host, seat, seen, last) = (host, seat, Arc::clone(&self.seen), Arc::clone(&last));
            move |event: TurnEvent<'_>| match event {
                TurnEvent::Stream(StreamEvent::Text { delta, .. }) => lock(&seen).said.push_str(delta),
                TurnEvent::Retry { .. } => lock(&seen).said.clear(),
                TurnEvent::Log(entry) if matches!(entry.event, LogEvent::Response { .. }) => {
                    let said = std::mem::take(&mut lock(&seen).said);
                    if !said.trim().is_empty() {
                        seat.append(&host, Item::text(Speaker::Assistant, said.trim()));
                        *lock(&last) = said.trim().to_owned();
                    }
                }
                _ => {}
            }
        };
        let turn = TurnDriver::new(options, line, Arc::clone(&calls)).with_history(history);
        let mut turn = turn.on_event(on_event);
        let outcome = tokio::select! {
            outcome = turn.run() => Some(outcome),
            _ = self.stop.wait_for(|stopped| *stopped) => None,
        };
        let outcome = match outcome {
            Some(outcome) => outcome,
            None => {
                turn.interrupt(Interruption::Cancel);
                turn.run().await
            }
        };
        self.conversation.history = turn.into_events();
        self.session = calls.session();
        if let Some(notice) = notice(&outcome) {
            self.seat.append(&self.host, notice);
        }
        lock(&last).clone()
    }
}

/// What a person is to know of the end of a turn.
fn notice(outcome: &Outcome) -> Option<Item> {
    Some(match outcome {
        Outcome::Completed => return None,
        Outcome::Interrupted { .. } => Item::notice(
            "TURN_ENDED",
            "You ended the assistant's turn.",
            "Send a message to begin the next one.",
        ),
        Outcome::TransportFailed { message, .. } => {
            let text = format!("The assistant was not reached: {message}.");
            Item::notice("TRANSPORT_FAILED", &text, "Send the message again.")
        }
        Outcome::Broken { code, message, .. } | Outcome::Unusable { code, message, .. } => {
            Item::notice(code, message, "Send the message again.")
        }
        other => {
            let text = format!("The turn ended early: {}.", other.name().replace('_', " "));
            Item::notice("TURN_ENDED", &text, "Send a message to go on.")
        }
    })
}

/// The id of a call that no other one has.
fn call(host: &Host, what: &str) -> CallId {
    CallId::new(&format!("{what}-{}", host.fresh())).expect("a short name and a number are an id")
}

pub(super) fn engine_json(error: &EngineError) -> Value {
    json!({"code": error.code(), "message": error.message(), "retryable": error.is_retryable()})
}

fn session_json(error: &SessionError) -> Value {
    json!({"code": error.code(), "message": error.message(), "retryable": error.is_retryable()})
}
