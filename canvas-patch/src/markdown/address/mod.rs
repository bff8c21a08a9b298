//! Places in a Markdown text, named so that a model can name them.
//!
//! * Paths match whole first, and by their end only where no whole one does. More than one match needs an ordinal.
//! * The empty path is the preamble: the text before the first heading outside of quotes and list items.
//! * JSON is the only written form of an address, because titles may hold any character.
//! * Nothing is resolved by likeness. Errors list what was probably intended, at most 20 places.

mod block;
mod error;
#[cfg(feature = "serde")]
mod json;
mod model;
mod resolve;
mod section;

pub use error::{AddressError, Candidate};
pub use model::{Address, Part, Resolved};
pub use resolve::resolve;
