//! Undo on surfaces, and below effects.

mod law;
mod undo;
mod world;
