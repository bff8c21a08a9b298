//! The assistant: a model, or a script of recorded answers, that works on canvases in turns.
//!
//! * One conversation a canvas, and one turn at a time. A message that comes meanwhile ends the turn first.
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

use canvas_core::CanvasId;
use canvas_core::board::CanvasEvent;
use canvas_core::surface::ActionFailure;
use serde_json::Value;

pub(crate) use self::chat::Edits;
use self::chat::Item;
pub use self::live::LiveModel;
pub use self::script::Script;
use self::seat::Seat;
use self::turn::Asker;
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

/// The assistant of all canvases.
#[derive(Debug)]
pub struct Assistant {
    voice: Voice,
    /// Conversations are kept beside it.
    database: Option<PathBuf>,
    seats: Mutex<BTreeMap<CanvasId, Arc<Seat>>>,
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
        text: String,
    ) -> Result<u64, Value> {
        let begun = turn::begin(self, host, canvas, text, Asker::Person).await?;
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
        let begun = turn::begin(self, host, canvas, text, Asker::Surface).await.map_err(failed)?;
        // The turn goes on to its end where nobody waits for it any more.
        let said = tokio::spawn(begun.run()).await;
        said.map(|said| serde_json::json!({"text": said}))
            .map_err(|error| ActionFailure::Failed { code: None, message: error.to_string() })
    }

    /// The person takes control: the turn that runs comes to its end.
    pub fn interrupt(&self, canvas: &CanvasId) {
        self.seat(canvas).stop();
    }

    /// The chat as a page shows it.
    pub fn chat(&self, canvas: &CanvasId) -> Value {
        self.seat(canvas).chat().to_json()
    }

    /// How the model edits from the next turn on.
    pub(crate) fn set_edits(&self, host: &Host, canvas: &CanvasId, edits: Edits) {
        let seat = self.seat(canvas);
        seat.set_edits(edits);
        seat.publish_turn(host, None);
    }

    /// What happened on the board by persons and data, for the next message.
    pub(crate) fn notice(&self, canvas: &CanvasId, events: impl IntoIterator<Item = CanvasEvent>) {
        self.seat(canvas).notice(events);
    }

    /// A trigger's question, in the chat.
    pub fn suggest(&self, host: &Host, canvas: &CanvasId, trigger: &str, text: &str, view: Option<&str>) {
        self.seat(canvas).append(host, Item::suggestion(trigger, text, view));
    }

    fn seat(&self, canvas: &CanvasId) -> Arc<Seat> {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(
            seats
                .entry(canvas.clone())
                .or_insert_with(|| Arc::new(Seat::new(canvas.clone(), self.database.as_deref()))),
        )
    }
}
