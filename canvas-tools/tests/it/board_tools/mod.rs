//! The board tools as a model meets them: JSON in, JSON out.

mod calls;
mod history;
mod laws;
mod plans;
mod prompt;
mod refusals;
mod requests;
mod schemas;
mod showing;
mod world;
