//! Strict and anchored unified diffs for text, with conflicts that say what to do next, and addresses for Markdown.

mod address;
mod apply;
mod build;
mod conflict;
mod grep;
mod limits;
mod lines;
mod locate;
mod outline;
mod parse;
mod patch;
mod unified;

pub use address::{Address, AddressError, Candidate, Part, Resolved, resolve};
pub use apply::{Applied, Mode, Options, Span, Summary, apply};
pub use build::build;
pub use conflict::{ApplyError, Conflict, Difference, Divergence, Reason};
pub use grep::{Grep, GrepError, GrepLimits, Match, Query, grep};
pub use limits::Limits;
pub use outline::{Container, ContainerKind, LineRange, Outline, Section, outline};
pub use patch::{Repair, RepairKind};
