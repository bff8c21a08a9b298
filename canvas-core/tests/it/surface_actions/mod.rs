//! Actions of surfaces: planned, begun, finished, asked for again, and lost.

mod actions;
mod collect;
mod confirm;
mod delete;
mod endings;
mod law;
mod world;
