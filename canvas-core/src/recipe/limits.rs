//! Limits on the size of recipes and their data, and on the frequency of replays.

use std::time::Duration;

use serde_json::Value;

use crate::model::json_hash::JsonHash;
use crate::recipe::drift::{Drift, DriftCode};

/// Limits of recipes. Sizes are bytes of JSON without white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RecipeLimits {
    /// Maximum size of a recipe. Default 256 KiB.
    pub bytes: usize,
    /// Maximum number of steps in a recipe. Default 32.
    pub steps: usize,
    /// Maximum number of mappings in a recipe. Default 128.
    pub mappings: usize,
    /// Maximum size of a call's arguments. Default 256 KiB.
    pub argument_bytes: usize,
    /// Maximum size of a response. Default 1 MiB.
    pub response_bytes: usize,
    /// Maximum size of the data of one component. Default 256 KiB.
    pub data_bytes: usize,
    /// Maximum nesting of a recipe, a response and data. Default 64.
    pub depth: usize,
    /// Maximum number of components with data on a canvas, including those from earlier recipes. Default 1,024.
    pub components: usize,
    /// Minimum time between two replays of the same canvas. Default 3 s.
    pub pause: Duration,
}

impl RecipeLimits {
    /// For stored values, which were within the limits when they were accepted.
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

    /// Checks that mappings can be applied to a response, and returns its hash, by which a run names it. Its size is
    /// the size of its canonical text. Linear in the response.
    ///
    /// # Errors
    ///
    /// Returns `CALL_FAILED` if the response is too large or nested too deep, or has a number that some readers cannot
    /// read exactly.
    pub fn check_response(&self, response: &Value) -> Result<JsonHash, Drift> {
        let failed = |message| Err(Drift::new(DriftCode::CallFailed, message));
        // The nesting is checked first, because the serializer is recursive.
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

/// Whether lists and objects are nested at most this deep.
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
