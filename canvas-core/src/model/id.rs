//! Names that hosts choose for canvases, conversations and calls.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_lease::Holder;
use serde::Deserializer;
use serde::de::Visitor;

use crate::model::error::CodedError;

/// Error returned if a name is empty or longer than [`NameError::MAX_BYTES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the name has {bytes} bytes: give one of 1 to {} bytes", NameError::MAX_BYTES)]
pub struct NameError {
    /// Length of the rejected name in bytes.
    pub bytes: usize,
}

impl NameError {
    /// Maximum length of a name in bytes.
    pub const MAX_BYTES: usize = 512;
}

impl CodedError for NameError {
    fn code(&self) -> &'static str {
        "INVALID_NAME"
    }
}

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
            /// Creates a name from any text of 1 to 512 bytes.
            ///
            /// # Errors
            ///
            /// Returns [`NameError`](crate::NameError) if the name is empty or too long.
            pub fn new(name: &str) -> Result<Self, $crate::model::id::NameError> {
                use $crate::model::id::NameError;
                match name.len() {
                    1..=NameError::MAX_BYTES => Ok(Self(name.into())),
                    bytes => Err(NameError { bytes }),
                }
            }

            /// Returns the name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::model::id::NameError;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                Self::new(name)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = $crate::model::id::NameError;

            fn try_from(name: &str) -> Result<Self, Self::Error> {
                Self::new(name)
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

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                *self.0 == *other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                *self.0 == **other
            }
        }
    };
}

#[cfg(any(feature = "board", feature = "surface"))]
pub(crate) use name;

/// Reads a name in place, without a `String` in between, because a large board has a hundred thousand of them.
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

/// Stores an id as its displayed text, from which it is also parsed.
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
    /// Names one call within a conversation's turn; a retry uses the same name.
    CallId
}

impl ConversationId {
    pub(crate) fn holder(&self) -> Holder {
        Holder::new(Arc::clone(&self.0))
    }
}

/// A generator of unique call ids, each made of a start that the host draws at random and a counter.
///
/// Receipts are stored with the canvas and outlive the process. If ids counted from 1 in each process, they would be
/// retries of the previous process's calls, and would get its answers or `CALL_ID_REUSED`. If a client sends the same
/// request again after a failure, take the id from the request instead, so that it is a retry.
///
/// ```
/// use canvas_core::CallIds;
///
/// let random = 0x5eed_0123_4567_89ab; // the host draws it at random, once a process
/// let ids = CallIds::new(random);
/// assert_ne!(ids.fresh(), ids.fresh());
/// assert_eq!(ids.fresh().as_str(), "5eed0123456789ab-3");
/// ```
#[derive(Debug)]
pub struct CallIds {
    start: u64,
    made: AtomicU64,
}

impl CallIds {
    /// Creates a generator of ids that start with these bits. No other process may use the same bits.
    pub const fn new(random: u64) -> Self {
        Self { start: random, made: AtomicU64::new(0) }
    }

    /// Returns the next id.
    pub fn fresh(&self) -> CallId {
        let number = self.made.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        CallId(format!("{:016x}-{number}", self.start).into())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn call_ids_of_two_processes_never_meet() {
        let (one, two) = (CallIds::new(1), CallIds::new(u64::MAX));
        let made: std::collections::BTreeSet<_> =
            (0..100).flat_map(|_| [one.fresh(), two.fresh()]).map(String::from).collect();
        assert_eq!(made.len(), 200);
        assert!(made.iter().all(|id| CallId::new(id).is_ok()));
    }

    #[test]
    fn a_name_compares_and_converts_like_its_text() {
        let call: CallId = "1".parse().unwrap();
        assert_eq!(call, "1");
        assert_eq!(call, *"1");
        assert_ne!(call, "2");
        assert_eq!(CallId::try_from("1"), Ok(call.clone()));
        assert_eq!(CallId::try_from(""), Err(NameError { bytes: 0 }));
        assert_eq!(call.as_ref(), "1");
        assert_eq!(BTreeMap::from([(call.clone(), 7)]).get("1"), Some(&7));
        assert!(std::collections::HashSet::from([call]).contains("1"));
    }

    #[test]
    fn a_name_is_read_as_text_and_nothing_else() {
        let long = format!("\"{}\"", "a".repeat(NameError::MAX_BYTES + 1));
        for (json, expected) in [
            (r#""a\u00e9""#, Ok("aé")),
            (r#""a b""#, Ok("a b")),
            ("1", Err("invalid type: integer `1`, expected a string")),
            ("null", Err("invalid type: null, expected a string")),
            (r#""""#, Err("the name")),
            (&long, Err("the name")),
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
