//! The story, whoever runs its servers: two processes in the example, two tasks in its test.

mod check;
mod coordinator;
mod database;
mod protocol;
mod script;
mod server;
mod slow;
mod turn;

use std::error::Error;

pub(crate) use coordinator::{ServerHandle, run_story};
pub(crate) use database::{Database, Host};
pub(crate) use protocol::{Order, ServerEvent};
pub(crate) use script::{SCRIPTS, ServerScript};
pub(crate) use server::serve;

/// The result of a step; an error is one sentence.
pub(crate) type StoryResult<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The message of an error and of its causes: an error of a connection does not name its cause itself.
pub(crate) fn with_causes(problem: &(dyn Error + 'static)) -> String {
    let mut text = problem.to_string();
    let mut cause = problem.source();
    while let Some(error) = cause {
        let said = error.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = error.source();
    }
    text
}
