//! Data of one component, or for one place of the state.

use serde_json::Value;

use crate::model::blob::{Blob, BlobId};
use crate::model::canonical::canonical_json;
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::limits::{RecipeLimits, is_within};

/// A value within the limits, with the canonical text by which data are compared and stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Datum {
    value: Value,
    blob: Blob,
}

impl Datum {
    /// Checks a value. Linear in its size.
    ///
    /// # Errors
    ///
    /// Returns `MAPPING_FAILED` if the value is too large or nested too deep, or has a number that some readers cannot
    /// read exactly.
    pub fn new(value: Value, limits: &RecipeLimits) -> Result<Self, RecipeFault> {
        let failed = |place, message| Err(RecipeFault::new(place, RecipeCode::MappingFailed, message));
        let mut value = value;
        if !is_within(&value, limits.depth) {
            let limit = limits.depth;
            return failed(String::new(), format!("the data are nested more than {limit} deep: select less"));
        }
        let text = match canonical_json(&value) {
            Ok(text) => text,
            Err(error) => return failed(error.place.clone(), error.to_string()),
        };
        let (bytes, limit) = (text.len(), limits.data_bytes);
        if bytes > limit {
            let message = format!("the data have {bytes} bytes, the limit is {limit}: limit or select less");
            return failed(String::new(), message);
        }
        normalize(&mut value);
        Ok(Self { value, blob: Blob::text(text) })
    }

    /// Returns the value in the form that a reader of the canonical text gets. For example, 1.0 is 1.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Returns the hash of the canonical text. Equal data have equal ids.
    pub fn id(&self) -> BlobId {
        self.blob.id()
    }

    /// Returns the size of the canonical text, in bytes.
    pub fn bytes(&self) -> usize {
        self.blob.as_bytes().len()
    }

    pub(crate) fn blob(&self) -> &Blob {
        &self.blob
    }
}

/// Converts whole doubles to whole numbers. Inexact ones were refused before.
fn normalize(value: &mut Value) {
    match value {
        Value::Number(number) if number.is_f64() => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "canonical JSON has no whole number beyond 2^53"
            )]
            if let Some(whole) = whole.filter(|whole| whole.abs() < EXACT) {
                *number = (whole as i64).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(normalize),
        Value::Object(members) => members.values_mut().for_each(normalize),
        _ => {}
    }
}

/// 2^53. Doubles represent every whole number up to it.
const EXACT: f64 = 9_007_199_254_740_992.0;
