//! Every command, answer and refusal as one type each, for tests that play scripts or treat many calls alike.

use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::testing::block_on;
use canvas_core::{CodedError as _, Engine, EngineError, OpKey, Refusal, Refused as _, StoredAnswer};

macro_rules! any {
    ($($(#[$gate:meta])* $module:ident::$command:ident -> $done:ident, $refusal:ident;)+) => {
        /// Any command.
        #[derive(Debug, Clone, PartialEq)]
        pub(crate) enum Command {
            $($(#[$gate])* $command(canvas_core::$module::$command)),+
        }

        $(
            $(#[$gate])*
            impl From<canvas_core::$module::$command> for Command {
                fn from(command: canvas_core::$module::$command) -> Self {
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
    lease::CheckOut -> CheckedOut, CheckOut;
    lease::Renew -> Renewed, Holder;
    lease::CheckIn -> CheckedIn, Holder;
    document::Read -> Readable, Holder;
    document::ApplyPatch -> Applied, ApplyPatch;
    document::ReplaceLines -> Applied, ReplaceLines;
    document::ApplyEdits -> Applied, ApplyPatch;
    document::Look -> Readable, Holder;
    document::Edit -> Edited, Edit;
    document::EditStructure -> Applied, EditStructure;
    document::HostEdit -> HostEdited, HostEdit;
    turn::SendMessage -> TurnBegan, Call;
    turn::Forget -> Forgotten, Call;
    turn::Cancel -> Interrupted, Call;
    turn::TakeControl -> Interrupted, Call;
    turn::EndTurn -> TurnEnded, Call;
    turn::SetWorkMode -> WorkModeSet, Call;
    document::SetProtected -> ProtectedSet, Call;
    history::Undo -> Moved, Undo;
    history::Redo -> Moved, Undo;
    history::RedoOf -> Moved, Undo;
    history::ClearHistory -> HistoryCleared, Call;
    #[cfg(feature = "board")]
    board::CreateBoard -> BoardCreated, CreateBoard;
    #[cfg(feature = "board")]
    board::RunBoardCommand -> Board, BoardCommand;
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
    CheckedOut(canvas_core::lease::CheckedOut),
    Renewed(canvas_core::lease::Renewed),
    CheckedIn(canvas_core::lease::CheckedIn),
    Readable(canvas_core::document::Readable),
    Applied(canvas_core::document::AppliedPatch),
    Edited(canvas_core::document::Edited),
    HostEdited(canvas_core::document::HostEdited),
    TurnBegan(canvas_core::turn::TurnBegan),
    Forgotten(canvas_core::turn::Forgotten),
    Interrupted(canvas_core::turn::Interrupted),
    TurnEnded(canvas_core::turn::TurnEnded),
    WorkModeSet(canvas_core::turn::WorkModeSet),
    ProtectedSet(canvas_core::document::ProtectedSet),
    Moved(canvas_core::history::HistoryMove),
    HistoryCleared(canvas_core::history::HistoryCleared),
    #[cfg(feature = "board")]
    BoardCreated(canvas_core::board::BoardCreated),
    #[cfg(feature = "board")]
    Board(canvas_core::board::BoardCommandRun),
    Refused(AnyRefusal),
}

/// Any refusal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum AnyRefusal {
    Call(canvas_core::refusal::CallRefusal),
    CheckOut(canvas_core::lease::CheckOutRefusal),
    Holder(canvas_core::lease::HolderRefusal),
    ApplyPatch(canvas_core::document::ApplyPatchRefusal),
    ReplaceLines(canvas_core::document::ReplaceLinesRefusal),
    Edit(canvas_core::document::EditRefusal),
    EditStructure(canvas_core::document::EditStructureRefusal),
    HostEdit(canvas_core::document::HostEditRefusal),
    Undo(canvas_core::history::UndoRefusal),
    #[cfg(feature = "board")]
    CreateBoard(canvas_core::board::CreateBoardRefusal),
    #[cfg(feature = "board")]
    BoardCommand(canvas_core::board::BoardCommandRefusal),
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
            Self::EditStructure(refusal) => refusal.view(),
            Self::HostEdit(refusal) => refusal.view(),
            Self::Undo(refusal) => refusal.view(),
            #[cfg(feature = "board")]
            Self::CreateBoard(refusal) => refusal.view(),
            #[cfg(feature = "board")]
            Self::BoardCommand(refusal) => refusal.view(),
        }
    }
}

/// `OK`, or the code of a refusal and its reason.
pub(crate) fn code(outcome: &Outcome) -> String {
    let Some(refusal) = outcome.refusal() else { return "OK".into() };
    refusal.reason().map_or_else(|| refusal.code().into(), |reason| format!("{}/{reason}", refusal.code()))
}
