//! The headings of a Markdown text, as line ranges.
//!
//! * Positions of the parser are rounded to lines that end in LF. A lone CR is content, although it ends a line in
//!   Markdown.
//! * Front matter is recognised only at the very start of the text, after a byte order mark if there is one.
//! * A text above 128 KiB is read in parts that end at restart points, because the parser's tree takes six times the
//!   text. Titles that refer to labels of another part are read a second time. If the parser's limits could matter, the
//!   whole text is read at once.
//! * After an edit, reading starts at the last restart point at least two lines above it. It ends at the first old
//!   restart point that is a restart point again. Front matter, link labels and the parser's limits have effects beyond
//!   that range. If front matter changes, reading begins at the start of the text. If link labels change or the limits
//!   could matter, the whole text is read. The result always equals a full outline, which a property test checks.
//!
//! `scan` gathers the findings of the parser in the types of `found`, and `parts` decides which text the parser gets.
//! `index` is the data kept for a text. `changed` determines the changes of an edit, `reparse` reads the ranges that
//! they affect, and `splice` puts the results into the index.

mod depth;
mod found;
mod front_matter;
mod index;
mod labels;
mod limits;
mod live;
mod model;
mod paragraphs;
mod parts;
mod places;
mod reparse;
mod scan;
mod splice;
mod table;

pub(crate) use depth::bounded;
pub(crate) use found::{Block, BlockKind, Lead};
pub(crate) use index::Region;
pub use live::LiveOutline;
#[cfg(test)]
pub(crate) use live::tests as live_tests;
pub use model::{Container, ContainerKind, LineRange, Outline, Section};
pub(crate) use paragraphs::{ordered_lists, paragraphs};
pub use parts::outline;
pub(crate) use parts::scan;
pub(crate) use scan::{OPTIONS, OnBrokenLink, title_of};
pub(crate) use table::{delimiter_columns, html_below};
