//! The contract of a store, its adapters, and the one that lies in memory.

pub(crate) mod blocking;
pub(crate) mod boxed;
pub(crate) mod contract;
pub(crate) mod error;
pub(crate) mod layer;
pub(crate) mod memory;

pub use self::blocking::{Blocking, BlockingStore, Job};
pub use self::boxed::BoxStore;
pub use self::contract::{Capabilities, Collected, Commit, Committed, Loaded, Store, Version};
pub use self::error::{StoreError, StoreErrorKind, StoreOperation};
pub use self::layer::Layer;
pub use self::memory::MemoryStore;
pub use crate::model::format::HeadError;
pub use crate::model::head::{Head, TurnStart};
pub use crate::model::path::{PathError, TreePath};
pub use crate::model::tree::Tree;
