//! Calls of one engine that wait for one canvas share commits, and an observer is told what becomes of them.

mod bounds;
mod doubt;
mod drops;
mod laws;
mod observed;
mod observer;
mod threads;
mod watched;
mod world;
