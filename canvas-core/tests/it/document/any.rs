//! Every command, answer and refusal as one type each, for tests that play scripts or treat many calls alike.

use canvas_core::lease::Timestamp;
use canvas_core::{Engine, EngineError, OpKey, Refusal, Refused as _, Store, StoredAnswer, block_on};

macro_rules! any {
    ($($(#[$gate:meta])* $command:ident -> $done:ident, $refusal:ident;)+) => {
        /// Any command.
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) enum Command {
            $($(#[$gate])* $command(canvas_core::$command)),+
        }

        $(
            $(#[$gate])*
            impl From<canvas_core::$command> for Command {
                fn from(command: canvas_core::$command) -> Self {
                    Self::$command(command)
                }
            }
        )+

        impl Call {
            pub(crate) fn run<S: Store>(
                &self,
                engine: &Engine<S>,
                canvas: &canvas_core::CanvasId,
                now: Timestamp,
            ) -> Result<Answered, EngineError> {
                match &self.command {
                    $($(#[$gate])* Command::$command(command) => {
                        let answered =
                            block_on(engine.call(canvas, &self.operation, command.clone(), now))?;
                        let stored = answered.stored();
                        let outcome = match answered.result {
                            Ok(done) => Outcome::$done(done),
                            Err(refusal) => Outcome::Refused(AnyRefusal::$refusal(refusal)),
                        };
                        Ok(Answered { outcome, stored, replayed: answered.replayed })
                    })+
                }
            }
        }
    };
}

any! {
    CheckOut -> CheckedOut, CheckOut;
    Renew -> Renewed, Holder;
    CheckIn -> CheckedIn, Holder;
    Read -> Readable, Holder;
    ApplyPatch -> Applied, ApplyPatch;
    ReplaceLines -> Applied, ReplaceLines;
    ApplyEdits -> Applied, ApplyPatch;
    Look -> Readable, Holder;
    Edit -> Edited, Edit;
    HostEdit -> HostEdited, HostEdit;
    SendMessage -> TurnBegan, Call;
    Forget -> Forgotten, Call;
    Cancel -> Interrupted, Call;
    TakeControl -> Interrupted, Call;
    EndTurn -> TurnEnded, Call;
    Undo -> Moved, Undo;
    Redo -> Moved, Undo;
    ClearHistory -> HistoryCleared, Call;
    #[cfg(feature = "board")]
    CreateBoard -> BoardCreated, CreateBoard;
    #[cfg(feature = "board")]
    RunBoardCommand -> Board, BoardCommand;
}

/// Any command as one type.
pub(crate) fn dynamic(command: impl Into<Command>) -> Command {
    command.into()
}

/// A command and its name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) operation: OpKey,
    pub(crate) command: Command,
}

#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) outcome: Outcome,
    /// The same, as a receipt keeps it.
    pub(crate) stored: StoredAnswer,
    pub(crate) replayed: bool,
}

/// What became of any command.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Outcome {
    CheckedOut(canvas_core::CheckedOut),
    Renewed(canvas_core::Renewed),
    CheckedIn(canvas_core::CheckedIn),
    Readable(canvas_core::Readable),
    Applied(canvas_core::AppliedPatch),
    Edited(canvas_core::Edited),
    HostEdited(canvas_core::HostEdited),
    TurnBegan(canvas_core::TurnBegan),
    Forgotten(canvas_core::Forgotten),
    Interrupted(canvas_core::Interrupted),
    TurnEnded(canvas_core::TurnEnded),
    Moved(canvas_core::HistoryMove),
    HistoryCleared(canvas_core::HistoryCleared),
    #[cfg(feature = "board")]
    BoardCreated(canvas_core::BoardCreated),
    #[cfg(feature = "board")]
    Board(canvas_core::BoardCommandRun),
    Refused(AnyRefusal),
}

/// Any refusal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnyRefusal {
    Call(canvas_core::CallRefusal),
    CheckOut(canvas_core::CheckOutRefusal),
    Holder(canvas_core::HolderRefusal),
    ApplyPatch(canvas_core::ApplyPatchRefusal),
    ReplaceLines(canvas_core::ReplaceLinesRefusal),
    Edit(canvas_core::EditRefusal),
    HostEdit(canvas_core::HostEditRefusal),
    Undo(canvas_core::UndoRefusal),
    CreateBoard(canvas_core::CreateBoardRefusal),
    BoardCommand(canvas_core::BoardCommandRefusal),
}

impl Outcome {
    /// What refused it.
    pub(crate) fn refusal(&self) -> Option<Refusal<'_>> {
        match self {
            Self::Refused(refusal) => Some(refusal.view()),
            _ => None,
        }
    }
}

impl AnyRefusal {
    pub(crate) fn view(&self) -> Refusal<'_> {
        match self {
            Self::Call(refusal) => refusal.view(),
            Self::CheckOut(refusal) => refusal.view(),
            Self::Holder(refusal) => refusal.view(),
            Self::ApplyPatch(refusal) => refusal.view(),
            Self::ReplaceLines(refusal) => refusal.view(),
            Self::Edit(refusal) => refusal.view(),
            Self::HostEdit(refusal) => refusal.view(),
            Self::Undo(refusal) => refusal.view(),
            Self::CreateBoard(refusal) => refusal.view(),
            Self::BoardCommand(refusal) => refusal.view(),
        }
    }
}

/// `OK`, or the code of a refusal and its reason.
pub(crate) fn code(outcome: &Outcome) -> String {
    let Some(refusal) = outcome.refusal() else { return "OK".into() };
    refusal.reason().map_or_else(|| refusal.code().into(), |reason| format!("{}/{reason}", refusal.code()))
}
