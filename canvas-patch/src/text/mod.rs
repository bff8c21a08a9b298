//! Tools that walk, count and search the lines of a text, and the chunks in which a text is stored.

pub(crate) mod boundary;
pub(crate) mod chunk;
pub(crate) mod cursor;
pub(crate) mod grep;
pub(crate) mod limits;
pub(crate) mod lines;
pub(crate) mod numbered;
pub(crate) mod span;
