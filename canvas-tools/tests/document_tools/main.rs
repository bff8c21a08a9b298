//! The document tools as a model meets them: JSON in, JSON out.

mod arguments;
mod extensions;
mod lease;
mod lease_change;
mod next;
mod outlining;
mod patching;
mod prompt;
mod reading;
mod replacing;
mod rollout;
mod schemas;
mod sessions;
mod world;
