//! Lines of a text: walking, counting and searching them; and the chunks that it is kept in.

pub(crate) mod boundary;
pub(crate) mod chunk;
pub(crate) mod cursor;
pub(crate) mod grep;
pub(crate) mod limits;
pub(crate) mod lines;
pub(crate) mod numbered;
pub(crate) mod span;
