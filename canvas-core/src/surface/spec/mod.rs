//! The spec of a surface: its first state, its actions, and what triggers them.
//!
//! Rooms, each knowing only those before it: `fields` (objects, read member by member), `action`; `binding` and `refresh`; `wire` (the spec as it is sent); `compiled`; `compile` (what is wrong) and
//! `check` (what is odd).

pub(crate) mod action;
pub(crate) mod binding;
pub(crate) mod check;
mod compile;
pub(crate) mod compiled;
mod fields;
pub(crate) mod refresh;
#[cfg(test)]
mod tests;
pub(crate) mod wire;
