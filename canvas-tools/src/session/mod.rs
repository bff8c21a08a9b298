//! A conversation about a canvas, and its turns.

pub(crate) mod memory;
#[cfg(feature = "board")]
pub(crate) mod plan;
#[cfg(feature = "recipe")]
pub(crate) mod recorder;
pub(crate) mod refused;

use canvas_core::lease::{Epoch, Timestamp, Turn};
use canvas_core::store::{Store, TurnStart};
use canvas_core::turn::{EndTurn, Forget, Promotion, SendMessage};
use canvas_core::{
    CallId, CallRefusal, CanvasId, ConversationId, Engine, EngineError, ErrorReport, OpKey, Refused as _,
    Revision,
};

#[cfg(feature = "board")]
use self::memory::BoardMemory;
use self::memory::DocumentMemory;
#[cfg(feature = "recipe")]
use self::recorder::Recorder;
use crate::sync::hidden_message;

/// One conversation about one canvas: who asks, and in which turn.
///
/// It is a plain value that the host keeps beside its chat. Edits by users reach the model once, with the user's next
/// message; its own reach the history once, at the end of its turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// The canvas.
    pub canvas: CanvasId,
    /// The conversation.
    pub conversation: ConversationId,
    /// The running turn; calls of an earlier one can no longer check out.
    pub turn: Turn,
    /// Where it began.
    pub start: TurnStart,
    /// What the document tools and the native dialects keep.
    pub document: DocumentMemory,
    /// What the board tools keep.
    #[cfg(feature = "board")]
    pub board: BoardMemory,
    /// The calls of the turn that the host has shown it, of which the model may make a recipe.
    #[cfg(feature = "recipe")]
    pub recorder: Recorder,
}

/// The result of a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnBegan {
    /// The epoch from now on.
    pub epoch: Epoch,
    /// Text for the history, before the user's own: what changed on the canvas. It is not shown to the user.
    pub hidden_message: Option<String>,
    /// Whether the draft became the artefact.
    pub promotion: Promotion,
}

/// The result of the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnEnded {
    /// Text for the history, once every call of the turn has its result: what changed on the canvas.
    pub hidden_message: Option<String>,
    /// Whether the draft became the artefact.
    pub promotion: Promotion,
}

/// Why a turn could not begin or end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The rules refused it.
    #[error(transparent)]
    Refused(#[from] CallRefusal),
    /// There is no answer.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

canvas_core::coded_error!(SessionError {
    Self::Refused(refusal) => refusal.code(), refusal.retryable();
    Self::Engine(error) => error.code(), error.retryable();
});

impl From<SessionError> for ErrorReport {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Refused(refusal) => refusal.report(),
            SessionError::Engine(error) => error.into(),
        }
    }
}

impl Session {
    /// Joins the turn that is running on a canvas.
    ///
    /// The conversation that made the canvas knows its first text. Any other is sent the whole document with the hidden
    /// message of [`Session::begin_turn`], of one larger than [`Policy::snapshot_bytes`](canvas_core::Policy::snapshot_bytes)
    /// the headings, unless its own calls have shown it all by then; from then on it is sent what changed.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let chat = ConversationId::new("chat")?;
    /// let session = block_on(Session::join(&engine, plan.clone(), chat, now))?;
    /// assert_eq!(session.canvas, plan);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Where there is no such canvas, or the store fails.
    pub async fn join<S: Store>(
        engine: &Engine<S>,
        canvas: CanvasId,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<Self, EngineError> {
        let snapshot = engine.snapshot(&canvas, now).await?;
        let (turn, start) = (snapshot.head.lock().turn(), snapshot.head.turn_start());
        Ok(Self { turn, start, ..Self::before(canvas, conversation) })
    }

    /// A conversation about a canvas that is not there yet, which its first call may make.
    pub fn before(canvas: CanvasId, conversation: ConversationId) -> Self {
        Self {
            canvas,
            conversation,
            turn: Turn::ZERO,
            start: TurnStart { epoch: Epoch::ZERO, revision: Revision::ZERO },
            document: DocumentMemory::default(),
            #[cfg(feature = "board")]
            board: BoardMemory::default(),
            #[cfg(feature = "recipe")]
            recorder: Recorder::default(),
        }
    }

    /// The user sends a message: whatever runs is preempted, the draft is promoted, the next turn begins. The same
    /// call id again, in whatever turn the retry comes, answers the same for as long as its receipt is kept.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let mut session = block_on(Session::join(&engine, plan, ConversationId::new("chat")?, now))?;
    /// // The user's message has come. What the model has not seen goes before it into the history.
    /// let began = block_on(session.begin_turn(&engine, CallId::new("message-1")?, now))?;
    /// assert!(began.hidden_message.is_some_and(|message| message.contains("# Plan")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Refused where the call id was used for something else; faults of the store.
    pub async fn begin_turn<S: Store>(
        &mut self,
        engine: &Engine<S>,
        call: CallId,
        now: Timestamp,
    ) -> Result<TurnBegan, SessionError> {
        // A retry may come when the turn has begun already, so the key of a message names none.
        let operation = OpKey { turn: Turn::ZERO, ..self.operation(call) };
        let answered = engine.call(&self.canvas, &operation, SendMessage, now).await?;
        let canvas_core::turn::TurnBegan { start, changes, promotion } = answered.result?;
        let head = &answered.snapshot.head;
        // A late retry may find the turn of somebody's later message, which is not this session's.
        if head.turn_start() == start {
            if self.turn != head.lock().turn() {
                self.document.shown.begin_turn();
                #[cfg(feature = "recipe")]
                self.recorder.clear();
            }
            self.turn = head.lock().turn();
        }
        self.start = start;
        let hidden_message = changes.as_ref().and_then(hidden_message);
        Ok(TurnBegan { epoch: start.epoch, hidden_message, promotion })
    }

    /// The chat was compacted or begun anew, so the model knows nothing of the canvas any more: the hidden message of the
    /// next turn brings the whole text.
    ///
    /// # Errors
    ///
    /// As [`Session::begin_turn`].
    pub async fn forget<S: Store>(
        &self,
        engine: &Engine<S>,
        call: CallId,
        now: Timestamp,
    ) -> Result<(), SessionError> {
        engine.call(&self.canvas, &self.operation(call), Forget, now).await?.result?;
        Ok(())
    }

    /// The model's turn is over: its lease is given back, its draft promoted unless the user has interrupted it.
    ///
    /// ```
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # block_on(engine.create(&plan, "# Plan\n", &OpKey::host(CallId::new("create")?), now))?;
    /// let mut session = block_on(Session::join(&engine, plan, ConversationId::new("chat")?, now))?;
    /// block_on(session.begin_turn(&engine, CallId::new("message-1")?, now))?;
    /// // ... the model has answered, or has failed: its lease is given back in any case.
    /// let ended = block_on(session.end_turn(&engine, CallId::new("end-1")?, now))?;
    /// assert!(ended.hidden_message.is_none(), "the model has changed nothing that it does not know");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Session::begin_turn`].
    pub async fn end_turn<S: Store>(
        &self,
        engine: &Engine<S>,
        call: CallId,
        now: Timestamp,
    ) -> Result<TurnEnded, SessionError> {
        let command = EndTurn { start: self.start };
        let answered = engine.call(&self.canvas, &self.operation(call), command, now).await?;
        let canvas_core::turn::TurnEnded { changes, promotion } = answered.result?;
        Ok(TurnEnded { hidden_message: changes.as_ref().and_then(hidden_message), promotion })
    }

    /// The key of a call in this turn, under which its receipt is kept.
    pub fn operation(&self, call: CallId) -> OpKey {
        OpKey { conversation: self.conversation.clone(), turn: self.turn, call }
    }
}
