//! Names that hosts give: canvases, conversations, calls.

use std::fmt;
use std::sync::Arc;

use canvas_lease::{Holder, OperationKey, Turn};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};

/// A name is empty or longer than [`NameError::BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a name needs 1 to {} bytes, this one has {bytes}: give a shorter one", NameError::BYTES)]
pub struct NameError {
    /// Bytes of the name that was given.
    pub bytes: usize,
}

impl NameError {
    /// Bytes that a name may have.
    pub const BYTES: usize = 512;
}

canvas_patch::coded_error!(NameError => "INVALID_NAME");

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
        pub struct $name(std::sync::Arc<str>);

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::model::id::read_name(deserializer, Self::new)
            }
        }

        impl $name {
            /// Checks a name: any text of 1 to 512 bytes.
            ///
            /// # Errors
            ///
            /// [`NameError`](crate::NameError) where it is empty or too long.
            pub fn new(name: &str) -> Result<Self, $crate::model::id::NameError> {
                use $crate::model::id::NameError;
                match name.len() {
                    1..=NameError::BYTES => Ok(Self(name.into())),
                    bytes => Err(NameError { bytes }),
                }
            }

            /// The name.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TryFrom<String> for $name {
            type Error = $crate::model::id::NameError;

            fn try_from(name: String) -> Result<Self, Self::Error> {
                Self::new(&name)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.0.as_ref().into()
            }
        }
    };
}

#[cfg(any(feature = "board", feature = "surface"))]
pub(crate) use name;

/// Reads a name from where it lies, without a `String` in between: a large board has a hundred thousand of them.
pub(crate) fn read_name<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    read: fn(&str) -> Result<T, NameError>,
) -> Result<T, D::Error> {
    struct Name<T>(fn(&str) -> Result<T, NameError>);

    impl<T> Visitor<'_> for Name<T> {
        type Value = T;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<T, E> {
            (self.0)(name).map_err(E::custom)
        }
    }

    deserializer.deserialize_str(Name(read))
}

/// Stores an id as the text that it is shown as and parsed from.
macro_rules! stored_as_text {
    ($id:ident, $error:ident) => {
        impl TryFrom<String> for $id {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl From<$id> for String {
            fn from(id: $id) -> Self {
                id.to_string()
            }
        }
    };
}

pub(crate) use stored_as_text;

name! {
    /// Names one canvas in its store.
    CanvasId
}

name! {
    /// Names one conversation of a model about a canvas. A lease is bound to it.
    ConversationId
}

name! {
    /// Names one call within a conversation's turn; a retry brings the same name.
    CallId
}

impl ConversationId {
    pub(crate) fn holder(&self) -> Holder {
        Holder::new(Arc::clone(&self.0))
    }
}

/// Names an operation for good: the same key again is a retry of the same operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OpKey {
    /// Who asks: a model's conversation, or a name that the host keeps for its users.
    pub conversation: ConversationId,
    /// The turn in which it was asked for the first time.
    pub turn: Turn,
    /// The call.
    pub call: CallId,
}

impl OpKey {
    pub(crate) fn operation(&self) -> OperationKey {
        OperationKey::new(format!("{}/{}/{}", self.conversation, self.turn.get(), self.call))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_name_is_read_as_text_and_nothing_else() {
        let long = format!("\"{}\"", "a".repeat(NameError::BYTES + 1));
        for (json, expected) in [
            (r#""a\u00e9""#, Ok("aé")),
            (r#""a b""#, Ok("a b")),
            ("1", Err("invalid type: integer `1`, expected a string")),
            ("null", Err("invalid type: null, expected a string")),
            (r#""""#, Err("a name needs 1 to 512 bytes, this one has 0: give a shorter one")),
            (&long, Err("a name needs 1 to 512 bytes, this one has 513: give a shorter one")),
        ] {
            let from_text = serde_json::from_str::<CallId>(json);
            let from_value = serde_json::from_str(json).and_then(serde_json::from_value::<CallId>);
            for read in [from_text, from_value] {
                match (read, expected) {
                    (Ok(read), Ok(expected)) => assert_eq!(read.as_str(), expected, "{json}"),
                    (Err(e), Err(expected)) => assert!(e.to_string().starts_with(expected), "{json}: {e}"),
                    (read, _) => panic!("{json}: {read:?}"),
                }
            }
        }
        let keys: BTreeMap<CallId, u8> = serde_json::from_str(r#"{"a": 1}"#).unwrap();
        assert_eq!(serde_json::to_string(&keys).unwrap(), r#"{"a":1}"#);
    }
}
