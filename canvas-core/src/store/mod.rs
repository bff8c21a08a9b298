//! The contract of a store, its adapters, and the one that lies in memory.

pub(crate) mod blocking;
pub(crate) mod boxed;
pub(crate) mod contract;
pub(crate) mod error;
pub(crate) mod layer;
pub(crate) mod memory;
