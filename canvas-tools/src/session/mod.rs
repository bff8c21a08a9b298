//! One conversation about a canvas, and its turns.

pub(crate) mod memory;
pub(crate) mod mode;
#[cfg(feature = "board")]
pub(crate) mod plan;
#[cfg(feature = "recipe")]
pub(crate) mod recorder;
pub(crate) mod refused;
mod run;
pub(crate) mod searched;
pub(crate) mod selection;

use canvas_core::lease::{Epoch, Timestamp, Turn};
use canvas_core::proposal::RejectedLines;
use canvas_core::refusal::CallRefusal;
use canvas_core::store::{Store, TurnStart};
use canvas_core::turn::{EndTurn, Forget, Promotion, SendMessage};
use canvas_core::{CallId, CanvasId, CodedError, ConversationId, Engine, EngineError, OpKey, Revision};
use serde::{Deserialize, Serialize};

#[cfg(feature = "board")]
use self::memory::BoardMemory;
use self::memory::DocumentMemory;
use self::mode::SessionMode;
#[cfg(feature = "recipe")]
use self::recorder::Recorder;
use self::selection::UserSelection;
use crate::sync::message_with;

/// One conversation about one canvas, together with its current turn.
///
/// This is a plain value that you keep with your chat. Each change of the document enters the model's history once, with
/// a hidden message. [`Session::begin_turn`] and [`Session::end_turn`] return the changes since the last such message, by
/// the model and by others.
///
/// A session is trusted input. Keep it on your server, and never let a client supply it or its `conversation`. When serde
/// reads a session, it checks only the form.
///
/// # Who begins and ends a turn
///
/// The host does. Call [`Session::begin_turn`] when a person sends a message, before you ask the model. Call
/// [`Session::end_turn`] when the model's answer is complete or failed. `ToolLoop` and `TurnDriver` of
/// `canvas-providers` do neither. [`CanvasCalls`](crate::CanvasCalls) has both methods, and keeps the session. A turn
/// belongs to the canvas and not to the conversation, so a message in another conversation ends yours. Your calls can
/// then no longer check out, until your next `begin_turn`.
///
/// # After a restart
///
/// You need not store the session. [`Session::open`] under the same conversation id restores the running turn, the
/// receipts, the lease and the text that the conversation knows, because the canvas keeps them. Without the stored session, the
/// following is lost:
///
/// * [`DocumentMemory`]. Line numbers that the model was shown no longer choose between equal places, so such a patch
///   fails as `AMBIGUOUS`. A refused patch must be sent whole, and `canvas_replace_all` needs another search. Under
///   [`WriteRules::require_located`](canvas_core::policy::WriteRules::require_located) the model must search or read
///   again.
/// * `BoardMemory`. The host sets the aliases again, and the model makes its plans again.
/// * `Recorder`. A recipe can no longer be made of the calls before the restart.
///
/// The canvas does not depend on these, and each reply tells the model how to continue. `open` enters the turn that is
/// running, even if another conversation began it. To find out whether it did, compare [`Session::start`] with the one
/// you stored.
///
/// A session that you stored continues where it was:
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{Engine, OpKey, Policy};
/// # use canvas_tools::Session;
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let plan = "plan".parse()?;
/// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
/// let session = Session::open(&engine, plan, "chat".parse()?, now).await?;
/// let stored = serde_json::to_string(&session)?;
/// let restored: Session = serde_json::from_str(&stored)?;
/// assert_eq!(restored, session);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// # Calls at the same time
///
/// Run the calls of one session one after another. [`Tools::call`](crate::Tools::call) borrows the session mutably, so
/// the compiler enforces this. If you run calls on clones at the same time, the canvas stays correct, because the
/// engine orders the calls and each has its own receipt. However, you can keep only one of the clones, and the memory
/// of the others is lost. Sessions of different conversations may run at the same time. Under
/// [`Rollout::LeaseEnforced`](canvas_core::rollout::Rollout::LeaseEnforced), the tools of
/// [`DocumentTools`](crate::DocumentTools) then work only for the one with the lease.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// The canvas that the conversation is about.
    pub canvas: CanvasId,
    /// The conversation in whose name calls run.
    pub conversation: ConversationId,
    /// The canvas's turn in which calls run. Calls of an earlier turn can no longer check out.
    pub turn: Turn,
    /// The epoch and revision at which the turn began.
    pub start: TurnStart,
    /// Whether edits change the document or wait for a decision. Set it before a turn begins.
    #[serde(default, skip_serializing_if = "SessionMode::is_direct")]
    pub mode: SessionMode,
    /// State that the document tools and the native dialects keep between calls.
    pub document: DocumentMemory,
    /// State that the board tools keep between calls.
    #[cfg(feature = "board")]
    #[serde(default)]
    pub board: BoardMemory,
    /// The calls of this turn that the host passed to [`Recorder::observe`], from which the model can make a recipe.
    #[cfg(feature = "recipe")]
    #[serde(default)]
    pub recorder: Recorder,
}

/// The result of a user's message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnOpened {
    /// The epoch that begins with this turn.
    pub epoch: Epoch,
    /// Text for the history that describes the changes to the canvas. It belongs before the user's own message and is
    /// not shown to the user. `None` if the model already knows every change.
    pub hidden_message: Option<String>,
    /// Whether the draft became the artefact.
    pub promotion: Promotion,
    /// Rejected parts of the proposal, which are in `hidden_message` too.
    pub rejected: Vec<RejectedLines>,
}

/// The result of the end of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnClosed {
    /// Text for the history that describes the changes to the canvas. Add it once every call of the turn has its
    /// result. `None` if the model already knows every change.
    pub hidden_message: Option<String>,
    /// Whether the draft became the artefact.
    pub promotion: Promotion,
    /// Rejected parts of the proposal, which are in `hidden_message` too.
    pub rejected: Vec<RejectedLines>,
}

/// Error from beginning or ending a turn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The engine refused the command.
    #[error(transparent)]
    Refused(#[from] CallRefusal),
    /// The engine could not answer, for example because the store failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl CodedError for SessionError {
    fn code(&self) -> &'static str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Engine(error) => error.code(),
        }
    }

    fn reason(&self) -> Option<&'static str> {
        match self {
            Self::Refused(refusal) => refusal.reason(),
            Self::Engine(_) => None,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_retryable(),
            Self::Engine(error) => error.is_retryable(),
        }
    }
}

impl Session {
    /// Opens a session in the turn that is running on a canvas.
    ///
    /// The conversation that created the canvas knows its first text. Any other conversation receives the whole
    /// document with the hidden message of [`Session::begin_turn`], unless its own calls have shown all of the text by
    /// then. If the document is larger than
    /// [`SyncLimits::snapshot_bytes`](canvas_core::policy::SyncLimits::snapshot_bytes), the message lists its headings
    /// instead. Later messages contain only changes.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let chat = ConversationId::new("chat")?;
    /// let session = Session::open(&engine, plan.clone(), chat, now).await?;
    /// assert_eq!(session.canvas, plan);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the canvas does not exist or the store fails.
    pub async fn open<S: Store>(
        engine: &Engine<S>,
        canvas: CanvasId,
        conversation: ConversationId,
        now: Timestamp,
    ) -> Result<Self, EngineError> {
        let snapshot = engine.snapshot(&canvas, now).await?;
        let head = &snapshot.head;
        let (turn, start) = (head.lock_of(&conversation).turn(), head.turn_start_of(&conversation));
        Ok(Self { turn, start, ..Self::new(canvas, conversation) })
    }

    /// Creates a session for a canvas that does not exist yet. Its first call may create the canvas.
    pub fn new(canvas: CanvasId, conversation: ConversationId) -> Self {
        Self {
            canvas,
            conversation,
            turn: Turn::ZERO,
            start: TurnStart { epoch: Epoch::ZERO, revision: Revision::ZERO },
            mode: SessionMode::default(),
            document: DocumentMemory::default(),
            #[cfg(feature = "board")]
            board: BoardMemory::default(),
            #[cfg(feature = "recipe")]
            recorder: Recorder::default(),
        }
    }

    /// Begins a turn when the user sends a message. This preempts the running turn, promotes its draft and starts the
    /// next turn.
    ///
    /// A canvas has one turn at a time, so the running turn may belong to another conversation's message. To promote
    /// means to make the current draft the artefact ([`Head::committed`](canvas_core::store::Head::committed)), even if
    /// the last turn was interrupted.
    ///
    /// A retry with the same call id returns the original result as long as its receipt is kept, no matter in which
    /// turn the retry arrives.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let mut session = Session::open(&engine, plan, "chat".parse()?, now).await?;
    /// // The user's message arrives. The changes that the model did not see go before it into the history.
    /// let began = session.begin_turn(&engine, "message-1".parse()?, now).await?;
    /// assert!(began.hidden_message.is_some_and(|message| message.contains("# Plan")));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Refused if the call id was used for a different call. Fails if the store fails.
    pub async fn begin_turn<S: Store>(
        &mut self,
        engine: &Engine<S>,
        call: CallId,
        now: Timestamp,
    ) -> Result<TurnOpened, SessionError> {
        self.begin_turn_with(engine, call, None, now).await
    }

    /// Begins a turn like [`Session::begin_turn`], with the lines that the person selected. The hidden message tells the
    /// model their numbers in the newest text, and the address of the smallest section around them. A selection that is
    /// not in the text any more, or whose base the history does not reach, is left out.
    ///
    /// # Errors
    ///
    /// Same as [`Session::begin_turn`].
    pub async fn begin_turn_with<S: Store>(
        &mut self,
        engine: &Engine<S>,
        call: CallId,
        selection: Option<UserSelection>,
        now: Timestamp,
    ) -> Result<TurnOpened, SessionError> {
        // A retry may arrive after the turn has begun, so the key of a message does not include the turn.
        let operation = OpKey { turn: Turn::ZERO, ..self.operation(call) };
        let answered = self.run(engine, &operation, SendMessage, now).await?;
        let canvas_core::turn::TurnBegan { start, changes, promotion, rejected } = answered.result?;
        let head = &answered.snapshot.head;
        // A late retry may find the turn of a later message by someone else, which is not this session's turn.
        if head.turn_start_of(&self.conversation) == start {
            let turn = head.lock_of(&self.conversation).turn();
            if self.turn != turn {
                self.document.shown.begin_turn();
                #[cfg(feature = "recipe")]
                self.recorder.clear();
            }
            self.turn = turn;
        }
        self.start = start;
        let mut hidden_message = message_with(changes.as_ref(), &rejected);
        if let Some(selection) = selection
            && let Some(line) = selection.describe(engine, &self.canvas, &answered.snapshot, now).await?
        {
            hidden_message =
                Some(hidden_message.map_or_else(|| line.clone(), |message| format!("{message}\n{line}")));
        }
        Ok(TurnOpened { epoch: start.epoch, hidden_message, promotion, rejected })
    }

    /// Records that the model no longer knows the canvas, because its chat was compacted or restarted.
    ///
    /// The next hidden message then contains the whole text, or its headings if the text is too long.
    ///
    /// # Errors
    ///
    /// Same as [`Session::begin_turn`].
    pub async fn forget<S: Store>(
        &self,
        engine: &Engine<S>,
        call: CallId,
        now: Timestamp,
    ) -> Result<(), SessionError> {
        self.run(engine, &self.operation(call), Forget, now).await?.result?;
        Ok(())
    }

    /// Ends the model's turn, releases its lease, and promotes its draft unless the user interrupted the turn.
    ///
    /// Call it in any case, even if the model failed or was stopped. An edit, an undo in the document, a message, a
    /// cancellation or a take-over by the user since [`Session::begin_turn`] counts as an interruption. The draft then
    /// stays a draft, and the next `begin_turn` promotes it.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let mut session = Session::open(&engine, plan, "chat".parse()?, now).await?;
    /// session.begin_turn(&engine, "message-1".parse()?, now).await?;
    /// // ... the model answered or failed. Its lease is released in any case.
    /// let ended = session.end_turn(&engine, "end-1".parse()?, now).await?;
    /// assert!(ended.hidden_message.is_none(), "the model has changed nothing that it does not know");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Same as [`Session::begin_turn`].
    pub async fn end_turn<S: Store>(
        &self,
        engine: &Engine<S>,
        call: CallId,
        now: Timestamp,
    ) -> Result<TurnClosed, SessionError> {
        let command = EndTurn { start: self.start };
        let answered = self.run(engine, &self.operation(call), command, now).await?;
        let canvas_core::turn::TurnEnded { changes, promotion, rejected } = answered.result?;
        let hidden_message = message_with(changes.as_ref(), &rejected);
        Ok(TurnClosed { hidden_message, promotion, rejected })
    }

    /// Returns the key of a call in this turn. The engine stores the call's receipt under this key.
    pub fn operation(&self, call: CallId) -> OpKey {
        OpKey { conversation: self.conversation.clone(), turn: self.turn, call, person: None }
    }
}
