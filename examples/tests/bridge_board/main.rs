//! The board through the bridge: shapes, errors, the rulings on specs 002 that can be seen from outside, and laws.

mod history;
mod rulings;
mod shapes;
mod world;
