//! Strict and anchored unified diffs for text, with conflicts that say what to do next, and addresses for Markdown.

mod address;
mod anchored;
mod apply;
mod build;
mod conflict;
mod grep;
mod lines;
mod locate;
mod options;
mod outline;
mod parse;
mod patch;
mod splice;
mod strict;
mod unified;

pub use address::{Address, AddressError, Candidate, Part, Resolved, resolve};
pub use apply::{Applied, Span, Summary, apply};
pub use build::build;
pub use conflict::{ApplyError, Conflict, Difference, Divergence, Reason};
pub use grep::{Grep, GrepError, GrepLimits, Match, Query, grep};
pub use options::{Limits, Mode, Options};
pub use outline::{Container, ContainerKind, LineRange, Outline, Section, outline};
pub use patch::{Repair, RepairKind};
