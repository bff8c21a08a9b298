//! Actions that people request on a board.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{CanvasCommand, HistoryAction, UserAction};
use crate::board::model::id::ComponentId;

/// An action that a person requests on a board, as a host performs it.
///
/// It deserializes from a [`UserAction`] or a [`HistoryAction`], distinguished by `type`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum BoardAction {
    /// Run a command on the board.
    Command(Box<CanvasCommand>),
    /// Fetch the data of a component again. This changes no board.
    Refresh {
        /// The component whose data are fetched.
        component_id: ComponentId,
    },
    /// Undo, redo or clear the history of the canvas.
    History(HistoryAction),
}

impl From<UserAction> for BoardAction {
    fn from(action: UserAction) -> Self {
        match (action.command(), action) {
            (Some(command), _) => Self::Command(Box::new(command)),
            (None, UserAction::Refresh { component_id }) => Self::Refresh { component_id },
            (None, UserAction::Redo) => Self::History(HistoryAction::Redo),
            (None, _) => Self::History(HistoryAction::Undo),
        }
    }
}

impl<'de> Deserialize<'de> for BoardAction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Value::deserialize(deserializer)?;
        let is_history = json["type"].as_str().is_some_and(|kind| kind.starts_with("history."));
        let action = if is_history {
            HistoryAction::deserialize(json).map(Self::History)
        } else {
            UserAction::deserialize(json).map(Self::from)
        };
        action.map_err(D::Error::custom)
    }
}
