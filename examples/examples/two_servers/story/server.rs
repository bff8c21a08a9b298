//! One server: an engine on the common store, a listener, one conversation, and a user who is connected here.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

use canvas_core::document::{Edit, Edited};
use canvas_core::lease::Epoch;
use canvas_core::text::truncate;
use canvas_core::{CallIds, CanvasId, ConversationId, Engine, OpKey, Policy, Snapshot};
use canvas_providers::Event;
use canvas_store_postgres::{Listener, Notification};
use canvas_tools::{DocumentTools, Session, Tools};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_postgres::NoTls;

use super::database::{canvas_state, now};
use super::protocol::{Milestone, Written};
use super::script::CANVAS;
use super::slow::SlowStore;
use super::{Database, Order, ServerEvent, ServerScript, StoryResult};

/// Where a server's events go.
pub(crate) type EventSink = Box<dyn Fn(ServerEvent) + Send + Sync>;

/// A server and its memory, none of which it shares with the other.
pub(super) struct Server {
    pub(super) script: &'static ServerScript,
    pub(super) engine: Arc<Engine<SlowStore>>,
    pub(super) tools: Arc<Tools<SlowStore>>,
    pub(super) listener: Listener,
    pub(super) session: Session,
    /// The conversation, as it goes to the provider.
    pub(super) history: Vec<Event>,
    /// The newest epoch that this server knows of.
    pub(super) epoch: Epoch,
    pub(super) orders: UnboundedReceiver<Order>,
    emit: EventSink,
    /// For calls of the user and the host.
    pub(super) ids: CallIds,
}

/// Serves until there are no more orders.
///
/// # Errors
///
/// If the store fails, or something happens that is not in the script.
pub(crate) async fn serve(
    script: &'static ServerScript,
    database: &Database,
    orders: UnboundedReceiver<Order>,
    emit: EventSink,
) -> StoryResult {
    let listener = Listener::connect(database.config.clone(), NoTls, database.listening()).await?;
    let engine = Engine::new(SlowStore::new(database.store()?), Policy::default());
    let engine = Arc::new(engine.with_sleep(tokio::time::sleep));
    let tools = Arc::new(Tools::new(DocumentTools::default())?);
    let (canvas, conversation) = (CanvasId::new(CANVAS)?, ConversationId::new(script.chat)?);
    let session = Session::open(&engine, canvas, conversation, now()).await?;
    let (history, epoch) = (Vec::new(), session.start.epoch);
    // The standard library's keys of hash maps are drawn at random; a host that has `getrandom` takes that.
    let ids = CallIds::new(RandomState::new().build_hasher().finish());
    let mut server = Server { script, engine, tools, listener, session, history, epoch, orders, emit, ids };
    server.print(format!("serves {}, and listens for notices of other servers", script.chat));
    server.reached(Milestone::Ready);
    loop {
        let order = tokio::select! {
            order = server.orders.recv() => order,
            // No loop runs now that a notice could interrupt.
            notice = server.listener.next() => {
                if let Notification::Preempted { canvas, .. } = notice {
                    server.engine.forget(&canvas);
                }
                continue;
            }
        };
        match order {
            Some(Order::Message) => server.message().await?,
            Some(Order::Answer) => server.answer().await?,
            Some(Order::Type) => server.types().await?,
            Some(Order::Report) => {
                server.emit(ServerEvent::CanvasState(canvas_state(&server.snapshot().await?)))
            }
            Some(Order::ReleaseCommit) => return Err("no commit is held up: report this".into()),
            None => return Ok(()),
        }
    }
}

impl Server {
    /// The user sends the script's message: the running turn of the canvas ends, the next begins.
    async fn message(&mut self) -> StoryResult {
        self.print(format!("user: “{}”", self.script.message));
        let call = self.ids.fresh();
        let began = self.session.begin_turn(&self.engine, call, now()).await?;
        self.epoch = began.epoch;
        let revision = self.snapshot().await?.revision_id();
        self.print(format!("  turn {} begins at {revision}, epoch {}", self.session.turn.get(), self.epoch));
        if let Some(hidden) = began.hidden_message {
            self.print("  a hidden message has what the model has not seen:".into());
            hidden.lines().for_each(|line| self.print(format!("    | {}", truncate(line, 90))));
            self.history.push(Event::user(hidden));
        }
        self.history.push(Event::user(self.script.message));
        self.reached(Milestone::TurnBegan);
        Ok(())
    }

    /// The user types into the document, whoever has the lease.
    async fn types(&mut self) -> StoryResult {
        let before = self.snapshot().await?;
        let lease = before.head.lock().valid_lease(&self.engine.policy().lease, before.clock);
        let lock = lease.map_or_else(|| "unlocked".to_owned(), |lease| format!("locked by {}", lease.id));
        self.print(format!("shows its user {}, {lock}; the user types all the same", before.revision_id()));
        let (old, new) = self.script.typed;
        let markdown = before.text().replacen(old, new, 1);
        let operation = OpKey::user(self.ids.fresh());
        let answered =
            self.engine.call(&self.session.canvas, &operation, Edit::overwrite(markdown), now()).await?;
        let Edited { epoch, revision, .. } = answered.result?;
        self.epoch = epoch;
        self.print(format!("user: “{old}” becomes “{new}”: {revision}, epoch {epoch}"));
        self.written(Written {
            revision, epoch, who: "user".into(), what: format!("“{old}” → “{new}”")
        });
        self.reached(Milestone::Typed);
        Ok(())
    }

    pub(super) async fn snapshot(&self) -> StoryResult<Snapshot> {
        Ok(self.engine.snapshot(&self.session.canvas, now()).await?)
    }

    pub(super) fn print(&self, line: String) {
        self.emit(ServerEvent::Line(line));
    }

    pub(super) fn reached(&self, milestone: Milestone) {
        self.emit(ServerEvent::Reached(milestone));
    }

    pub(super) fn written(&self, written: Written) {
        self.emit(ServerEvent::Written(written));
    }

    pub(super) fn emit(&self, event: ServerEvent) {
        (self.emit)(event);
    }
}
