//! Surfaces: templates and where their values go.

mod contract;
mod laws;
mod plan;
mod policy;
mod refused;
mod template;
mod values;
mod world;
