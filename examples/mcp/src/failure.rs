//! The error with which the program ends.

/// Any error, whose text people read.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;
