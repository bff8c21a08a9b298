//! What the engine is for, on one screen: a model edits a document under a lease, a user types in between, no text is
//! lost, and the model learns of each change once. At the end the model only proposes, and the user decides.
//!
//! `cargo run -p canvas-examples --example quickstart` runs it on a runbook; with a file after `--`, on a copy of
//! that file. Everything is real but the model, whose answers are recorded, and the clock, which the example sets.

mod derive;
mod host;
mod report;
mod runner;
mod script;
mod summary;
mod terminal;
#[cfg(test)]
mod tests;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;
use std::process::ExitCode;

use runner::Runner;
use script::Script;
use terminal::Terminal;

const USAGE: &str = "usage: quickstart [FILE]

Runs three turns of a model on a canvas: on a runbook, or on a copy of the text file FILE, which stays as it is.
Colours are shown on a terminal unless NO_COLOR is set.";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let script = match arguments.as_slice() {
        [] => Script::runbook(),
        [flag] if flag == "--help" || flag == "-h" => return close(writeln!(io::stdout(), "{USAGE}"), 0),
        [file] => Script::of_file(Path::new(file)),
        _ => Err("there are too many arguments: name one file, or none".into()),
    };
    let script = match script {
        Ok(script) => script,
        Err(problem) => return fail(problem.as_ref(), 2),
    };
    let mut terminal = Terminal::new(io::stdout().lock(), wants_colour());
    let result = run(&script, &mut terminal);
    let flushed = terminal.finish();
    match result {
        Ok(()) => close(flushed, 0),
        Err(problem) => match problem.downcast_ref::<io::Error>() {
            Some(e) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            _ => fail(problem.as_ref(), 1),
        },
    }
}

/// The turns and the user's last message.
fn run<W: Write>(script: &Script, terminal: &mut Terminal<W>) -> Result<(), Box<dyn Error>> {
    let mut runner = Runner::open(script, terminal)?;

    runner.user_says(&script.first.prompt)?;
    runner.model_works(&script.first.answers, None)?;
    runner.end_turn()?;

    runner.user_says(&script.second.prompt)?;
    runner.model_works(&script.second.answers, Some(&script.user_edit))?;
    runner.end_turn()?;

    runner.let_propose();
    runner.user_says(&script.third.prompt)?;
    runner.model_works(&script.third.answers, None)?;
    runner.end_turn()?;
    runner.user_decides(&script.decision)?;

    runner.user_says(&script.farewell)?;
    runner.summarize(script)
}

fn wants_colour() -> bool {
    let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    io::stdout().is_terminal() && !refused && !dumb
}

fn fail(problem: &dyn Error, code: u8) -> ExitCode {
    close(writeln!(io::stderr(), "quickstart: {problem}"), code)
}

/// A closed output is no failure of the example.
fn close(written: io::Result<()>, code: u8) -> ExitCode {
    match written {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => code.into(),
    }
}
