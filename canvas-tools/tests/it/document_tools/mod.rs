//! The document tools as a model meets them: JSON in, JSON out.

mod arguments;
mod hints;
mod lease;
mod lease_change;
mod located;
mod outlining;
mod past;
mod patching;
mod policies;
mod preview;
mod prompt;
mod reading;
mod replacing;
mod rollout;
mod schemas;
mod scoped;
mod searching;
mod sessions;
mod shown;
mod structure;
mod switches;
pub(crate) mod world;
