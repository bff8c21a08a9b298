//! JSON Pointers (RFC 6901) into the values of a surface.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::model::error::CodedError;
use crate::model::json_pointer::{self, join_pointer, unescape};
use crate::surface::state::path::is_reserved;
use crate::surface::state::value::StateValue;

/// A JSON Pointer into a state, as patches and lists of changes write it: `/rollout/steps/0`. The empty one is the whole.
///
/// One place has one text, so pointers are equal where their texts are.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct StatePointer(String);

/// Error returned if a text is not a pointer into a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatePointerError {
    /// The text is not empty but does not begin with a slash, or it has a tilde that is neither `~0` nor `~1`.
    #[error(
        "the JSON Pointer does not begin with a slash, or has a ~ that is neither ~0 nor ~1: give it as /a/b/0"
    )]
    Syntax,
    /// The pointer is longer than [`StatePointer::BYTES`].
    #[error("the JSON Pointer has more than {} bytes: use shorter names", StatePointer::BYTES)]
    TooLong,
    /// A name is `__proto__`, `prototype` or `constructor`.
    #[error("the path has the name __proto__, prototype or constructor: rename the member")]
    Reserved,
}

impl CodedError for StatePointerError {
    fn code(&self) -> &'static str {
        "STATE_PATH"
    }
}

impl StatePointer {
    /// Maximum bytes of a pointer.
    pub const BYTES: usize = 4096;

    /// Checks a pointer.
    ///
    /// # Errors
    ///
    /// Returns [`StatePointerError`] for the rule that the pointer breaks.
    pub fn new(text: &str) -> Result<Self, StatePointerError> {
        if text.len() > Self::BYTES {
            return Err(StatePointerError::TooLong);
        }
        let mut names = json_pointer::names(text).map_err(|_| StatePointerError::Syntax)?;
        // Reserved names need no escapes, so that each has a single spelling.
        if names.any(|name| is_reserved(&name)) {
            return Err(StatePointerError::Reserved);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the decoded names. The pointer to the whole state has no names.
    pub fn names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.0.split('/').skip(1).map(unescape)
    }

    /// Returns the value at this place, or `None` if the place does not exist.
    pub fn of<'v>(&self, value: &'v StateValue) -> Option<&'v StateValue> {
        self.names().try_fold(value, |value, name| value.child(&name))
    }

    /// Returns whether a change at one place can affect the other, because they are equal or one contains the other.
    pub fn touches(&self, other: &Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// Whether the other place is equal to this one or within it.
    pub(crate) fn contains(&self, other: &Self) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the pointer to the whole state.
    pub(crate) const fn root() -> Self {
        Self(String::new())
    }

    /// Returns the place of a member or an item.
    pub(crate) fn join(&self, name: &str) -> Self {
        Self(join_pointer(&self.0, name))
    }

    /// Returns the pointer made of the first names.
    pub(crate) fn first(&self, names: usize) -> Self {
        let end = self.0.match_indices('/').nth(names).map_or(self.0.len(), |(end, _)| end);
        Self(self.0[..end].to_owned())
    }

    /// Returns the enclosing place and the last name, or `None` for the whole state.
    pub(crate) fn split_last(&self) -> Option<(Self, Cow<'_, str>)> {
        let (parent, name) = self.0.rsplit_once('/')?;
        Some((Self(parent.to_owned()), unescape(name)))
    }
}

impl fmt::Display for StatePointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for StatePointer {
    type Error = StatePointerError;

    fn try_from(text: String) -> Result<Self, StatePointerError> {
        Self::new(&text)
    }
}

impl From<StatePointer> for String {
    fn from(pointer: StatePointer) -> Self {
        pointer.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointer(text: &str) -> StatePointer {
        StatePointer::new(text).unwrap()
    }

    #[test]
    fn pointers_are_those_of_rfc_6901_without_reserved_names() {
        use StatePointerError::{Reserved, Syntax, TooLong};
        for (text, expected) in [
            ("", Ok(vec![])),
            ("/", Ok(vec![""])),
            ("/a/0/-", Ok(vec!["a", "0", "-"])),
            ("/a~1b/c~0d/~01/ ", Ok(vec!["a/b", "c~d", "~1", " "])),
            ("a", Err(Syntax)),
            ("/~", Err(Syntax)),
            ("/~2", Err(Syntax)),
            ("/a/~x", Err(Syntax)),
            ("/__proto__", Err(Reserved)),
            ("/a/prototype/b", Err(Reserved)),
            ("/a/constructor", Err(Reserved)),
            ("/a/constructors", Ok(vec!["a", "constructors"])),
        ] {
            let names = StatePointer::new(text).map(|p| p.names().map(Cow::into_owned).collect::<Vec<_>>());
            assert_eq!(names, expected.map(|names| names.into_iter().map(str::to_owned).collect()), "{text}");
        }
        let long = |bytes: usize| format!("/{}", "a".repeat(bytes - 1));
        assert!(StatePointer::new(&long(4096)).is_ok());
        assert_eq!(StatePointer::new(&long(4097)), Err(TooLong));
    }

    #[test]
    fn pointers_touch_their_like_what_they_are_in_and_what_is_in_them() {
        for (one, two, expected) in [
            ("", "", true),
            ("", "/a", true),
            ("/a", "/a", true),
            ("/a", "/a/b", true),
            ("/a", "/ab", false),
            ("/a", "/a-b", false),
            ("/a/b", "/a/c", false),
            ("/a/", "/a", true),
        ] {
            let (one, two) = (pointer(one), pointer(two));
            assert_eq!((one.touches(&two), two.touches(&one)), (expected, expected), "{one} {two}");
        }
    }

    #[test]
    fn pointers_are_taken_apart_and_put_together() {
        let place = pointer("/a/b~1c/d");
        for (names, expected) in [(0, ""), (1, "/a"), (2, "/a/b~1c"), (3, "/a/b~1c/d"), (4, "/a/b~1c/d")] {
            assert_eq!(place.first(names).as_str(), expected);
        }
        assert_eq!(pointer("/a").join("b/c").join("d"), place);
        assert_eq!(pointer("/a/b~1c").split_last(), Some((pointer("/a"), Cow::Borrowed("b/c"))));
        assert_eq!(pointer("").split_last(), None);
    }
}
