//! What a provider sent, kept as it came.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A provider's own form of an event, opaque to everybody else.
///
/// Where it is present and its provider is asked, the part is sent as it stands, whatever the event's body says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Name of the provider that made the part.
    pub provider: String,
    /// The part, byte for byte as JSON goes.
    pub part: Value,
}
