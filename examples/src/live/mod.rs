//! Turns with a provider over the network: where each is reached, and an HTTP client that keeps streams and retries apart.

mod client;
mod endpoint;

pub use self::client::{Bytes, Client, ClientOptions, now};
pub use self::endpoint::Endpoint;
