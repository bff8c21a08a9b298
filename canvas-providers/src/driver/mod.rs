//! A turn as futures, on any runtime: `transport` is what the host gives, `attempt` one request under way, `retries` when to
//! send it again, `turn` drives the loop, `guard` takes care of turns that are dropped.

mod attempt;
mod guard;
mod retries;
mod transport;
mod turn;

pub use self::guard::TurnGuard;
pub use self::retries::Retries;
pub use self::transport::{Response, ResponseBody, SendError, Transport};
pub use self::turn::{Turn, TurnEvent, TurnOptions};

use std::pin::Pin;

/// A future that keeps its place when whoever polls it goes away.
type Kept<T> = Pin<Box<dyn Future<Output = T> + Send>>;
