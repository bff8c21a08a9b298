//! The PostgreSQL store on a real server: run with `.ci/postgres cargo test -p canvas-store-postgres`.

mod collecting;
mod contract;
mod faults;
mod isolation;
mod network;
mod notifications;
mod pool;
mod proxy;
mod schema;
mod waits;
mod wire;

use canvas_core::CanvasId;
use canvas_core::store::{Loaded, Store};

async fn row(store: &impl Store, canvas: &CanvasId) -> Loaded {
    store.load(canvas).await.expect("the store answers").expect("the canvas has a row")
}
