//! Who asks for a lease, and the key that makes a retry recognisable.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Names an agent's run; the host chooses the name.
///
/// Two runs that must not use each other's leases need two names. Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Holder(#[serde(with = "shared_text")] Arc<str>);

impl Holder {
    /// Any text is a name; none is checked.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name as the host gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Names one attempt to check out. A retry with the same key returns the lease of the first try.
///
/// Clones share the text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OperationKey(#[serde(with = "shared_text")] Arc<str>);

impl OperationKey {
    /// Any text is a key; none is checked.
    pub fn new(key: impl Into<Arc<str>>) -> Self {
        Self(key.into())
    }

    /// The key as the host gave it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// An `Arc<str>` as a JSON string. Serde has this under its feature `rc`, which would then be on for
/// everyone who depends on this crate.
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
