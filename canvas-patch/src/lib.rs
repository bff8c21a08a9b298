//! Strict and anchored unified diffs for text, with conflicts that say what to do next, and addresses for Markdown.

mod apply;
mod build;
mod conflict;
mod limits;
mod lines;
mod locate;
mod parse;
mod patch;
mod unified;

pub use apply::{Applied, Mode, Options, Span, Summary, apply};
pub use build::build;
pub use conflict::{ApplyError, Conflict, Difference, Divergence, Reason};
pub use limits::Limits;
pub use patch::{Repair, RepairKind};
