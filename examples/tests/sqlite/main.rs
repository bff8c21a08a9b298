//! The store in an SQLite file: its contract, and what a broken world does to it.
#![cfg(feature = "sqlite")]

mod conformance;
mod crash;
mod damage;
mod disk;
mod files;
mod locks;
mod place;
mod rights;
mod room;
mod world;
