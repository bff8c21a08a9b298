//! Two servers, two processes, one PostgreSQL: a model works at one of them while a user steps in at the other.
//!
//! `.ci/postgres cargo run -p canvas-examples --features postgres --example two_servers`
//!
//! The user's act raises the epoch of the canvas in the database, and a notice of it interrupts the model's loop at
//! once. A write that left before that arrives after it, and is refused. The model of the other server then continues
//! from the user's text. Everything is real but the models, whose answers are recorded, and the network, which
//! is slow once when the script wants it.

mod processes;
mod story;
#[cfg(test)]
mod tests;

use std::env;
use std::io::{self, Write as _};
use std::process::{self, ExitCode};
use std::time::{Duration, Instant};

use processes::{CONNECTION, Process, run_server};
use story::{Database, Host, SCRIPTS, StoryResult, run_story, with_causes};

const USAGE: &str = "usage: two_servers [CONNECTION]

Runs two servers over one PostgreSQL, in a schema that it makes and drops.
CONNECTION is a connection string such as \"host=/run/postgresql user=postgres\"; without one CANVAS_POSTGRES is
taken. It must lead to the server itself, for a proxy may pass no notices on, and TLS is not spoken. Ended by a
signal, it leaves the schema behind that its first line names.";

const NO_CONNECTION: &str = "no PostgreSQL is named: run it as \
.ci/postgres cargo run -p canvas-examples --features postgres --example two_servers, \
or give the connection string of one as the argument or in CANVAS_POSTGRES";

/// How long the story may take. It takes about a second; a busy machine gets more time, and a story that hangs ends too.
const LIMIT: Duration = Duration::from_secs(120);

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let given = env::var(CONNECTION).ok().filter(|connection| !connection.trim().is_empty());
    let result = match (arguments.as_slice(), given) {
        (["--help" | "-h"], _) => return close(writeln!(io::stdout(), "{USAGE}"), 0),
        (["--server", name, "--schema", schema], Some(connection)) => {
            // Its events have said why.
            return if server(name, &connection, schema).is_ok() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            };
        }
        ([connection], _) if !connection.starts_with("--") => host(connection),
        ([], Some(connection)) => host(&connection),
        ([], None) => return fail(NO_CONNECTION, 2),
        _ => return fail(USAGE, 2),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) if is_broken_pipe(problem.downcast_ref()) => ExitCode::SUCCESS,
        Err(problem) => fail(&with_causes(problem.as_ref()), 1),
    }
}

/// Makes the schema, starts the servers, runs the story.
fn host(connection: &str) -> StoryResult {
    let began = Instant::now();
    let database = Database::new(connection, format!("two_servers_{}", process::id()))?;
    let schema = database.schema.clone();
    let host = Host::open(database)?;
    // Dropped before the host, so that nobody uses the schema when it is dropped.
    let (one, first) = Process::start(&SCRIPTS[0], connection, &schema)?;
    let (two, second) = Process::start(&SCRIPTS[1], connection, &schema)?;
    let result = run_story(&host, [first, second], (began, LIMIT), &mut io::stdout().lock());
    drop((one, two));
    result
}

fn server(name: &str, connection: &str, schema: &str) -> StoryResult {
    let script =
        SCRIPTS.iter().find(|script| script.name == name).ok_or("there is no server of that name")?;
    run_server(script, &Database::new(connection, schema.to_owned())?)
}

fn fail(problem: &str, code: u8) -> ExitCode {
    close(writeln!(io::stderr(), "two_servers: {problem}"), code)
}

/// A closed output is no failure of the example.
fn is_broken_pipe(problem: Option<&io::Error>) -> bool {
    problem.is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
}

fn close(written: io::Result<()>, code: u8) -> ExitCode {
    match written {
        Err(e) if !is_broken_pipe(Some(&e)) => ExitCode::FAILURE,
        _ => code.into(),
    }
}
