//! The spec of a surface, with its initial state, its actions and their triggers.
//!
//! Each group of modules uses only those before it:
//!
//! * `fields`, which reads objects member by member, and `action`
//! * `binding` and `refresh`
//! * `wire` for the spec in the form that is sent
//! * `compiled`
//! * `compile` for faults, and `check` for warnings

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
