//! A part of an answer, kept as the provider sent it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A provider's own form of an event, opaque to others.
///
/// A request to the same provider sends the part as it is, whatever the event's body says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Name of the provider that made the part.
    pub provider: String,
    /// The part as it was sent; as JSON, so white space and the order of keys may differ.
    pub part: Value,
}
