//! What one process has for all its pages.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use canvas_core::board::{DataLoadingState, Workspace};
use canvas_core::policy::WriteRules;
use canvas_core::store::BoxStore;
use canvas_core::surface::RunnerId;
use canvas_core::turn::{Cancel, TakeControl, WorkMode};
use canvas_core::{
    CallId, CanvasId, Command, ConversationId, Engine, EngineError, OpKey, Policy, Revision, Snapshot,
};
use canvas_tools::ToolReply;
use canvas_tools::recipe::Refresher;
use canvas_tools::surface::SurfaceDoor;
use serde_json::{Value, json};
use tokio::sync::broadcast::Receiver;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::assistant::{Assistant, Voice};
use crate::client::{Clients, Receipts};
use crate::clock;
use crate::data::{self, Data};
use crate::demo;
use crate::document::Texts;
use crate::error::Failure;
use crate::fan::{Fan, Opened};
use crate::follow;
use crate::guard::Origins;
use crate::jobs;
use crate::options::Options;
use crate::people::People;
use crate::tools::{StudioTools, ceiling};
use crate::trigger::Triggers;

/// The canvas that a studio starts with.
const FIRST: &str = "studio";

/// The engine and what stands around it.
#[derive(Debug)]
pub struct Host {
    pub(crate) engine: Arc<Engine>,
    pub(crate) origins: Origins,
    pub(crate) first: CanvasId,
    pub(crate) door: Arc<SurfaceDoor>,
    pub(crate) tool_host: Arc<StudioTools>,
    pub(crate) refresher: Arc<Refresher>,
    pub(crate) assistant: Arc<Assistant>,
    /// Who shows what.
    pub fan: Fan,
    pub(crate) data: Data,
    pub(crate) texts: Texts,
    pub(crate) triggers: Triggers,
    pub(crate) clients: Clients,
    pub(crate) people: People,
    pub(crate) receipts: Receipts,
    /// How long a page may take to read what it is sent.
    pub(crate) patience: Duration,
    revisions: Mutex<HashMap<CanvasId, u64>>,
    /// Begins the ids of this process.
    start: String,
    made: AtomicU64,
}

impl Host {
    pub(crate) async fn start(
        options: &Options,
        store: BoxStore,
        voice: Voice,
        origins: Origins,
    ) -> Result<Arc<Self>, String> {
        let mut random = [0_u8; 16];
        getrandom::fill(&mut random)
            .map_err(|e| format!("the system gives no random bytes ({e}): start again"))?;
        let mut start = String::new();
        for byte in &random[..8] {
            write!(start, "{byte:02x}").expect("a string takes everything");
        }
        let seed = u64::from_le_bytes(random[8..].try_into().expect("8 bytes"));
        let policy = Policy {
            writes: WriteRules { rebase: true, retake: true, ..Default::default() },
            ..Policy::default()
        };
        let ceiling = Arc::new(ceiling(options.tools_version));
        let engine = Engine::new(store, policy).with_ceiling(ceiling).with_sleep(tokio::time::sleep);
        let runner = RunnerId::new(&format!("studio-{start}")).expect("a short name");
        let host = Arc::new(Self {
            engine: Arc::new(engine),
            origins,
            first: CanvasId::new(FIRST).expect("a short name"),
            door: Arc::new(SurfaceDoor::new(runner, seed)),
            tool_host: Arc::default(),
            refresher: Arc::default(),
            assistant: Arc::new(Assistant::new(voice, options.db.clone())),
            fan: Fan::default(),
            data: Data::default(),
            texts: Texts::default(),
            triggers: Triggers::default(),
            clients: Clients::default(),
            people: People::default(),
            receipts: Receipts::default(),
            patience: options.patience,
            revisions: Mutex::default(),
            start,
            made: AtomicU64::new(0),
        });
        demo::make(&host).await?;
        tokio::spawn(jobs::run(Arc::downgrade(&host)));
        tokio::spawn(data::run(Arc::downgrade(&host)));
        Ok(host)
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// A part of an id that nothing else has.
    pub(crate) fn fresh(&self) -> String {
        format!("{}-{}", self.start, self.made.fetch_add(1, Ordering::Relaxed))
    }

    /// The key of something that this process does by itself.
    pub(crate) fn operation(&self) -> OpKey {
        let conversation = ConversationId::new("studio").expect("a short name");
        let call = CallId::new(&self.fresh()).expect("a short name");
        OpKey::of(conversation, call)
    }

    /// Does what a person asks for.
    pub(crate) async fn act<C: Command>(
        &self,
        canvas: &CanvasId,
        operation: &OpKey,
        command: C,
    ) -> Result<(C::Done, Snapshot), Failure> {
        let answered = self.engine.call(canvas, operation, command, clock::now()).await?;
        match answered.result {
            Ok(done) => Ok((done, answered.snapshot)),
            Err(refusal) => Err(Failure::refused(&refusal)),
        }
    }

    /// Ends the turn of a conversation for a person. If all conversations share one turn, it ends with its lease. The loop
    /// of the turn is told elsewhere.
    pub(crate) async fn end_turn(
        &self,
        canvas: &CanvasId,
        conversation: &ConversationId,
    ) -> Result<(), EngineError> {
        let operation = self.operation();
        // Neither command is refused on a canvas that exists.
        match self.work_mode(canvas).await? {
            WorkMode::Exclusive => {
                drop(self.engine.call(canvas, &operation, TakeControl, clock::now()).await?)
            }
            WorkMode::Collaborative => {
                let operation = OpKey::of(conversation.clone(), operation.call);
                drop(self.engine.call(canvas, &operation, Cancel, clock::now()).await?);
            }
        }
        Ok(())
    }

    /// Whether the conversations of a canvas share one turn.
    pub(crate) async fn work_mode(&self, canvas: &CanvasId) -> Result<WorkMode, EngineError> {
        Ok(self.engine.snapshot(canvas, clock::now()).await?.head.work_mode())
    }

    /// The events of a canvas from now on. With the first page of a canvas following it begins, and each page waits until
    /// it has: a commit that comes before would be no news, and the page might have read an older state.
    pub(crate) async fn follow(self: &Arc<Self>, canvas: &CanvasId) -> Receiver<Utf8Bytes> {
        let Opened { events, mut begun, first } = self.fan.open(canvas);
        if let Some(first) = first {
            tokio::spawn(follow::canvas(Arc::downgrade(self), canvas.clone(), first));
        }
        while begun.changed().await.is_ok() {}
        events
    }

    /// Sends an event to all pages that show the canvas.
    pub(crate) fn publish(&self, canvas: &CanvasId, event: &str, mut payload: Value) {
        payload["canvasId"] = json!(canvas);
        if payload.get("revision").is_none() {
            let revisions = self.revisions.lock().unwrap_or_else(PoisonError::into_inner);
            payload["revision"] = revisions.get(canvas).copied().unwrap_or_default().into();
        }
        self.fan.send(canvas, event, &payload);
    }

    /// The newest revision that events name.
    pub(crate) fn note_revision(&self, canvas: &CanvasId, revision: Revision) -> u64 {
        let revision = revision.get();
        self.revisions.lock().unwrap_or_else(PoisonError::into_inner).insert(canvas.clone(), revision);
        revision
    }

    /// What a call of the assistant did on the board. What it did elsewhere is seen by who follows the canvas.
    pub(crate) fn after_reply(&self, canvas: &CanvasId, reply: &ToolReply) {
        for id in &reply.board().fetch {
            self.data.refresh(canvas, id);
        }
    }

    /// The board with the data of its components; `None` where the canvas has none.
    pub(crate) async fn workspace(&self, canvas: &CanvasId) -> Result<Option<Workspace>, EngineError> {
        let (board, _) = self.engine.board(canvas, clock::now()).await?;
        let Some(board) = board else { return Ok(None) };
        let (made, _) = self.engine.data(canvas, clock::now()).await?;
        let mut workspace = board.workspace(|_| DataLoadingState::Idle);
        let changed = self.data.track(canvas, &workspace.canvas.components, &made);
        data::publish(self, canvas, changed);
        for component in &mut workspace.canvas.components {
            component.data_state = self.data.state(canvas, &component.id);
        }
        Ok(Some(workspace))
    }
}
