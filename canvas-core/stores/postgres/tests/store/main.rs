//! The PostgreSQL store on a real server: run with `.ci/postgres cargo test -p canvas-store-postgres`.

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

use std::fmt::Debug;

use canvas_core::{CanvasId, Fault, Loaded, Store};
use canvas_store_postgres::PostgresError;

async fn row(store: &impl Store, canvas: &CanvasId) -> Loaded {
    store.load(canvas).await.expect("the store answers").expect("the canvas has a row")
}

#[track_caller]
fn definite(answer: Result<impl Debug, Fault>) -> PostgresError {
    canvas_store_testing::definite(answer)
}

#[track_caller]
fn indeterminate(answer: Result<impl Debug, Fault>) -> PostgresError {
    canvas_store_testing::indeterminate(answer)
}
