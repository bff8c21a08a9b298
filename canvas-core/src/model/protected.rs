//! Places of a document that no model may change.

use std::sync::Arc;

use canvas_patch::Address;
use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;

/// Places of a document that no model may change, see [`SetProtected`](crate::document::SetProtected).
///
/// The places are structural, such as a section or a table. Line numbers and searches are refused, because they lead
/// elsewhere after the next edit. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Address>", into = "Vec<Address>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<serde_json::Value>"))]
pub struct ProtectedPlaces(Arc<[Address]>);

impl ProtectedPlaces {
    /// Maximum number of places.
    pub const PLACES: usize = 64;

    /// Maximum bytes of all places together, as JSON.
    pub const BYTES: usize = 16 << 10;

    /// Creates a list of places, which may be empty.
    ///
    /// # Errors
    ///
    /// If a place is given by line numbers or by a search, or if the list exceeds a limit.
    pub fn new(places: Vec<Address>) -> Result<Self, ProtectedPlacesError> {
        if let Some(index) = places.iter().position(is_transient) {
            return Err(ProtectedPlacesError::Transient { index });
        }
        let bytes = serde_json::to_string(&places).map_or(usize::MAX, |json| json.len());
        if places.len() > Self::PLACES || bytes > Self::BYTES {
            return Err(ProtectedPlacesError::TooMany { places: places.len(), bytes });
        }
        Ok(Self(places.into()))
    }

    /// Returns the addresses, in the order in which they were given.
    pub fn addresses(&self) -> &[Address] {
        &self.0
    }

    /// Whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

const fn is_transient(place: &Address) -> bool {
    matches!(place, Address::Lines { .. } | Address::Hit { .. })
}

/// Error returned when places cannot be protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtectedPlacesError {
    /// A place is given by line numbers or by a search.
    #[error(
        "place {index} is given by lines or by a search, which lead elsewhere after the next edit: give a section, \
         key, table, item or another part of the structure"
    )]
    Transient {
        /// Index of the place, counted from 0.
        index: usize,
    },
    /// The list has more than 64 places or more than 16 KiB.
    #[error(
        "{places} places with {bytes} bytes are too many: give at most {} places with {} bytes, for example whole \
         sections",
        ProtectedPlaces::PLACES,
        ProtectedPlaces::BYTES
    )]
    TooMany {
        /// Number of places.
        places: usize,
        /// Size of the list as JSON, in bytes.
        bytes: usize,
    },
}

impl CodedError for ProtectedPlacesError {
    fn code(&self) -> &'static str {
        "INVALID_PROTECTION"
    }

    fn reason(&self) -> Option<&'static str> {
        None
    }
}

impl TryFrom<Vec<Address>> for ProtectedPlaces {
    type Error = ProtectedPlacesError;

    fn try_from(places: Vec<Address>) -> Result<Self, ProtectedPlacesError> {
        Self::new(places)
    }
}

impl From<ProtectedPlaces> for Vec<Address> {
    fn from(ProtectedPlaces(places): ProtectedPlaces) -> Self {
        places.to_vec()
    }
}
