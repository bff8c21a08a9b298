//! Hosts of the canvas engine, and what they share: the bridge that bindings wrap, and the client of providers.

pub mod bridge;
#[cfg(feature = "live")]
pub mod live;
