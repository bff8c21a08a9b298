//! Recipes on a canvas: how they are recorded, how a replay lands, and what of it is undone, collected and counted.

mod cost;
mod finish;
mod law;
mod record;
mod undo;
pub(crate) mod world;
