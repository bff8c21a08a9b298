//! The story, apart from who plays it: two processes in the example, two tasks in its test.

mod check;
mod place;
mod script;
mod server;
mod slow;
mod tell;
mod turn;
mod words;

use std::error::Error;

pub(crate) use place::{Place, Stage};
pub(crate) use script::{PARTS, Part};
pub(crate) use server::serve;
pub(crate) use tell::{Player, tell};
pub(crate) use words::{Order, Word};

/// What a step gives; an error is one sentence.
pub(crate) type Told<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// An error of a connection keeps its reason to itself.
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
