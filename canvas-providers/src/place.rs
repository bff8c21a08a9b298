//! Places as JSON Pointers (RFC 6901). The empty pointer is the whole value.

/// Returns the place one key further in.
pub(crate) fn inside(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// Returns ` at /content/0` for use in a sentence, or an empty string for the whole value.
pub(crate) fn in_words(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" at {place}") }
}
