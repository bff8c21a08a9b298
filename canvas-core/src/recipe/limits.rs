//! How large recipes and their data may be, and how often they are replayed.

use std::time::Duration;

use serde_json::Value;

use crate::model::json_hash::JsonHash;
use crate::recipe::drift::{Drift, DriftCode};

/// Limits of recipes. Bytes are those of the JSON, without white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecipeLimits {
    /// Bytes of a recipe. Default 256 KiB.
    pub bytes: usize,
    /// Steps of a recipe. Default 32.
    pub steps: usize,
    /// Mappings of a recipe. Default 128.
    pub mappings: usize,
    /// Bytes of the arguments of a call. Default 256 KiB.
    pub argument_bytes: usize,
    /// Bytes of a response. Default 1 MiB.
    pub response_bytes: usize,
    /// Bytes of the data of one component. Default 256 KiB.
    pub data_bytes: usize,
    /// How deep a recipe, a response and data may be nested. Default 64.
    pub depth: usize,
    /// Components that a canvas has data of, those of earlier recipes too. Default 1,024.
    pub components: usize,
    /// From one replay to the next of the same canvas. Default 3 s.
    pub pause: Duration,
}

impl RecipeLimits {
    /// For what is stored already, and was within the limits when it came.
    pub(crate) const UNLIMITED: Self = {
        let most = usize::MAX;
        Self {
            bytes: most,
            steps: most,
            mappings: most,
            argument_bytes: most,
            response_bytes: most,
            data_bytes: most,
            depth: most,
            components: most,
            pause: Duration::ZERO,
        }
    };

    /// Passes a response that mappings may be played on, and gives its hash, by which a run names it. Its bytes are those of its
    /// canonical text. Linear in it.
    ///
    /// # Errors
    ///
    /// `CALL_FAILED` where it is too large or nested too deep, or has a number that not every reader reads exactly.
    pub fn check_response(&self, response: &Value) -> Result<JsonHash, Drift> {
        let failed = |message| Err(Drift::new(DriftCode::CallFailed, message));
        // How deep it is comes first: what writes the text calls itself.
        if !is_within(response, self.depth) {
            let limit = self.depth;
            return failed(format!(
                "the response is nested more than {limit} deep: have the tool answer less"
            ));
        }
        let (hash, bytes) = match JsonHash::with_bytes(response) {
            Ok(hashed) => hashed,
            Err(error) => return failed(format!("the response cannot be kept: {error}")),
        };
        let limit = self.response_bytes;
        if bytes > limit {
            return failed(format!(
                "the response has {bytes} bytes, the limit is {limit}: have the tool answer less"
            ));
        }
        Ok(hash)
    }
}

/// Whether no more lists and objects are nested.
pub(super) fn is_within(value: &Value, depth: usize) -> bool {
    match value {
        Value::Array(items) => depth > 0 && items.iter().all(|item| is_within(item, depth - 1)),
        Value::Object(members) => depth > 0 && members.values().all(|member| is_within(member, depth - 1)),
        _ => true,
    }
}

impl Default for RecipeLimits {
    fn default() -> Self {
        Self {
            bytes: 256 << 10,
            steps: 32,
            mappings: 128,
            argument_bytes: 256 << 10,
            response_bytes: 1 << 20,
            data_bytes: 256 << 10,
            depth: 64,
            components: 1_024,
            pause: Duration::from_secs(3),
        }
    }
}
