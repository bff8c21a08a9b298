//! Directives: JSON in, an edit or one reason why not out.

#![expect(clippy::result_large_err, reason = "tests pass failures on as they come")]

mod actions;
mod failures;
mod hints;
mod history;
mod laws;
mod overtaken;
mod parsing;
mod patches;
mod prompt;
mod retries;
mod schemas;
mod targets;
mod tools;
mod versions;
mod world;
