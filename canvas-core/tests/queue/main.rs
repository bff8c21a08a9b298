//! Calls of one engine that wait for one canvas share commits.

mod bounds;
mod doubt;
mod drops;
mod laws;
mod threads;
mod watched;
mod world;
