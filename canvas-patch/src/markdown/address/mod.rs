//! Addresses of places in a Markdown text, in a form that models can write.
//!
//! * A path matches full paths first. It matches the ends of paths only if no full path matches. If there are several
//!   matches, an ordinal is needed.
//! * The empty path is the preamble, which is the text before the first heading outside of quotes and list items.
//! * JSON is the only written form of an address, because titles may hold any character.
//! * An address never resolves by similarity. Errors list at most 20 places that were probably intended.

mod at;
mod block;
mod error;
#[cfg(feature = "serde")]
mod json;
mod model;
mod resolve;
mod section;

pub(crate) use block::{Within, lines_of, nesting_in_text};
pub use error::{AddressError, Candidate};
#[cfg(feature = "serde")]
pub(crate) use json::Numbers;
pub use model::{Address, Column, Part, Resolved, TablePart};
pub use resolve::resolve;
pub(crate) use resolve::{Context, column_of, footnote_label, own_body};
