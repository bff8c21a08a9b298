//! The error of what ends with it.

/// Any error, for people.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
