//! What pages may ask for, and who answers.

use std::sync::Arc;

use canvas_core::store::Store as _;
use canvas_core::turn::WorkMode;
use canvas_core::{CanvasId, OpKey, RevisionId};
use canvas_tools::UserSelection;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::assistant::{Edits, Said};
use crate::client::Client;
use crate::error::{Answer, Failure};
use crate::host::Host;
use crate::{
    board, clock, document, history, in_place, past, proposals, recipe, surface, trigger, work_mode,
};

/// Canvases that a page is told of.
const CANVASES: usize = 100;

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) enum Method {
    #[serde(rename = "hello")]
    Hello,
    #[serde(rename = "canvas.list")]
    List,
    #[serde(rename = "canvas.get")]
    Get,
    #[serde(rename = "canvas.create")]
    Create,
    #[serde(rename = "canvas.upsert")]
    Upsert,
    #[serde(rename = "canvas.patch")]
    Patch,
    #[serde(rename = "canvas.delete")]
    Delete,
    #[serde(rename = "canvas.open")]
    Open,
    #[serde(rename = "canvas.close")]
    Close,
    #[serde(rename = "canvas.action")]
    Action,
    #[serde(rename = "document.edit")]
    DocumentEdit,
    #[serde(rename = "document.structure")]
    DocumentStructure,
    #[serde(rename = "document.take_control")]
    TakeControl,
    #[serde(rename = "proposals.decide")]
    Decide,
    #[serde(rename = "chat.send")]
    ChatSend,
    #[serde(rename = "chat.settings")]
    ChatSettings,
    #[serde(rename = "chat.stop")]
    ChatStop,
    #[serde(rename = "board.action")]
    BoardAction,
    #[serde(rename = "board.command")]
    BoardCommand,
    #[serde(rename = "board.event")]
    BoardEvent,
    #[serde(rename = "history.undo")]
    Undo,
    #[serde(rename = "history.redo")]
    Redo,
    #[serde(rename = "history.clear")]
    ClearHistory,
    #[serde(rename = "history.diff")]
    Diff,
    #[serde(rename = "history.blame")]
    Blame,
    #[serde(rename = "versions.name")]
    NameVersion,
    #[serde(rename = "versions.remove")]
    RemoveVersion,
    #[serde(rename = "versions.restore")]
    Restore,
    #[serde(rename = "trigger.simulate")]
    Simulate,
    #[serde(rename = "trigger.accept")]
    Accept,
    #[serde(rename = "recipe.refresh")]
    Refresh,
    #[serde(rename = "recipe.rebuild")]
    Rebuild,
    #[serde(rename = "people.work_mode")]
    WorkMode,
}

impl Method {
    pub(crate) fn named(name: &str) -> Option<Self> {
        serde_json::from_value(name.into()).ok()
    }

    /// Whether it waits for tools or for the assistant, so that others need not wait for it.
    pub(crate) fn is_overtaken(self) -> bool {
        matches!(self, Self::Action | Self::ChatSend | Self::Refresh | Self::Rebuild)
    }

    /// Whether the engine keeps no receipt of it, so that this process has to.
    fn needs_receipt(self) -> bool {
        matches!(
            self,
            Self::ChatSend
                | Self::ChatStop
                | Self::BoardEvent
                | Self::Simulate
                | Self::Refresh
                | Self::Rebuild
                // What it undoes may depend on the canvas.
                | Self::Undo
                | Self::BoardAction
        )
    }
}

/// The canvas that a request names.
pub(crate) fn canvas(params: &Value) -> Option<CanvasId> {
    CanvasId::new(params["canvasId"].as_str()?).ok()
}

/// Answers a request. The same one again is answered as it was.
pub(crate) async fn run(
    host: &Arc<Host>,
    client: &Client,
    id: &str,
    method: Method,
    params: Value,
) -> Answer {
    if !method.needs_receipt() {
        return dispatch(host, client, id, method, params).await;
    }
    let receipt = host.receipts.of(client, id);
    let answer = receipt.get_or_try_init(|| dispatch(host, client, id, method, params)).await;
    answer.cloned()
}

async fn dispatch(host: &Arc<Host>, client: &Client, id: &str, method: Method, params: Value) -> Answer {
    let key = || client.operation(id);
    match method {
        Method::Hello => hello(host, client).await,
        Method::List => surface::request(host, client, &key()?, "canvas.list", params).await,
        Method::Get => surface::get(host, client, &key()?, params).await,
        Method::Create => surface::request(host, client, &key()?, "canvas.create", params).await,
        Method::Upsert => surface::request(host, client, &key()?, "canvas.upsert", params).await,
        Method::Patch => surface::request(host, client, &key()?, "canvas.patch", params).await,
        Method::Delete => surface::request(host, client, &key()?, "canvas.delete", params).await,
        Method::Open => open(host, client, id, params).await.map(|(answer, _)| answer),
        Method::Close => surface::close(host, client, &key()?, params).await,
        Method::Action => surface::request(host, client, &key()?, "canvas.action", params).await,
        Method::DocumentEdit => document::edit(host, &key()?, params).await,
        Method::DocumentStructure => in_place::edit(host, &key()?, params).await,
        Method::TakeControl => document::take_control(host, &key()?, params).await,
        Method::Decide => proposals::decide(host, key()?, params).await,
        Method::ChatSend => send(host, client, params).await,
        Method::ChatSettings => settings(host, client, params).await,
        Method::ChatStop => stop(host, client, &key()?, params).await,
        Method::BoardAction => board::action(host, &key()?, params).await,
        Method::BoardCommand => board::command(host, &key()?, params).await,
        Method::BoardEvent => board::event(host, params).await,
        Method::Undo => history::undo_some(host, &key()?, params).await,
        Method::Redo => history::redo_some(host, &key()?, params).await,
        Method::ClearHistory => history::clear_history(host, &key()?, params).await,
        Method::Diff => past::diff(host, params).await,
        Method::Blame => past::blame(host, params).await,
        Method::NameVersion => past::name(host, &key()?, params).await,
        Method::RemoveVersion => past::remove(host, &key()?, params).await,
        Method::Restore => past::restore(host, &key()?, params).await,
        Method::Simulate => trigger::simulate(host, params).await,
        Method::Accept => trigger::accept(host, &key()?, params).await,
        Method::Refresh => recipe::refresh(host, &key()?, params).await,
        Method::Rebuild => recipe::rebuild(host, client, params).await,
        Method::WorkMode => work_mode::set(host, &key()?, params).await,
    }
}

/// A page shows a canvas from now on, and is sent its events.
pub(crate) async fn open(
    host: &Arc<Host>,
    client: &Client,
    id: &str,
    params: Value,
) -> Result<(Value, Receiver<Utf8Bytes>), Failure> {
    surface::open(host, client, &client.operation(id)?, params).await
}

async fn hello(host: &Host, client: &Client) -> Answer {
    let canvases = host.engine.store().list(None, CANVASES).await;
    let canvases = canvases.map_err(canvas_core::EngineError::Store)?;
    Ok(json!({
        "canvases": canvases,
        "canvas": host.first,
        "person": client.person().cloned().unwrap_or_default(),
        "frameOrigin": host.origins.frame(),
        "ttl": host.engine.policy().lease.ttl.as_millis() as u64,
        "assistant": host.assistant.voice().name(),
        "now": clock::now(),
    }))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Message {
    canvas_id: CanvasId,
    text: String,
    #[serde(default)]
    selection: Option<Selection>,
}

/// Lines that the person selected in the document of a revision, counted from 1.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Selection {
    start_line: usize,
    end_line: usize,
    base_revision_id: RevisionId,
}

impl From<Selection> for UserSelection {
    fn from(Selection { start_line, end_line, base_revision_id }: Selection) -> Self {
        Self { start_line, end_line, base_revision_id }
    }
}

/// A message to the assistant.
async fn send(host: &Arc<Host>, client: &Client, params: Value) -> Answer {
    let Message { canvas_id, text, selection } = Failure::read(params)?;
    let said = Said { by: client.person().cloned(), text, selection: selection.map(Into::into) };
    let turn = host.assistant.send(host, &canvas_id, said).await.map_err(Failure)?;
    Ok(json!({"turn": turn}))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Settings {
    canvas_id: CanvasId,
    edits: Edits,
}

async fn settings(host: &Host, client: &Client, params: Value) -> Answer {
    let Settings { canvas_id, edits } = Failure::read(params)?;
    host.engine.revision_of(&canvas_id).await?;
    host.assistant.set_edits(host, &canvas_id, client.person(), edits).await?;
    Ok(json!({}))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stop {
    canvas_id: CanvasId,
}

/// Ends the turn in which the person waits. If all conversations share it, the person takes control.
async fn stop(host: &Host, client: &Client, operation: &OpKey, params: Value) -> Answer {
    let Stop { canvas_id } = Failure::read(params.clone())?;
    if host.work_mode(&canvas_id).await? == WorkMode::Exclusive {
        return document::take_control(host, operation, params).await;
    }
    host.assistant.cancel(host, &canvas_id, client.person()).await?;
    Ok(json!({}))
}
