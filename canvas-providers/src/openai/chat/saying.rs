//! The most common chunk of a stream, whose one choice only adds text.

use serde::de::{Error as _, MapAccess};

use crate::fields::{self, Fields, Object, Only};
use crate::text::Text;

/// The additions of the only choice in a chunk.
#[derive(Debug, Default)]
pub(super) struct Saying<'a> {
    pub(super) content: Option<Text<'a>>,
    pub(super) reasoning_content: Option<Text<'a>>,
    /// The index of a call, and the text to append to its arguments.
    pub(super) arguments: Option<(u64, Text<'a>)>,
    /// Whether there is a choice with a delta.
    is_said: bool,
    /// Whether the chunk has other fields, so that it must be read as a whole.
    has_more: bool,
}

struct InChoice<'s, 'a>(&'s mut Saying<'a>);

struct InDelta<'s, 'a>(&'s mut Saying<'a>);

/// A call whose delta only adds arguments.
#[derive(Default)]
struct InCall<'a> {
    index: Option<u64>,
    arguments: Option<Text<'a>>,
}

struct InFunction<'s, 'a>(&'s mut InCall<'a>);

impl<'a> Saying<'a> {
    /// Reads a chunk, or returns `None` if it has any other content.
    pub(super) fn read(data: &'a [u8]) -> Option<Self> {
        let mut saying = Self::default();
        fields::read_fields(data, &mut saying).ok()?;
        Some(saying).filter(|saying| saying.is_said && !saying.has_more)
    }

    fn needs(&mut self, more: bool) {
        self.has_more |= more;
    }
}

impl<'de> Fields<'de> for Saying<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "choices" => map.next_value_seed(Only(&mut InChoice(self)))?,
            "usage" | "error" => self.needs(fields::is_there(map)?),
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InChoice<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "index" => self.0.needs(map.next_value::<Option<u64>>()?.unwrap_or_default() != 0),
            "delta" => {
                // A second delta is an error when the chunk is read as a whole.
                self.0.has_more |= std::mem::replace(&mut self.0.is_said, true);
                map.next_value_seed(Object(&mut InDelta(self.0)))?;
            }
            "finish_reason" | "usage" | "error" => self.0.needs(fields::is_there(map)?),
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InDelta<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "content" => self.0.content = map.next_value()?,
            "reasoning_content" => self.0.reasoning_content = map.next_value()?,
            "tool_calls" => {
                let mut call = InCall::default();
                map.next_value_seed(Only(&mut call))?;
                let (Some(index), Some(arguments)) = (call.index, call.arguments) else {
                    return Err(A::Error::custom("no arguments"));
                };
                self.0.arguments = Some((index, arguments));
            }
            "reasoning" | "reasoning_details" | "refusal" | "function_call" => {
                self.0.needs(fields::is_there(map)?)
            }
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InCall<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "index" => self.index = map.next_value()?,
            "function" => map.next_value_seed(Object(&mut InFunction(self)))?,
            "id" | "custom" | "extra_content" if fields::is_there(map)? => {
                return Err(A::Error::custom("more than arguments"));
            }
            "id" | "custom" | "extra_content" => {}
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

impl<'de> Fields<'de> for InFunction<'_, 'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "arguments" => self.0.arguments = map.next_value()?,
            "name" if fields::is_there(map)? => return Err(A::Error::custom("more than arguments")),
            "name" => {}
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}
