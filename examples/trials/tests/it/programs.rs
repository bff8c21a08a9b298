//! The examples with the tests beside them. Those that have none are compiled here and run by `.ci/run`.
#![expect(dead_code, reason = "each `main` is called by its own program alone")]

#[path = "../../../examples/cockpit/main.rs"]
mod cockpit;
#[path = "../../../examples/context_sync.rs"]
mod context_sync;
#[path = "../../../examples/dashboard/main.rs"]
mod dashboard;
#[path = "../../../examples/providers/main.rs"]
mod providers;
#[path = "../../../examples/quickstart/main.rs"]
mod quickstart;
#[path = "../../../examples/refresh/main.rs"]
mod refresh;
#[path = "../../../examples/schemas/main.rs"]
mod schemas;
#[path = "../../../examples/undo_by_actor.rs"]
mod undo_by_actor;
