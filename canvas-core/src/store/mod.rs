//! Storage of canvases: the contract of a [`Store`], its adapters, and [`MemoryStore`].
//!
//! A store keeps a [`Head`] for each canvas under a [`Version`], compares and swaps it, and keeps blobs by their hash.
//! To use blocking calls, implement [`BlockingStore`]. [`BoxStore`] holds any store behind one type, and a [`Layer`]
//! wraps a store.

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
pub use crate::model::conversation::TurnStart;
pub use crate::model::format::HeadError;
pub use crate::model::head::Head;
pub use crate::model::path::{PathError, TreePath};
pub use crate::model::tree::Tree;
