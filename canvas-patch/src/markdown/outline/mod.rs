//! The headings of a Markdown text, as line ranges.

mod changed;
mod depth;
mod found;
mod front_matter;
mod index;
mod limits;
mod live;
mod model;
mod parts;
mod reparse;
mod scan;
mod splice;

pub(crate) use changed::{Changed, changes};
pub(crate) use found::{Block, BlockKind, Lead};
pub(crate) use index::Region;
pub use live::LiveOutline;
#[cfg(test)]
pub(crate) use live::tests as live_tests;
pub use model::{Container, ContainerKind, LineRange, Outline, Section};
pub use parts::outline;
pub(crate) use parts::scan;
