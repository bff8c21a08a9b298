//! JSON Pointers (RFC 6901) as text. The empty pointer names the whole value.

#[cfg(any(feature = "recipe", feature = "surface"))]
use std::borrow::Cow;

/// Returns the pointer to a member or item of the value at `place`.
pub(crate) fn join_pointer(place: &str, name: &str) -> String {
    format!("{place}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// The reason why a text is not a pointer.
#[cfg(any(feature = "recipe", feature = "surface"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// The text does not start with a slash.
    Slash,
    /// A tilde is followed by neither 0 nor 1.
    Tilde,
}

/// Returns the unescaped names of a pointer. A pointer to the whole value has no names.
#[cfg(any(feature = "recipe", feature = "surface"))]
pub(crate) fn names(pointer: &str) -> Result<impl Iterator<Item = Cow<'_, str>>, Malformed> {
    if !pointer.is_empty() && !pointer.starts_with('/') {
        return Err(Malformed::Slash);
    }
    if pointer.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1'])) {
        return Err(Malformed::Tilde);
    }
    Ok(pointer.split('/').skip(1).map(unescape))
}

/// Unescapes a name of a well-formed pointer.
#[cfg(any(feature = "recipe", feature = "surface"))]
pub(crate) fn unescape(name: &str) -> Cow<'_, str> {
    if name.contains('~') {
        Cow::Owned(name.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(all(test, feature = "surface"))]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Joined names are read back unchanged.
        #[test]
        fn joined_names_are_read_again(parts in prop::collection::vec("[~/01a]{0,4}", 0..5)) {
            let pointer = parts.iter().fold(String::new(), |place, name| join_pointer(&place, name));
            prop_assert_eq!(names(&pointer).unwrap().collect::<Vec<_>>(), parts);
        }
    }

    #[test]
    fn malformed_pointers_are_named() {
        let flaw = |pointer| names(pointer).err();
        assert_eq!(
            ["", "/", "a", "a~", "/~", "/~2", "/a~/0", "/~01"].map(flaw),
            [
                None,
                None,
                Some(Malformed::Slash),
                Some(Malformed::Slash),
                Some(Malformed::Tilde),
                Some(Malformed::Tilde),
                Some(Malformed::Tilde),
                None,
            ]
        );
    }
}
