//! HTML: a value is text, or in a quoted attribute that runs nothing.

mod names;
mod scan;
mod write;

pub(crate) use scan::judge;
pub(crate) use write::{write, write_url};
