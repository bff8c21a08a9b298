//! Places as JSON Pointers (RFC 6901); the empty one is the whole value.

/// The place one key further in.
pub(crate) fn inside(place: &str, key: &str) -> String {
    format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The place of an event in the history of a request.
pub(crate) fn of_event(at: usize) -> String {
    format!("/events/{at}")
}

/// ` at /content/0` for a sentence, and nothing for the whole value.
pub(crate) fn in_words(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!(" at {place}") }
}
