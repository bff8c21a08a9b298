//! A serde deserializer for JSON values that tracks the place of each fault.

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value, map};

use super::fault::Fault;

/// Deserializes a value. If an integer is expected, a number without a fraction is accepted.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a Value);

impl<'de> Reader<'de> {
    fn integer<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        // Below 2^63, every whole `f64` is exactly one integer, and this cast finds it.
        const BOUND: f64 = 9_223_372_036_854_775_808.0;
        match self.0 {
            Value::Number(number) if number.is_f64() => match number.as_f64() {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole, and within the bounds")]
                Some(whole) if whole.fract() == 0.0 && whole.abs() < BOUND => visitor.visit_i64(whole as i64),
                _ => self.deserialize_any(visitor),
            },
            _ => self.deserialize_any(visitor),
        }
    }
}

macro_rules! integers {
    ($($name:ident)*) => {
        $(fn $name<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.integer(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), ..) => visitor.visit_u64(value),
                (_, Some(value), _) => visitor.visit_i64(value),
                (.., Some(value)) => visitor.visit_f64(value),
                _ => Err(Fault::invalid_type(Unexpected::Other("this number"), &visitor)),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(values) => {
                let mut elements = Elements { values: values.iter(), index: 0 };
                let found = visitor.visit_seq(&mut elements)?;
                if elements.index == values.len() {
                    return Ok(found);
                }
                Err(Fault::invalid_length(
                    values.len(),
                    &format!("an array of {} values", elements.index).as_str(),
                ))
            }
            Value::Object(members) => visitor.visit_map(Members::of(members)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    /// Accepts only an object; serde would also accept an array of the fields.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Value::Array(_) => Err(Fault::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    /// Accepts a name, or an object whose single member has the variant's name and content.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Value::Object(members) if members.len() == 1 => {
                visitor.visit_enum(MapAccessDeserializer::new(Members::of(members)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    forward_to_deserialize_any! {
        bool f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
        ignored_any
    }
}

struct Elements<'a> {
    values: std::slice::Iter<'a, Value>,
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(value) = self.values.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        seed.deserialize(Reader(value)).map(Some).map_err(|fault| fault.at_index(index))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.values.len())
    }
}

struct Members<'a> {
    members: map::Iter<'a>,
    value: Option<(&'a String, &'a Value)>,
}

impl<'a> Members<'a> {
    fn of(members: &'a Map<String, Value>) -> Self {
        Self { members: members.iter(), value: None }
    }
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.value = self.members.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let read = seed.deserialize(BorrowedStrDeserializer::new(key));
        read.map(Some).map_err(|fault: Fault| fault.at_key(key))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let (key, value) = self.value.take().ok_or_else(|| Fault::custom("a value without its key"))?;
        seed.deserialize(Reader(value)).map_err(|fault| fault.at_key(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.members.len())
    }
}
