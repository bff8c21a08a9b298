//! Actors, which make changes happen, and names of people.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use canvas_lease::Turn;
use serde::{Deserialize, Serialize};

use crate::model::author::Role;
use crate::model::error::CodedError;
use crate::model::id::{ConversationId, stored_as_text};

/// The opaque name of a person. The host chooses it and verifies the person's identity and rights, because the engine only
/// records the name. Models never see it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
#[serde(try_from = "String", into = "String")]
pub struct PersonId(Arc<str>);

impl PersonId {
    /// Maximum length of a name in bytes.
    pub const MAX_BYTES: usize = 128;

    /// Creates a name of 1 to [`PersonId::MAX_BYTES`] bytes.
    ///
    /// # Errors
    ///
    /// Returns a [`PersonIdError`] if the name is empty or too long, or if it contains a control character or a
    /// character that changes the direction of text, because pages and logs show it.
    pub fn new(name: &str) -> Result<Self, PersonIdError> {
        if !(1..=Self::MAX_BYTES).contains(&name.len()) {
            return Err(PersonIdError::Length { bytes: name.len() });
        }
        match name.char_indices().find(|(_, character)| is_unsafe(*character)) {
            Some((at, character)) => Err(PersonIdError::Character { at, character }),
            None => Ok(Self(name.into())),
        }
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The person `user`, for all people without a name from the host.
impl Default for PersonId {
    fn default() -> Self {
        Self("user".into())
    }
}

impl fmt::Display for PersonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for PersonId {
    type Err = PersonIdError;

    fn from_str(name: &str) -> Result<Self, PersonIdError> {
        Self::new(name)
    }
}

stored_as_text!(PersonId, PersonIdError);

/// Whether a character is a control character, or changes the direction of text.
pub(crate) fn is_unsafe(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Error returned if a text cannot name a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PersonIdError {
    /// The name is empty or too long.
    #[error("the name of a person has {bytes} bytes: give one of 1 to {} bytes", PersonId::MAX_BYTES)]
    Length {
        /// Length of the rejected name in bytes.
        bytes: usize,
    },
    /// The name contains a control character or one that changes the direction of text.
    #[error("the name of a person contains {character:?} at byte {at}: leave it out")]
    Character {
        /// Position of the character in bytes.
        at: usize,
        /// A control character, or one that changes the direction of text.
        character: char,
    },
}

impl CodedError for PersonIdError {
    fn code(&self) -> &'static str {
        "INVALID_NAME"
    }
}

/// A person, a conversation of a model, or the host, if it made a change happen. The author of the content may be another
/// actor instead, for example if a person undoes a model's change.
///
/// ```
/// use canvas_core::{Actor, OpKey, PersonId};
///
/// let key = OpKey::person(PersonId::new("p-17")?, "1".parse()?);
/// assert_eq!(key.actor(), Actor::Person { person: PersonId::new("p-17")? });
/// assert_eq!(OpKey::host("2".parse()?).actor(), Actor::Host);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "StoredActor"))]
#[serde(from = "StoredActor", into = "StoredActor")]
pub enum Actor {
    /// A person.
    Person {
        /// The name that the host gave, or `user`.
        person: PersonId,
    },
    /// A model, or the host in its name.
    Conversation {
        /// The conversation of the model.
        conversation: ConversationId,
        /// The turn in which the change was requested. Zero if the host made the change outside the model's turns.
        turn: Turn,
    },
    /// The application itself, for example if it creates a canvas for nobody in particular.
    Host,
}

impl Actor {
    /// Returns the role that entries of this actor record.
    pub(crate) const fn role(&self) -> Role {
        match self {
            Self::Person { .. } => Role::User,
            Self::Conversation { .. } | Self::Host => Role::Assistant,
        }
    }
}

/// The JSON of an actor, such as `{"person": "p-17"}`.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
enum StoredActor {
    Person {
        person: PersonId,
    },
    Conversation {
        conversation: ConversationId,
        #[cfg_attr(feature = "schema", schemars(with = "u64"))]
        turn: Turn,
    },
    Host {
        host: bool,
    },
}

impl From<StoredActor> for Actor {
    fn from(stored: StoredActor) -> Self {
        match stored {
            StoredActor::Person { person } => Self::Person { person },
            StoredActor::Conversation { conversation, turn } => Self::Conversation { conversation, turn },
            StoredActor::Host { .. } => Self::Host,
        }
    }
}

impl From<Actor> for StoredActor {
    fn from(actor: Actor) -> Self {
        match actor {
            Actor::Person { person } => Self::Person { person },
            Actor::Conversation { conversation, turn } => Self::Conversation { conversation, turn },
            Actor::Host => Self::Host { host: true },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_has_a_name_that_pages_can_show() {
        let long = "a".repeat(PersonId::MAX_BYTES);
        for (name, expected) in [
            ("p-17", Ok(())),
            ("Zoë 🦊", Ok(())),
            (long.as_str(), Ok(())),
            ("", Err(PersonIdError::Length { bytes: 0 })),
            (&format!("{long}a"), Err(PersonIdError::Length { bytes: 129 })),
            ("a\nb", Err(PersonIdError::Character { at: 1, character: '\n' })),
            ("a\u{85}", Err(PersonIdError::Character { at: 1, character: '\u{85}' })),
            ("é\u{202e}b", Err(PersonIdError::Character { at: 2, character: '\u{202e}' })),
            ("\u{2069}", Err(PersonIdError::Character { at: 0, character: '\u{2069}' })),
        ] {
            assert_eq!(PersonId::new(name).map(|_| ()), expected, "{name:?}");
            let json = serde_json::to_string(name).unwrap();
            assert_eq!(serde_json::from_str::<PersonId>(&json).is_ok(), expected.is_ok(), "{name:?}");
        }
    }

    #[test]
    fn an_actor_is_stored_as_one_object() {
        let conversation = ConversationId::new("main").unwrap();
        for (actor, json) in [
            (Actor::Person { person: PersonId::new("p-17").unwrap() }, r#"{"person":"p-17"}"#),
            (Actor::Conversation { conversation, turn: Turn::ZERO }, r#"{"conversation":"main","turn":0}"#),
            (Actor::Host, r#"{"host":true}"#),
        ] {
            assert_eq!(serde_json::to_string(&actor).unwrap(), json);
            assert_eq!(serde_json::from_str::<Actor>(json).unwrap(), actor);
        }
        assert!(serde_json::from_str::<Actor>(r#"{"somebody":"else"}"#).is_err());
    }
}
