//! Runs a turn as futures, on any runtime.
//!
//! `transport` is the host's side, `attempt` is one request under way, `retries` decides when to send it again, `turn`
//! drives the loop, and `guard` rescues turns that are dropped.

mod attempt;
mod guard;
mod retries;
mod transport;
mod turn;

pub use self::guard::TurnGuard;
pub use self::retries::Retries;
pub use self::transport::{Response, ResponseBody, SendError, Transport};
pub use self::turn::{TurnDriver, TurnEvent, TurnOptions};

use std::pin::Pin;

/// A future that keeps its progress if the future that polls it is dropped.
type Kept<T> = Pin<Box<dyn Future<Output = T> + Send>>;
