//! Reads a JSON value part by part, and collects all of its faults.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::model::json_pointer::join_pointer;
use crate::model::wording::{NAME, clip};
use crate::recipe::error::{RecipeCode, RecipeFault};
use crate::recipe::pointer::JsonPointer;

pub(super) type Object = Map<String, Value>;

/// Continues after a fault to find the others. A method that returns `None` has noted a fault.
#[derive(Debug, Default)]
pub(super) struct Reader {
    faults: Vec<RecipeFault>,
}

impl Reader {
    /// Maximum number of listed faults.
    const FAULTS: usize = 64;

    /// Returns the result if no fault was noted.
    pub(super) fn finish<T>(self, read: Option<T>) -> Result<T, Vec<RecipeFault>> {
        match read {
            Some(read) if self.faults.is_empty() => Ok(read),
            _ => Err(self.faults),
        }
    }

    pub(super) fn note<T>(&mut self, place: &str, message: impl Into<String>) -> Option<T> {
        self.note_as(place, RecipeCode::RecipeInvalid, message)
    }

    pub(super) fn note_as<T>(
        &mut self,
        place: &str,
        code: RecipeCode,
        message: impl Into<String>,
    ) -> Option<T> {
        self.note_all(vec![RecipeFault::new(place, code, message)], "")
    }

    /// Notes the faults of the part at a place.
    pub(super) fn note_all<T>(&mut self, faults: Vec<RecipeFault>, place: &str) -> Option<T> {
        let room = Self::FAULTS.saturating_sub(self.faults.len());
        self.faults.extend(faults.into_iter().take(room).map(|fault| fault.within(place)));
        None
    }

    /// Reads every item, even after one with a fault.
    pub(super) fn all<T>(
        &mut self,
        items: &[Value],
        place: &str,
        read: fn(&mut Self, &Value, &str) -> Option<T>,
    ) -> Option<Vec<T>> {
        let read: Vec<_> = items
            .iter()
            .enumerate()
            .map(|(index, item)| read(self, item, &format!("{place}/{index}")))
            .collect();
        read.into_iter().collect()
    }

    pub(super) fn object<'v>(&mut self, value: &'v Value, place: &str) -> Option<&'v Object> {
        let object = value.as_object();
        if object.is_none() {
            return self.note(place, "this is no object: send one");
        }
        object
    }

    /// Notes unknown members.
    pub(super) fn only(&mut self, object: &Object, place: &str, known: &[&str]) {
        for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
            let short = clip(name, NAME);
            let message = format!("\"{short}\" is no member of this: use {}", known.join(", "));
            self.note::<()>(&join_pointer(place, &short), message);
        }
    }

    pub(super) fn pointer(&mut self, value: &Value, place: &str) -> Option<JsonPointer> {
        let Value::String(text) = value else {
            return self.note(place, "the path is not a text: add a JSON Pointer such as /price");
        };
        match JsonPointer::new(text) {
            Ok(pointer) => Some(pointer),
            Err(error) => self.note(place, error.to_string()),
        }
    }

    pub(super) fn word<'v, T: Deserialize<'v>>(
        &mut self,
        object: &'v Object,
        place: &str,
        name: &str,
        words: &str,
    ) -> Option<T> {
        let read = object.get(name).and_then(|value| T::deserialize(value).ok());
        if read.is_none() {
            return self
                .note(&format!("{place}/{name}"), format!("{name} is not one of {words}: choose one"));
        }
        read
    }
}
