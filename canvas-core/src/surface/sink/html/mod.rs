//! HTML, in which a value is text, or part of a quoted attribute that cannot run code.

mod names;
mod scan;
mod write;

pub(crate) use scan::judge;
pub(crate) use write::{write, write_url};
