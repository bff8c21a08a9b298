//! Members of a stored object that this library does not know.

use std::sync::Arc;

use serde::de::Deserializer;
use serde::ser::{SerializeMap as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Members that a newer library added to an object, for `#[serde(flatten)]`. They are written back as they were read,
/// except that the last digit of a non-integer number may change.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct Unknown(Option<Arc<Map<String, Value>>>);

impl Unknown {
    pub(crate) const NONE: Self = Self(None);
}

impl Serialize for Unknown {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.0.iter().flat_map(|members| members.iter()) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Unknown {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = Map::deserialize(deserializer)?;
        Ok(Self((!members.is_empty()).then(|| Arc::new(members))))
    }
}
