//! Data for the boards of examples, without a network.

mod github;

pub use github::MockGithub;
