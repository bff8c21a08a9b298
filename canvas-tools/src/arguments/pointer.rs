//! JSON Pointers (RFC 6901).

/// Escapes a key and formats it as one step of a pointer.
pub(crate) fn pointer_key(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}
