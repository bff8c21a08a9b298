//! Lines for whoever runs the server: to standard error, since standard output is the protocol's.

use std::fmt;
use std::io::Write as _;

/// Writes a line that programs read.
pub(crate) fn plain(text: impl fmt::Display) {
    drop(writeln!(std::io::stderr(), "{text}"));
}

/// Writes a line. Where nobody reads it any more, the server goes on.
pub(crate) fn line(text: impl fmt::Display) {
    drop(writeln!(std::io::stderr(), "canvas-mcp: {text}"));
}
