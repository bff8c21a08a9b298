//! The PostgreSQL store on a real server: run with `.ci/postgres cargo test -p canvas-examples --features postgres`.
#![cfg(feature = "postgres")]

mod contract;
mod faults;
mod isolation;
mod network;
mod notices;
mod pool;
mod proxy;
mod schema;
mod two_servers;
mod waits;
mod wire;
mod world;
