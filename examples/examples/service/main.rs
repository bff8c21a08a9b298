//! Documents over HTTP in an SQLite file, for several people and their assistants: create, read, type, chat with a model,
//! undo, history and live updates.
//!
//! `cargo run -p canvas-examples --features web --example service -- notes.db --port 8080`
//!
//! | request | what it does |
//! | --- | --- |
//! | `POST /documents/ID` `{"markdown", "mode"?}` | makes a document, in `collaborative` unless `mode` is `exclusive` |
//! | `GET /documents/ID` | its text, its revision, and the number of its last change |
//! | `PUT /documents/ID` `{"markdown", "base"}` | what a person has made of the text of revision `base` |
//! | `POST /documents/ID/chat` `{"message", "selection"?}` | a turn of the model, which may edit; answers with its name and its events |
//! | `POST /documents/ID/suggest` `{"message", "selection"?}` | the same, but the model's edits wait for a decision |
//! | `GET /documents/ID/proposals` | the edits that wait, in parts with their lines before and after |
//! | `POST /documents/ID/decide` `{"accept", "reject", "note"?, "seen"?}` | accepts and rejects parts |
//! | `POST /documents/ID/undo` `"mine"` | undoes the person's last change, or all of a `{"conversation"}`, and keeps the rest |
//! | `POST /documents/ID/redo` `null` | redoes what the person's last undo has undone |
//! | `GET /documents/ID/history` | its changes, oldest first |
//! | `GET /documents/ID/changes` | the same as server-sent events, then each change as it happens |
//! | `GET /documents/ID/blame` | who last wrote which lines |
//! | `GET /documents/ID/revisions/N` | the text of revision `N` |
//! | `GET /documents/ID/versions` | the named versions, oldest first |
//! | `POST /documents/ID/versions` `{"label", "note"?}` | names the current revision |
//! | `GET /documents/ID/versions/LABEL` | the text of a version; `DELETE` removes the version |
//! | `POST /documents/ID/restore` `{"revision"}` or `{"version"}` | makes an earlier text the current one, as a change that undo takes back |
//!
//! A `restore` that is sent again fails if its version was removed or its revision collected meanwhile. The document is then as the
//! first one left it.
//!
//! `selection` is the lines that the person selected, `{"start_line", "end_line", "base_revision_id"}`.
//!
//! Bodies and answers are JSON. A write may have an `Idempotency-Key`: sent again with the same key, it is answered and not
//! done again, also after a restart. An error is `{"error": {"code", "message", "retryable"}, "details"}`: where a person's
//! edit does not go with what others have written, the details have both texts.
//!
//! There is no login. Put a proxy before it that verifies who asks, and sets the header `x-forwarded-user` or drops it. Each
//! request is by this person, or by `user` without the header.

mod model;

use std::{
    error::Error, future::ready, io, io::Write as _, net::Ipv4Addr, num::NonZeroU32, sync::Arc,
    time::Duration,
};

use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::{HeaderMap, StatusCode, request::Parts};
use axum::response::{IntoResponse, Response, sse};
use axum::routing::{get, post};
use axum::{Json, Router};
use canvas_core::document::{Base, Edit};
use canvas_core::history::{
    At, BlamedLines, ChangeSelection, ChangesOf, EntryNumber, HistoryEntry, RedoOf, Undo, UndoScope,
};
use canvas_core::proposal::DecideParts;
use canvas_core::store::Blocking;
use canvas_core::turn::{SetWorkMode, WorkMode};
use canvas_core::version::{NameVersion, RemoveVersion, Restore, VersionLabel};
use canvas_core::{
    Author, BlobId, CallId, CallIds, CanvasId, CodedError as _, Command, ConversationId, Engine, ErrorReport,
    Follow, OpKey, PersonId, Policy, Revision, RevisionId, Snapshot,
};
use canvas_examples::http::http_status;
use canvas_providers::{Event, Provider, TurnDriver, TurnOptions};
use canvas_store_sqlite::{SqliteStore, system_clock as now};
use canvas_tools::{CanvasCalls, DocumentTools, Session, SessionMode, Tools, UserSelection};
use futures_util::StreamExt as _;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::{net::TcpListener, signal::unix};

/// What all requests share. Any number of them may be at the engine at once.
struct Service {
    engine: Arc<Engine<Blocking<SqliteStore>>>,
    tools: Arc<Tools<Blocking<SqliteStore>>>,
    model: model::Scripted,
    /// Who sends a request. The engine only records the name, so the host verifies it here.
    identity: fn(&HeaderMap) -> Result<PersonId, ErrorReport>,
    /// For requests that bring no key.
    ids: CallIds,
}

type Answer = Result<Json<Value>, Failure>;

/// The first text, and how people and assistants work on it.
#[derive(Deserialize)]
struct New {
    markdown: String,
    #[serde(default = "collaborative")]
    mode: WorkMode,
}

const fn collaborative() -> WorkMode {
    WorkMode::Collaborative
}

/// A text, and the revision that it was made from.
#[derive(Deserialize)]
struct Text {
    markdown: String,
    base: Option<RevisionId>,
}

/// A person's message, and the lines that the person selected.
#[derive(Deserialize)]
struct Message {
    message: String,
    selection: Option<UserSelection>,
}

/// The name of the current revision.
#[derive(Deserialize)]
struct Name {
    label: VersionLabel,
    note: Option<String>,
}

#[derive(Deserialize)]
struct OfRevision {
    revision: Revision,
}

#[derive(Deserialize)]
struct OfVersion {
    label: VersionLabel,
}

/// An earlier text.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Earlier {
    Revision(Revision),
    Version(VersionLabel),
}

impl From<Earlier> for At {
    fn from(earlier: Earlier) -> Self {
        match earlier {
            Earlier::Revision(revision) => revision.into(),
            Earlier::Version(label) => label.into(),
        }
    }
}

/// The changes to undo: the person's last one, or all of a model's conversation.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Whose {
    Mine,
    Conversation(ConversationId),
}

/// Two operations with one key each: where the service ends in between, the same request does the second one.
async fn create(to: Target, Body(New { markdown, mode }): Body<New>) -> Answer {
    let (engine, key) = (&to.service.engine, OpKey::host(to.call.clone()));
    let created = engine.create(&to.canvas, &markdown, &key, now()).await?;
    let of_mode = OpKey::of(ConversationId::new("mode")?, to.call);
    engine.call(&to.canvas, &of_mode, SetWorkMode { mode }, now()).await?.result?;
    Ok(Json(json!({"revision": created.revision})))
}

async fn read(to: Target) -> Answer {
    Ok(Json(shown(&to.service.engine.snapshot(&to.canvas, now()).await?)))
}

fn shown(snapshot: &Snapshot) -> Value {
    let (revision, change) = (snapshot.revision_id(), snapshot.head.journal().entries);
    json!({"markdown": snapshot.text(), "revision": revision, "change": change})
}

/// What others have written since the base stays, as long as both have not changed one place.
async fn edit(to: Target, Body(Text { markdown, base }): Body<Text>) -> Answer {
    write(to, Edit { markdown, base: base.map(Base::Id) }).await
}

async fn proposals(to: Target) -> Answer {
    let (open, snapshot) = to.service.engine.proposals(&to.canvas, now()).await?;
    Ok(Json(json!({"proposals": open.list(), "current": shown(&snapshot)})))
}

async fn decide(to: Target, Body(decision): Body<DecideParts>) -> Answer {
    write(to, decision).await
}

async fn undo(to: Target, Body(whose): Body<Whose>) -> Answer {
    let selected = match whose {
        Whose::Mine => {
            ChangeSelection { last: Some(NonZeroU32::MIN), ..ChangesOf::Person(to.person.clone()).into() }
        }
        Whose::Conversation(conversation) => ChangesOf::Conversation(conversation).into(),
    };
    write(to, Undo { by: Author::User, what: UndoScope::Select(selected) }).await
}

async fn redo(to: Target, Body(()): Body<()>) -> Answer {
    let person = to.person.clone();
    write(to, RedoOf { by: Author::User, person }).await
}

/// Does what a person asks for. A refusal comes with what was sent and with the text that is there.
async fn write<C: Command>(to: Target, command: C) -> Answer {
    let key = &OpKey::person(to.person, to.call);
    let answered = to.service.engine.call(&to.canvas, key, command, now()).await?;
    let current = shown(&answered.snapshot);
    match answered.result {
        Ok(done) => Ok(Json(json!({"done": done, "current": current}))),
        Err(refusal) => Err(Failure(refusal.report(), json!({"refused": refusal, "current": current}))),
    }
}

async fn history(to: Target) -> Answer {
    let entries = to.service.engine.history_after(&to.canvas, None, 1_000, now()).await?;
    Ok(Json(entries.iter().map(HistoryEntry::from).map(|change| json!(change)).collect()))
}

async fn blame(to: Target) -> Answer {
    let blamed = to.service.engine.blame(&to.canvas, None, now()).await?.into_iter();
    let row = |lines: BlamedLines| json!({"start_line": lines.start_line, "end_line": lines.end_line, "writer": lines.writer});
    Ok(Json(blamed.map(row).collect()))
}

async fn of_revision(to: Target, Part(OfRevision { revision }): Part<OfRevision>) -> Answer {
    past(to, revision.into()).await
}

async fn of_version(to: Target, Part(OfVersion { label }): Part<OfVersion>) -> Answer {
    past(to, label.into()).await
}

async fn past(to: Target, at: At) -> Answer {
    let past = to.service.engine.document_at(&to.canvas, at, now()).await?;
    Ok(Json(json!({"markdown": past.text(), "revision": past.revision_id})))
}

async fn versions(to: Target) -> Answer {
    Ok(Json(json!(to.service.engine.versions(&to.canvas, now()).await?)))
}

async fn name(to: Target, Body(Name { label, note }): Body<Name>) -> Answer {
    write(to, NameVersion { label, note, of: None }).await
}

async fn remove(to: Target, Part(OfVersion { label }): Part<OfVersion>) -> Answer {
    write(to, RemoveVersion { label }).await
}

async fn restore(to: Target, Body(earlier): Body<Earlier>) -> Answer {
    let document = to.service.engine.document_at(&to.canvas, earlier, now()).await?;
    write(to, Restore { faces: document.into() }).await
}

/// Nothing queues for a client that is slow: a change is read when it is sent.
async fn changes(to: Target, headers: HeaderMap) -> Result<impl IntoResponse, Failure> {
    to.service.engine.revision_of(&to.canvas).await?;
    // A browser that connects again names the last event that it got.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let follow = Follow::new(Arc::clone(&to.service.engine), &to.canvas, last.map(EntryNumber::new), now);
    // Where the store does not answer, the stream ends, and the client connects again.
    let events = follow.scan((), |(), change| {
        let change = change.as_ref().ok().map(HistoryEntry::from);
        ready(change.map(|change| sse::Event::default().id(change.number.to_string()).json_data(change)))
    });
    Ok(sse::Sse::new(events.take_until(told_to_end())).keep_alive(sse::KeepAlive::default()))
}

/// In a task of its own: where the client goes away, the turn still comes to its end and gives its lease back.
async fn chat(to: Target, Body(message): Body<Message>) -> Answer {
    tokio::spawn(turn(to, message, SessionMode::Direct)).await.expect("a turn does not panic")
}

async fn suggest(to: Target, Body(message): Body<Message>) -> Answer {
    tokio::spawn(turn(to, message, SessionMode::propose())).await.expect("a turn does not panic")
}

/// Each message is a conversation of its own, whose model is sent the whole text. A host that keeps chats stores the events of
/// the turn with the name of the conversation; its model is sent what has changed since.
async fn turn(
    Target { service, canvas, person, call }: Target,
    Message { message, selection }: Message,
    mode: SessionMode,
) -> Answer {
    let (engine, tools) = (&service.engine, &service.tools);
    // The same for a request that is sent again, and nobody else's.
    let chat = ConversationId::new(&format!("chat-{}", BlobId::of(format!("{call}\n{person}").as_bytes())))?;
    let briefing = tools.briefing_in(engine, &mode);
    let session = Session { mode, ..Session::open(engine, canvas, chat.clone(), now()).await? };
    let calls = Arc::new(CanvasCalls::new(Arc::clone(engine), Arc::clone(tools), session));
    let began = calls.begin_turn_with(call, selection, now()).await?;
    let history = began.hidden_message.into_iter().chain([message]).map(Event::user).collect();
    let provider = Provider::Anthropic;
    let options = TurnOptions::new(provider, provider.issuer("a-model"), briefing);
    let mut turn = TurnDriver::new(options, service.model, Arc::clone(&calls)).with_history(history);
    let outcome = turn.run().await;
    calls.end_turn(service.ids.fresh(), now()).await?;
    let said: String = turn.events().iter().filter_map(Event::assistant_text).collect();
    let (outcome, events) = (outcome.name(), turn.events());
    Ok(Json(json!({"conversation": chat, "said": said, "outcome": outcome, "events": events})))
}

/// Which document a request is about, who sends it, and the id under which the engine remembers it.
struct Target {
    service: Arc<Service>,
    canvas: CanvasId,
    person: PersonId,
    call: CallId,
}

impl FromRequestParts<Arc<Service>> for Target {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, Failure> {
        let Part(Of { id: canvas }) = Part::from_request_parts(parts, service).await?;
        let key = parts.headers.get("idempotency-key").map(|key| key.to_str().unwrap_or_default());
        let call = key.map_or_else(|| Ok(service.ids.fresh()), CallId::new)?;
        let person = (service.identity)(&parts.headers)?;
        Ok(Self { service: Arc::clone(service), canvas, person, call })
    }
}

#[derive(Deserialize)]
struct Of {
    id: CanvasId,
}

/// Parts of the path, by their names in the route.
struct Part<T>(T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Service>> for Part<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, Failure> {
        let read = Path::from_request_parts(parts, service).await;
        let Path(part) = read.map_err(|error| ErrorReport::invalid(error.body_text()))?;
        Ok(Self(part))
    }
}

/// A body in JSON. Another type of content is refused, so that pages of other sites can send none.
struct Body<T>(T);

impl<T: DeserializeOwned> FromRequest<Arc<Service>> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Failure> {
        let read = Json::from_request(request, service).await;
        let Json(body) = read.map_err(|error| ErrorReport::invalid(error.body_text()))?;
        Ok(Self(body))
    }
}

/// The error, and what else the client needs to go on.
struct Failure(ErrorReport, Value);

impl<E: Into<ErrorReport>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into(), Value::Null)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(http_status(&self.0)).expect("it is one");
        (status, Json(json!({"error": self.0, "details": self.1}))).into_response()
    }
}

/// The name from a proxy that has verified it, or `user`.
fn forwarded_user(headers: &HeaderMap) -> Result<PersonId, ErrorReport> {
    let Some(name) = headers.get("x-forwarded-user") else { return Ok(PersonId::default()) };
    let name = std::str::from_utf8(name.as_bytes());
    let name =
        name.map_err(|error| ErrorReport::invalid(format!("x-forwarded-user: {error}: send UTF-8")))?;
    Ok(PersonId::new(name)?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: service FILE [--port PORT [--model-ms MS]]")?;
    let port = arguments.nth(1).map_or(Ok(0), |port| port.parse())?;
    let model_ms = arguments.nth(1).map_or(Ok(0), |millis| millis.parse())?;
    // A commit waits for the disk on a thread where it may.
    let store = SqliteStore::open(file, now)?;
    let store = Blocking::new(store).with_spawn(|job| drop(tokio::task::spawn_blocking(job)));
    let service = Arc::new(Service {
        engine: Arc::new(Engine::new(store, Policy::default()).with_sleep(tokio::time::sleep)),
        tools: Arc::new(Tools::new(DocumentTools::default())?),
        model: model::Scripted { delay: Duration::from_millis(model_ms) },
        identity: forwarded_user,
        ids: CallIds::new(getrandom::u64()?),
    });
    let routes = Router::new()
        .route("/documents/{id}", post(create).get(read).put(edit))
        .route("/documents/{id}/chat", post(chat))
        .route("/documents/{id}/suggest", post(suggest))
        .route("/documents/{id}/proposals", get(proposals))
        .route("/documents/{id}/decide", post(decide))
        .route("/documents/{id}/undo", post(undo))
        .route("/documents/{id}/redo", post(redo))
        .route("/documents/{id}/history", get(history))
        .route("/documents/{id}/changes", get(changes))
        .route("/documents/{id}/blame", get(blame))
        .route("/documents/{id}/revisions/{revision}", get(of_revision))
        .route("/documents/{id}/versions", get(versions).post(name))
        .route("/documents/{id}/versions/{label}", get(of_version).delete(remove))
        .route("/documents/{id}/restore", post(restore))
        .with_state(service);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    writeln!(io::stdout(), "http://{}", listener.local_addr()?)?;
    Ok(axum::serve(listener, routes).with_graceful_shutdown(told_to_end()).await?)
}

/// Comes when the process is to end. A stream of changes has no end of its own, so it waits for this too.
async fn told_to_end() {
    unix::signal(unix::SignalKind::terminate()).expect("a runtime is here").recv().await;
}
