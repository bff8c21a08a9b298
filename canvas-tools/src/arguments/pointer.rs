//! JSON Pointers (RFC 6901).

/// One step of a pointer.
pub(crate) fn pointer_key(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}
