//! Directives: JSON in, an edit or one reason why not out.

mod actions;
mod history;
mod laws;
mod parsing;
mod patches;
mod prompt;
mod retries;
mod schemas;
mod tools;
mod versions;
mod world;
