//! The story, with two tasks in place of its two processes.

use std::io;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use canvas_store_testing::{World, address};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;

use super::story::{
    Database, Host, SCRIPTS, ServerEvent, ServerHandle, ServerScript, run_story, serve, with_causes,
};

/// Long enough for a busy machine; a story that hangs ends too.
const LIMIT: Duration = Duration::from_secs(120);

/// A schema that no other test has.
fn host(name: &str) -> Host {
    let schema = format!("two servers {name} {}", std::process::id());
    let database =
        Database::new(&address("CANVAS_POSTGRES"), schema).expect("the script gives a connection string");
    Host::open(database).expect("the server lets us make schemas")
}

fn server(runtime: &Runtime, script: &'static ServerScript, database: &Database) -> ServerHandle {
    let ((order, orders), (sender, events)) = (unbounded_channel(), channel());
    let (database, failures) = (database.clone(), sender.clone());
    let emit = Box::new(move |event| drop(sender.send((Instant::now(), event))));
    runtime.spawn(async move {
        if let Err(problem) = serve(script, &database, orders, emit).await {
            let _ = failures.send((Instant::now(), ServerEvent::Failed(with_causes(problem.as_ref()))));
        }
    });
    ServerHandle { orders: Box::new(move |next| order.send(next).map_err(io::Error::other)), events }
}

/// The story's lines without their times.
fn lines_of(name: &str) -> String {
    let runtime = Runtime::new().expect("threads can be had");
    let host = host(name);
    let servers = [0, 1].map(|i| server(&runtime, &SCRIPTS[i], host.database()));
    let mut out = Vec::new();
    let end = run_story(&host, servers, (Instant::now(), LIMIT), &mut out);
    let out = String::from_utf8(out).expect("only text is printed");
    end.unwrap_or_else(|problem| panic!("{problem}:\n{out}"));
    let lines = out.replace(&host.database().schema, "(schema)");
    lines
        .lines()
        .map(|line| line.split_once(" ms ").map_or(line, |(_, rest)| rest).to_owned() + "\n")
        .collect()
}

/// Whether a schema exists.
fn is_left(schema: &str) -> bool {
    let count = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'");
    Runtime::new().expect("threads can be had").block_on(World::of(schema).number(&count)) > 0
}

/// The output does not depend on how fast the servers are, or when their notifications arrive.
#[test]
fn the_story_prints_the_same_twice() {
    let lines = lines_of("first");
    assert_eq!(lines, lines_of("second"));
    for line in lines.lines() {
        assert!(line.chars().count() <= 110, "{line}");
    }
    for expected in [
        "the loop is interrupted",
        "is refused: STALE_EPOCH",
        "two        | We leave at nine, from the station.",
        "ok    both servers show r6-",
    ] {
        assert!(lines.contains(expected), "{expected} is missing in\n{lines}");
    }
    assert!(!lines.contains("WRONG"), "{lines}");
}

#[test]
fn a_server_that_is_gone_ends_the_story() {
    let host = host("gone");
    let schema = host.database().schema.clone();
    assert!(is_left(&schema));
    let gone = || ServerHandle { orders: Box::new(|_| Ok(())), events: channel().1 };
    let end = run_story(&host, [gone(), gone()], (Instant::now(), LIMIT), &mut Vec::new());
    assert_eq!(
        end.expect_err("no server runs").to_string(),
        "server one has ended before Ready: look at what it wrote to its error output"
    );
    drop(host);
    assert!(!is_left(&schema));
}

#[test]
fn a_failing_server_says_why() {
    let host = host("failing");
    let (sender, events) = channel();
    sender
        .send((Instant::now(), ServerEvent::Failed("no network".to_owned())))
        .expect("the story waits for it");
    let failing = ServerHandle { orders: Box::new(|_| Ok(())), events };
    let other = ServerHandle { orders: Box::new(|_| Ok(())), events: channel().1 };
    let end = run_story(&host, [failing, other], (Instant::now(), LIMIT), &mut Vec::new());
    assert_eq!(end.expect_err("it has failed").to_string(), "server one has failed: no network");
}
