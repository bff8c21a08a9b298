//! Sources of component data, and the schedule of their queries.

mod describe;
mod source;
mod states;

pub use self::source::{DataMeta, DataResult, DataSource, PaginationMeta, QueryDefinition};
pub use self::states::{DataPolicy, DataStates, Fetch};
pub use crate::schedule::RequestToken;
