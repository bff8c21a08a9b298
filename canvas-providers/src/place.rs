//! Places as JSON Pointers (RFC 6901); the empty one is the whole value.

/// The place one key further in.
pub(crate) fn inside(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// ` at /content/0` for a sentence, and nothing for the whole value.
pub(crate) fn in_words(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" at {place}") }
}
