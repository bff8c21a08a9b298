//! Data of one component, or for one place of the state.

use serde_json::Value;

use crate::model::blob::{Blob, BlobId};
use crate::model::canonical::canonical_json;
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::limits::{RecipeLimits, is_within};

/// A value within the limits, and its canonical text, by which data are compared and stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Datum {
    value: Value,
    blob: Blob,
}

impl Datum {
    /// Checks a value. Linear in it.
    ///
    /// # Errors
    ///
    /// `MAPPING_FAILED` where it is too large, nested too deep, or has a number that not every reader reads exactly.
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

    /// The value, as a reader of its canonical text has it: 1.0 is 1.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The hash of its canonical text: equal data have equal ids.
    pub fn id(&self) -> BlobId {
        self.blob.id()
    }

    /// Bytes of its canonical text.
    pub fn bytes(&self) -> usize {
        self.blob.as_bytes().len()
    }

    pub(crate) fn blob(&self) -> &Blob {
        &self.blob
    }
}

/// Makes whole numbers of doubles that are whole. Those that are not exact were refused before.
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

/// 2^53: doubles up to it have every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;
