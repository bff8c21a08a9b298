//! Places in a Markdown text, named so that a model can name them.

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
