//! Undo on surfaces, including undo below effects.

mod law;
mod undo;
mod world;
