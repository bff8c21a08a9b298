//! Where the data of components come from, and when they are fetched.

mod describe;
mod source;
mod states;

pub use self::source::{DataMeta, DataResult, DataSource, PaginationMeta, QueryDefinition};
pub use self::states::{DataPolicy, DataStates, Fetch};
pub use crate::schedule::RequestToken;
