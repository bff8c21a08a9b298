//! What is said between the stage and a server, one JSON line each where they are processes.

use canvas_core::RevisionId;
use canvas_core::lease::Epoch;
use serde::{Deserialize, Serialize};

/// The stage to a server. Each is answered by a [`Mark`], or by [`Word::Stands`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// The user sends the script's message.
    Message,
    /// The model answers it.
    Answer,
    /// The user types into the document.
    Type,
    /// The commit that was kept on its way goes on.
    LetGo,
    /// Say what the canvas is now.
    Report,
}

/// A server to the stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    /// A line for the reader.
    Line(String),
    /// A step is done; the stage has waited for it.
    Reached(Mark),
    /// A revision was written.
    Wrote(Wrote),
    /// A write of the model was refused.
    Refused(Refused),
    /// The canvas, as this server reads it.
    Stands(Stands),
    /// The server cannot go on.
    Failed(String),
}

/// Steps for which the stage waits, so that the story has one order however fast the servers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mark {
    /// It is connected and listens.
    Ready,
    /// The user's message has begun a turn.
    TurnBegan,
    /// A write of the model has left the server and not arrived.
    OnItsWay,
    /// The user's typing is in the document.
    Typed,
    /// It has heard that somebody has typed elsewhere.
    HeardTyping,
    /// It has heard that its turn is over, and has stopped the loop.
    Stopped,
    /// The turn has come to its end.
    TurnEnded,
}

/// Who wrote a revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wrote {
    pub(crate) revision: RevisionId,
    /// Of the lease, or the one that the user's act has begun.
    pub(crate) epoch: Epoch,
    pub(crate) who: String,
    pub(crate) what: String,
}

/// What was not written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refused {
    pub(crate) code: String,
    /// Of the lease under which it was tried.
    pub(crate) epoch: Epoch,
    pub(crate) what: String,
}

/// A canvas at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stands {
    pub(crate) text: String,
    pub(crate) revision: RevisionId,
    pub(crate) epoch: Epoch,
}
