//! The document tools as a model meets them: JSON in, JSON out.

mod arguments;
mod lease;
mod patching;
mod prompt;
mod reading;
mod schemas;
mod sessions;
mod world;
