//! Names of holders, and the keys that make a retry recognisable.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The name of an agent's run, which the host chooses.
///
/// Two runs that must not use each other's leases need different names. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Holder(#[serde(with = "shared_text")] Arc<str>);

impl Holder {
    /// Creates a holder from any text, which is not checked.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Returns the name, unchanged.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The key of one attempt to check out. A retry with the same key and holder returns the lease of the first
/// attempt while that lease is valid.
///
/// Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationKey(#[serde(with = "shared_text")] Arc<str>);

impl OperationKey {
    /// Creates a key from any text, which is not checked.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        Self(key.into())
    }

    /// Returns the key, unchanged.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An `Arc<str>` as a JSON string. Serde offers this behind its feature `rc`, which would then be enabled for
/// every crate that depends on this one.
mod shared_text {
    use std::sync::Arc;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(text: &Arc<str>, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
        String::deserialize(deserializer).map(Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_json_string() {
        for text in ["", "agent-1", "\"\u{e9}\u{1f600}\n"] {
            let json = serde_json::to_value(Holder::new(text)).unwrap();
            assert_eq!(json, text);
            assert_eq!(serde_json::from_value::<Holder>(json).unwrap().as_str(), text);
            let json = serde_json::to_value(OperationKey::new(text)).unwrap();
            assert_eq!(json, text);
            assert_eq!(serde_json::from_value::<OperationKey>(json).unwrap().as_str(), text);
        }
    }
}
