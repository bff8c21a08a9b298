//! The board through the bridge: shapes, errors, the board's rulings that can be seen from outside, and laws.

mod history;
mod rulings;
mod shapes;
pub(crate) mod world;
