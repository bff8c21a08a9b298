//! Hosts of the canvas engine, and the code that they share: the bridge that bindings wrap, HTTP statuses, and the client of
//! providers.

pub mod bridge;
pub mod http;
#[cfg(feature = "live")]
pub mod live;
