//! A store in the buckets of an object store.

mod fault;
mod key;
mod probe;
mod row;
mod store;

pub use fault::{ObjectStoreError, Operation, Problem};
pub use store::ObjectCanvasStore;
