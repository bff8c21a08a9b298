//! A turn with a real provider: a model edits a document over the network, as a stream, with retries.
//!
//! `cargo run -p canvas-examples --features live --example live -- --model NAME "Add a step"` asks Anthropic under the key in
//! `ANTHROPIC_API_KEY`. The document is in memory; the transcript and its text at the end are printed. `--base-url` names another
//! host that speaks the same dialect, also one on this machine.

mod options;
mod run;
#[cfg(test)]
mod server;
#[cfg(test)]
mod tests;
mod transcript;

use std::io::{self, Write as _};
use std::process::ExitCode;

use options::{Options, USAGE};

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = std::env::args().skip(1);
    let options = match Options::parse(arguments, |name| std::env::var(name).ok()) {
        Ok(Some(options)) => options,
        Ok(None) => return say(USAGE, 0),
        Err(problem) => return fail(&problem, 2),
    };
    match run::run(&options, io::stdout()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => fail(&problem.to_string(), 1),
    }
}

fn say(text: &str, code: u8) -> ExitCode {
    match writeln!(io::stdout(), "{text}") {
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => ExitCode::FAILURE,
        _ => code.into(),
    }
}

fn fail(problem: &str, code: u8) -> ExitCode {
    // Nobody is left to be told where this fails.
    let _ = writeln!(io::stderr(), "live: {problem}");
    code.into()
}
