//! POSIX shell commands, in which a value is one quoted word or a part of one.

mod commands;
mod judge;
mod read;
mod write;

pub(crate) use judge::judge;
pub(crate) use read::words;
pub(crate) use write::write;
