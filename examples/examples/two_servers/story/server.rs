//! One server: an engine on the common store, a listener, one conversation, and a user who is connected here.

use std::sync::Arc;

use canvas_core::lease::{Epoch, Turn};
use canvas_core::{
    Call, CallId, CanvasId, Command, ConversationId, Engine, OpKey, Outcome, Policy, Snapshot,
};
use canvas_examples::postgres::{Listener, Notice};
use canvas_providers::Event;
use canvas_tools::Session;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_postgres::NoTls;

use super::place::{now, stands};
use super::script::CANVAS;
use super::slow::SlowStore;
use super::words::{Mark, Wrote};
use super::{Order, Part, Place, Told, Word};

/// How a server is heard.
pub(crate) type Voice = Box<dyn Fn(Word) + Send + Sync>;

/// A server and what it keeps in memory. The other one has a memory of its own.
pub(super) struct Server {
    pub(super) part: &'static Part,
    pub(super) engine: Arc<Engine<SlowStore>>,
    pub(super) listener: Listener,
    pub(super) session: Session,
    /// The conversation, as it goes to the provider.
    pub(super) history: Vec<Event>,
    /// The newest epoch that this server knows of.
    pub(super) epoch: Epoch,
    pub(super) orders: UnboundedReceiver<Order>,
    voice: Voice,
    /// Operations of the user and the host so far; their call ids.
    operations: u64,
}

/// Serves until there are no more orders.
///
/// # Errors
///
/// Where the store fails, or something happens that is not in the script.
pub(crate) async fn serve(
    part: &'static Part,
    place: &Place,
    orders: UnboundedReceiver<Order>,
    voice: Voice,
) -> Told {
    let listener = Listener::connect(place.config.clone(), NoTls, place.listening()).await?;
    let engine = Arc::new(Engine::new(SlowStore::new(place.store()?), Policy::default()));
    let (canvas, conversation) = (CanvasId::new(CANVAS)?, ConversationId::new(part.chat)?);
    let session = Session::join(&engine, canvas, conversation, now()).await?;
    let (history, epoch) = (Vec::new(), session.start.epoch);
    let mut server = Server { part, engine, listener, session, history, epoch, orders, voice, operations: 0 };
    server.say(format!("serves {}, and listens for what happens at other servers", part.chat));
    server.reached(Mark::Ready);
    loop {
        let order = tokio::select! {
            order = server.orders.recv() => order,
            // No loop is running that could be stopped.
            notice = server.listener.next() => {
                if let Notice::Preempted { canvas, .. } = notice {
                    server.engine.forget(&canvas);
                }
                continue;
            }
        };
        match order {
            Some(Order::Message) => server.message().await?,
            Some(Order::Answer) => server.answer().await?,
            Some(Order::Type) => server.types().await?,
            Some(Order::Report) => server.voice(Word::Stands(stands(&server.snapshot().await?))),
            Some(Order::LetGo) => return Err("nothing is on its way: report this".into()),
            None => return Ok(()),
        }
    }
}

impl Server {
    /// The user sends the script's message: whatever runs on the canvas is over, the next turn begins.
    async fn message(&mut self) -> Told {
        self.say(format!("user: “{}”", self.part.message));
        let call = self.call_id()?;
        let began = self.session.begin_turn(&self.engine, call, now()).await?;
        self.epoch = began.epoch;
        let revision = self.snapshot().await?.revision_id();
        self.say(format!("  turn {} begins at {revision}, epoch {}", self.session.turn.get(), self.epoch));
        if let Some(hidden) = began.hidden_message {
            self.say("  a hidden message tells the model what it has not seen:".into());
            hidden.lines().for_each(|line| self.say(format!("    | {line}")));
            self.history.push(Event::user(hidden));
        }
        self.history.push(Event::user(self.part.message));
        self.reached(Mark::TurnBegan);
        Ok(())
    }

    /// The user types into the document, whoever has the lease.
    async fn types(&mut self) -> Told {
        let before = self.snapshot().await?;
        let lease = before.head.lock().valid_lease(&self.engine.policy().lease, before.clock);
        let lock = lease.map_or_else(|| "unlocked".to_owned(), |lease| format!("locked by {}", lease.id));
        self.say(format!("shows its user {}, {lock}; the user types all the same", before.revision_id()));
        let (old, new) = self.part.typed;
        let markdown = before.text().replacen(old, new, 1);
        let operation =
            OpKey { conversation: ConversationId::new("users")?, turn: Turn::ZERO, call: self.call_id()? };
        let call = Call { operation, command: Command::Edit { markdown } };
        match self.engine.call(&self.session.canvas, &call, now()).await?.outcome {
            Outcome::Edited { epoch, revision } => {
                self.epoch = epoch;
                self.say(format!("user: “{old}” becomes “{new}”: {revision}, epoch {epoch}"));
                self.wrote(Wrote {
                    revision, epoch, who: "user".into(), what: format!("“{old}” → “{new}”")
                });
            }
            outcome => return Err(format!("the user's edit was not taken: {outcome:?}").into()),
        }
        self.reached(Mark::Typed);
        Ok(())
    }

    pub(super) async fn snapshot(&self) -> Told<Snapshot> {
        Ok(self.engine.snapshot(&self.session.canvas, now()).await?)
    }

    pub(super) fn call_id(&mut self) -> Told<CallId> {
        self.operations += 1;
        Ok(CallId::new(&format!("{}-{}", self.part.name, self.operations))?)
    }

    pub(super) fn say(&self, line: String) {
        self.voice(Word::Line(line));
    }

    pub(super) fn reached(&self, mark: Mark) {
        self.voice(Word::Reached(mark));
    }

    pub(super) fn wrote(&self, wrote: Wrote) {
        self.voice(Word::Wrote(wrote));
    }

    pub(super) fn voice(&self, word: Word) {
        (self.voice)(word);
    }
}
