//! Copies of row parts, with a limit on their total size.

use serde_json::Value;

use super::limits::COPIED_BYTES;
use crate::recipe::error::{RecipeCode, RecipeFault};

/// Minimum size of a value, in addition to its text.
const VALUE_BYTES: usize = size_of::<Value>();

/// Number of bytes copied by a run.
#[derive(Debug, Default)]
pub(super) struct Copied(usize);

impl Copied {
    pub(super) fn copy(&mut self, value: &Value) -> Result<Value, RecipeFault> {
        self.count(value)?;
        Ok(value.clone())
    }

    /// Counts the bytes of a value, stopping at the limit.
    fn count(&mut self, value: &Value) -> Result<(), RecipeFault> {
        self.add(VALUE_BYTES)?;
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
            Value::String(text) => self.add(text.len()),
            Value::Array(items) => items.iter().try_for_each(|item| self.count(item)),
            Value::Object(members) => members.iter().try_for_each(|(name, member)| {
                self.add(name.len())?;
                self.count(member)
            }),
        }
    }

    pub(super) fn add(&mut self, bytes: usize) -> Result<(), RecipeFault> {
        self.0 += bytes;
        if self.0 <= COPIED_BYTES {
            return Ok(());
        }
        let most = COPIED_BYTES >> 20;
        let message = format!("this copies more than {most} MiB: filter, limit or select less before it");
        Err(RecipeFault::new("", RecipeCode::MappingFailed, message))
    }
}
