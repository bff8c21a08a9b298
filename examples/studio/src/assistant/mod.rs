//! The assistant: a model, or a script of recorded answers, that works on canvases in turns.
//!
//! * One conversation a canvas, and one turn at a time. A message that comes meanwhile ends the turn first. If conversations
//!   have turns of their own, each named person has a conversation too.
//! * What it does goes through `ToolLoop` and the tools, as that of any model; the chat shows it, but for hidden messages.
//! * The chat and what the model was sent are kept in files beside the database. If the server ends in the middle of a turn,
//!   the next message shows the model the whole canvas.

mod archive;
mod brief;
mod calls;
mod chat;
mod live;
mod preview;
mod refused;
mod script;
mod seat;
mod tools;
mod transport;
mod turn;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use canvas_core::board::CanvasEvent;
use canvas_core::surface::ActionFailure;
use canvas_core::turn::WorkMode;
use canvas_core::{CanvasId, EngineError, PersonId};
use serde_json::{Value, json};

pub(crate) use self::chat::Edits;
use self::chat::Item;
pub use self::live::LiveModel;
pub use self::script::Script;
use self::seat::Seat;
use self::turn::Asker;
pub(crate) use self::turn::Said;
use crate::host::Host;

/// Who speaks.
#[derive(Debug)]
pub enum Voice {
    /// Nobody.
    None,
    /// Recorded answers.
    Script(Script),
    /// A model over the network.
    Live(Box<LiveModel>),
}

/// What the command line says of the assistant.
#[derive(Debug, Clone, Default)]
pub struct AssistantOptions {
    /// A file of recorded answers, in place of those that are built in.
    pub script: Option<PathBuf>,
    /// The provider of a model.
    pub live: Option<String>,
    /// The model, in the provider's words.
    pub model: Option<String>,
    /// Another host that speaks the provider's dialect.
    pub base_url: Option<String>,
    /// Nobody answers.
    pub is_off: bool,
}

impl Voice {
    /// Reads the script, or the key of the provider from the environment.
    ///
    /// # Errors
    ///
    /// One sentence, where the script or the key cannot be had.
    pub fn open(options: &AssistantOptions) -> Result<Self, String> {
        match (&options.live, &options.script) {
            _ if options.is_off => Ok(Self::None),
            (Some(_), Some(_)) => Err("--live and --script exclude each other: leave one out".to_owned()),
            (Some(provider), None) => LiveModel::open(provider, options).map(Box::new).map(Self::Live),
            (None, Some(path)) => Script::read(path).map(Self::Script),
            (None, None) => Script::built_in().map(Self::Script),
        }
    }

    /// As the page is given it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Script(_) => "script",
            Self::Live(_) => "live",
        }
    }
}

/// A canvas, and the person whose conversation it is; `None` for the one that all share.
type Place = (CanvasId, Option<PersonId>);

/// The assistant of all canvases.
#[derive(Debug)]
pub struct Assistant {
    voice: Voice,
    /// Conversations are kept beside it.
    database: Option<PathBuf>,
    seats: Mutex<BTreeMap<Place, Arc<Seat>>>,
}

impl Assistant {
    /// An assistant that goes on with the conversations that are kept beside the database, or has none.
    pub fn new(voice: Voice, database: Option<PathBuf>) -> Self {
        Self { voice, database, seats: Mutex::default() }
    }

    /// Who speaks.
    pub fn voice(&self) -> &Voice {
        &self.voice
    }

    /// A person sends a message: a turn that runs is ended, and the next one begins. Gives its number.
    pub(crate) async fn send(
        self: &Arc<Self>,
        host: &Arc<Host>,
        canvas: &CanvasId,
        said: Said,
    ) -> Result<u64, Value> {
        let seat = self.seat_of(host, canvas, said.by.as_ref()).await;
        let seat = seat.map_err(|error| turn::engine_json(&error))?;
        let begun = turn::begin(self, host, seat, said, Asker::Person).await?;
        let number = begun.number();
        tokio::spawn(begun.run());
        Ok(number)
    }

    /// A surface sends a message and waits for what the assistant says at the end of its turn.
    pub(crate) async fn answer(
        self: &Arc<Self>,
        host: &Arc<Host>,
        canvas: &CanvasId,
        text: String,
    ) -> Result<Value, ActionFailure> {
        let failed = |error: Value| ActionFailure::Failed {
            code: error["code"].as_str().map(str::to_owned),
            message: error["message"].as_str().unwrap_or("the assistant does not answer").to_owned(),
        };
        let (seat, said) = (self.seat(canvas, None), Said { by: None, text, selection: None });
        let begun = turn::begin(self, host, seat, said, Asker::Surface).await.map_err(failed)?;
        // The turn goes on to its end where nobody waits for it any more.
        let said = tokio::spawn(begun.run()).await;
        said.map(|said| json!({"text": said}))
            .map_err(|error| ActionFailure::Failed { code: None, message: error.to_string() })
    }

    /// A person takes control: the turns that run come to their ends.
    pub(crate) fn interrupt(&self, canvas: &CanvasId) {
        for seat in self.seats_on(canvas) {
            seat.stop();
        }
    }

    /// A person ends the turn of one conversation.
    pub(crate) async fn cancel(
        &self,
        host: &Host,
        canvas: &CanvasId,
        person: Option<&PersonId>,
    ) -> Result<(), EngineError> {
        let seat = self.seat_of(host, canvas, person).await?;
        if seat.stop() {
            host.end_turn(canvas, &seat.id).await?;
        }
        Ok(())
    }

    /// The chat as a page shows it: that of a person, or the one that all share.
    pub(crate) fn chat(&self, canvas: &CanvasId, of: Option<&PersonId>) -> Value {
        let mut chat = self.seat(canvas, of).chat().to_json();
        chat["of"] = json!(of);
        chat
    }

    /// How the model edits from the next turn on.
    pub(crate) async fn set_edits(
        &self,
        host: &Host,
        canvas: &CanvasId,
        person: Option<&PersonId>,
        edits: Edits,
    ) -> Result<(), EngineError> {
        let seat = self.seat_of(host, canvas, person).await?;
        seat.set_edits(edits);
        seat.publish_turn(host, None);
        Ok(())
    }

    /// What happened on the board by persons and data, for the next message of each conversation.
    pub(crate) fn notice(&self, canvas: &CanvasId, events: impl IntoIterator<Item = CanvasEvent>) {
        let events: Vec<_> = events.into_iter().collect();
        for seat in self.seats_on(canvas) {
            seat.notice(events.iter().cloned());
        }
    }

    /// A trigger's question, in each chat.
    pub(crate) fn suggest(
        &self,
        host: &Host,
        canvas: &CanvasId,
        trigger: &str,
        text: &str,
        view: Option<&str>,
    ) {
        for seat in self.seats_on(canvas) {
            seat.append(host, Item::suggestion(trigger, text, view));
        }
    }

    /// Opens the conversation in which a person speaks.
    pub(crate) async fn join(
        &self,
        host: &Host,
        canvas: &CanvasId,
        person: Option<&PersonId>,
    ) -> Result<(), EngineError> {
        self.seat_of(host, canvas, person).await.map(drop)
    }

    /// Returns the conversation in which a person speaks. It is the person's own if conversations have turns of their own.
    async fn seat_of(
        &self,
        host: &Host,
        canvas: &CanvasId,
        person: Option<&PersonId>,
    ) -> Result<Arc<Seat>, EngineError> {
        let is_own = match person {
            Some(_) => host.work_mode(canvas).await? == WorkMode::Collaborative,
            None => false,
        };
        Ok(self.seat(canvas, person.filter(|_| is_own)))
    }

    fn seat(&self, canvas: &CanvasId, of: Option<&PersonId>) -> Arc<Seat> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (canvas.clone(), of.cloned());
        let new = || Arc::new(Seat::new(canvas.clone(), of.cloned(), self.database.as_deref()));
        Arc::clone(seats.entry(key).or_insert_with(new))
    }

    /// Returns the shared conversation of a canvas, and those of people.
    fn seats_on(&self, canvas: &CanvasId) -> Vec<Arc<Seat>> {
        let shared = self.seat(canvas, None);
        let seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let of_people = seats.iter().filter(|((on, of), _)| on == canvas && of.is_some());
        [shared].into_iter().chain(of_people.map(|(_, seat)| Arc::clone(seat))).collect()
    }
}
