//! The store on an object store: its contract, and what servers and networks do to it.

mod conditions;
mod conformance;
mod damage;
mod faults;
mod listing;
mod server;
mod settling;
mod world;
