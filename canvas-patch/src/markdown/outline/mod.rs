//! The headings of a Markdown text, as line ranges.
//!
//! * Positions of the parser are rounded to lines that end in LF. A lone CR is content, though it ends a line of Markdown.
//! * Front matter is recognised only at the very start of the text, after a byte order mark if there is one.
//! * A text above 1 MiB, and for a live outline above 128 KiB, is read in parts that end at restart points, because the
//!   parser's tree takes six times the text.
//!   Labels that another part defines cost the titles that refer to them a second reading; where the parser's limits could
//!   matter, it reads all at once.
//! * After an edit, reading starts at the last restart point two lines above it and ends at the first old restart point
//!   that is one again. Front matter, link labels and the parser's limits reach further: where they change, front matter is
//!   read from the start of the text, and the others cost a full reading. The result equals a full outline, by law.
//!
//! `scan` gathers what the parser finds (`found`), `parts` decides what it is given. `index` is what is kept of a text:
//! `changed` says what an edit changes in it, `reparse` what has to be read again, and `splice` puts that in.

mod changed;
mod depth;
mod found;
mod front_matter;
mod index;
mod labels;
mod limits;
mod live;
mod model;
mod parts;
mod places;
mod reparse;
mod scan;
mod splice;
mod table;

pub(crate) use changed::{Changed, changes};
pub(crate) use found::{Block, BlockKind, Lead};
pub(crate) use index::Region;
pub use live::LiveOutline;
#[cfg(test)]
pub(crate) use live::tests as live_tests;
pub use model::{Container, ContainerKind, LineRange, Outline, Section};
pub use parts::outline;
pub(crate) use parts::scan;
