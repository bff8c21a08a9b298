//! Owners of proposals.

use std::fmt;

use canvas_lease::Turn;
use serde::{Deserialize, Serialize};

use crate::model::actor::{Actor, PersonId};
use crate::model::id::ConversationId;
use crate::model::op_key::OpKey;

/// The person or the conversation whose proposal it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// A person.
    Person(PersonId),
    /// A conversation with a model.
    Conversation(ConversationId),
}

impl Owner {
    /// Returns the person or the conversation that runs an operation. An operation of the host is of the person `user`.
    pub(crate) fn of(operation: &OpKey) -> Self {
        match operation.actor() {
            Actor::Person { person } => Self::Person(person),
            Actor::Conversation { conversation, .. } => Self::Conversation(conversation),
            Actor::Host => Self::Person(PersonId::default()),
        }
    }

    /// Returns the owner as the author of a change, which a conversation proposed in this turn.
    pub(crate) fn to_actor(&self, turn: Option<Turn>) -> Actor {
        match self {
            Self::Person(person) => Actor::Person { person: person.clone() },
            Self::Conversation(conversation) => {
                let turn = turn.unwrap_or(Turn::ZERO);
                Actor::Conversation { conversation: conversation.clone(), turn }
            }
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Person(person) => write!(f, "person {person}"),
            Self::Conversation(conversation) => write!(f, "conversation {conversation}"),
        }
    }
}
