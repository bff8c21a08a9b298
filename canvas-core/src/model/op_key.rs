//! The key of an operation, which names its actor and its call.

use canvas_lease::{OperationKey, Turn};
use serde::{Deserialize, Serialize};

use crate::model::actor::{Actor, PersonId};
use crate::model::id::{CallId, ConversationId};

/// The conversation of people in keys.
const USER: &str = "user";
/// The conversation of the host in keys.
const HOST: &str = "host";

/// The permanent key of an operation. As long as the canvas keeps its receipt, the same key means a retry of the same
/// operation.
///
/// # Several people, and names of conversations
///
/// "The user" is every person who works on the canvas. An undo by author reverts the changes of all people. To keep
/// people apart, name each with [`OpKey::person`]. Entries of the journal record the name
/// ([`Entry::made_by`](crate::history::Entry::made_by)). It does not change anybody's rights, because the engine does
/// not know who may do what. Check this before the call. The first operation of a named person raises the canvas to
/// format 3, which libraries before 0.2 refuse.
///
/// A conversation id is any text of 1 to 512 bytes. It names one chat on one canvas. Under this id, the canvas keeps
/// receipts, the lease and the text that the conversation knows, so follow these rules:
///
/// * Keep the same id for as long as the chat lives, also after a restart.
/// * Do not give one id to two chats, not even one after the other. A chat whose history was lost keeps its id and
///   calls [`Forget`](crate::turn::Forget).
/// * Choose it on the server. If a client chooses it, the client can act as any other conversation of the canvas.
/// * Leave `user` and `host` to [`OpKey::user`] and [`OpKey::host`]. The engine does not refuse these names to a model,
///   but the keys of the model and of a person may then be equal.
/// * Do not put secrets into it. The lock shows it to pages ([`LockView`](crate::watch::LockView)), and the journal
///   stores it.
///
/// A canvas keeps track of at most [`SyncLimits::conversations`](crate::policy::SyncLimits::conversations)
/// conversations.
///
/// The key of a model's call comes from its session. Operations of users and the host do not belong to a model's turn:
///
/// ```
/// use canvas_core::OpKey;
///
/// let setup = OpKey::host("create".parse()?);
/// let typed = OpKey::user("an id that the page drew for this edit".parse()?);
/// let by_anna = OpKey::person("anna".parse()?, "1".parse()?);
/// assert_ne!(setup.actor(), typed.actor());
/// assert_ne!(typed.actor(), by_anna.actor());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OpKey {
    /// The caller: a model's conversation, or a name that the host keeps for its users.
    pub conversation: ConversationId,
    /// The turn in which the operation was first requested.
    pub turn: Turn,
    /// The call within the conversation's turn.
    pub call: CallId,
    /// The person whose operation it is, if the host names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub person: Option<PersonId>,
}

impl OpKey {
    /// Creates the key of a user's operation. All users share the name `user`, so their call ids must be unique among
    /// all of them. If pages count their calls themselves, name each page with [`OpKey::of`].
    pub fn user(call: CallId) -> Self {
        Self::of(named(USER), call)
    }

    /// Creates the key of a named person's operation. The call ids of one person must be unique. The default name
    /// gives the key of [`OpKey::user`], which does not raise the format of a canvas.
    pub fn person(person: PersonId, call: CallId) -> Self {
        Self { person: Some(person).filter(|person| *person != PersonId::default()), ..Self::user(call) }
    }

    /// Creates the key of an operation by the host itself, such as creating a canvas, under the name `host`.
    ///
    /// The conversation that creates a canvas knows its first text. If this should be a model's conversation, create
    /// the canvas with [`OpKey::of`] and that conversation.
    pub fn host(call: CallId) -> Self {
        Self::of(named(HOST), call)
    }

    /// Creates the key of an operation outside the turns of models, on behalf of its caller.
    pub fn of(conversation: ConversationId, call: CallId) -> Self {
        Self { conversation, turn: Turn::ZERO, call, person: None }
    }

    /// Returns the actor that the key names.
    pub fn actor(&self) -> Actor {
        match &self.person {
            Some(person) => Actor::Person { person: person.clone() },
            None if self.conversation == USER => Actor::Person { person: PersonId::default() },
            None if self.conversation == HOST => Actor::Host,
            None => Actor::Conversation { conversation: self.conversation.clone(), turn: self.turn },
        }
    }

    pub(crate) fn operation(&self) -> OperationKey {
        let Self { conversation, turn, call, person } = self;
        OperationKey::new(match person {
            // No name of a person contains this character.
            Some(person) => format!("{person}\u{1f}{conversation}/{}/{call}", turn.get()),
            None => format!("{conversation}/{}/{call}", turn.get()),
        })
    }
}

fn named(conversation: &str) -> ConversationId {
    ConversationId::new(conversation).expect("the name is short")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_outside_of_turns_differ_by_who_asks() {
        let call = || CallId::new("1").unwrap();
        for (key, operation) in [
            (OpKey::user(call()), "user/0/1"),
            (OpKey::host(call()), "host/0/1"),
            (OpKey::of(ConversationId::new("page").unwrap(), call()), "page/0/1"),
        ] {
            assert_eq!(key.operation(), OperationKey::new(operation));
        }
    }
}
