//! Recording how data were made, and making them again without a model.

mod behaviours;
mod drift;
mod laws;
mod replays;
mod world;
