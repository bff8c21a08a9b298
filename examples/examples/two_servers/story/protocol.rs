//! Messages between the coordinator and a server; between processes, each is a line of JSON.

use canvas_core::RevisionId;
use canvas_core::lease::Epoch;
use serde::{Deserialize, Serialize};

/// From the coordinator to a server. Each is answered by a [`Milestone`], or by [`ServerEvent::CanvasState`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// The user sends the script's message.
    Message,
    /// The model answers it.
    Answer,
    /// The user types into the document.
    Type,
    /// Let the commit that was held up reach the database.
    ReleaseCommit,
    /// Report the canvas as it is now.
    Report,
}

/// From a server to the coordinator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ServerEvent {
    /// A line for the reader.
    Line(String),
    /// A step is done for which the coordinator waits.
    Reached(Milestone),
    /// A revision was written.
    Written(Written),
    /// A write of the model was refused.
    Refused(Refused),
    /// The canvas, as this server reads it.
    CanvasState(CanvasState),
    /// The server cannot go on.
    Failed(String),
}

/// Steps for which the coordinator waits, so that the story has one order however fast the servers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Milestone {
    /// It is connected and listens.
    Ready,
    /// The user's message has begun a turn.
    TurnBegan,
    /// A commit of the model is held up before the database.
    OnItsWay,
    /// The user's typing is in the document.
    Typed,
    /// It has a notice that somebody has typed elsewhere.
    HeardTyping,
    /// It has a notice that its turn is over, and has stopped the loop.
    Stopped,
    /// The turn has ended.
    TurnEnded,
}

/// A revision, and who wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    pub(crate) revision: RevisionId,
    /// The epoch of the lease, or the one that the user's act began.
    pub(crate) epoch: Epoch,
    pub(crate) who: String,
    pub(crate) what: String,
}

/// A write that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Refused {
    pub(crate) code: String,
    /// The epoch of the lease that it named.
    pub(crate) epoch: Epoch,
    pub(crate) what: String,
}

/// A canvas at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CanvasState {
    pub(crate) text: String,
    pub(crate) revision: RevisionId,
    pub(crate) epoch: Epoch,
}
