//! Reads the fields of JSON objects one by one.
//!
//! Most events of a stream contain a single word. A struct with every possible field costs several times as much as the
//! word, because it is moved from each object to the enclosing one and its lists are allocated.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::text::Text;

/// A target for the fields of an object. It also takes the fields before an error, so discard it if reading fails.
pub(crate) trait Fields<'de> {
    /// Takes one field. The value must be read, or [skipped](skip).
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error>;
}

/// Reads a payload that is a JSON object.
pub(crate) fn read_fields<'a>(data: &'a [u8], fields: &mut impl Fields<'a>) -> Result<(), serde_json::Error> {
    let text = std::str::from_utf8(data).map_err(Error::custom)?;
    let mut json = serde_json::Deserializer::from_str(text);
    Object(fields).deserialize(&mut json)?;
    json.end()
}

pub(crate) fn skip<'de, A: MapAccess<'de>>(map: &mut A) -> Result<(), A::Error> {
    map.next_value::<IgnoredAny>().map(drop)
}

/// Skips a value, and returns whether it was not null.
pub(crate) fn is_there<'de, A: MapAccess<'de>>(map: &mut A) -> Result<bool, A::Error> {
    Ok(map.next_value::<Option<IgnoredAny>>()?.is_some())
}

pub(crate) struct Object<'s, F>(pub(crate) &'s mut F);

/// A list of exactly one object.
pub(crate) struct Only<'s, F>(pub(crate) &'s mut F);

impl<'de, F: Fields<'de>> DeserializeSeed<'de> for Object<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: Fields<'de>> Visitor<'de> for Object<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(Text(key)) = map.next_key()? {
            self.0.field(&key, &mut map)?;
        }
        Ok(())
    }
}

impl<'de, F: Fields<'de>> DeserializeSeed<'de> for Only<'_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, F: Fields<'de>> Visitor<'de> for Only<'_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of one object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        items.next_element_seed(Object(self.0))?.ok_or_else(|| A::Error::invalid_length(0, &"one"))?;
        match items.next_element::<IgnoredAny>()? {
            None => Ok(()),
            Some(_) => Err(A::Error::invalid_length(2, &"one")),
        }
    }
}
