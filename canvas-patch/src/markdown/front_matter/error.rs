//! Reasons for which a key is not found or not edited.

/// Reason of a failed lookup or edit. Lines count from 1.
#[derive(Debug)]
pub(crate) enum KeyError {
    NoFrontMatter,
    NotFound {
        key: String,
        /// The keys next to the missing one.
        keys: Vec<String>,
        /// The line of a key on the path whose value has no keys.
        line: Option<usize>,
    },
    Ambiguous {
        key: String,
        lines: Vec<usize>,
    },
    Unsupported {
        line: usize,
        what: &'static str,
    },
}
