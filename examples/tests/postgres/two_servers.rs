//! The story of the example `two_servers`, played by two tasks in place of its two processes.

use std::io;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;

use self::story::{PARTS, Part, Place, Player, Stage, Word, serve, tell, with_causes};
use super::world::{World, address};

#[path = "../../examples/two_servers/story/mod.rs"]
mod story;

/// For a machine that is busy; a story that hangs ends too.
const LIMIT: Duration = Duration::from_secs(120);

/// A schema that no other test has.
fn stage(name: &str) -> Stage {
    let schema = format!("two servers {name} {}", std::process::id());
    let place =
        Place::new(&address("CANVAS_POSTGRES"), schema).expect("the script gives a connection string");
    Stage::open(place).expect("the server lets us make schemas")
}

fn player(runtime: &Runtime, part: &'static Part, place: &Place) -> Player {
    let ((order, orders), (say, words)) = (unbounded_channel(), channel());
    let (place, last_words) = (place.clone(), say.clone());
    let voice = Box::new(move |word| drop(say.send((Instant::now(), word))));
    runtime.spawn(async move {
        if let Err(problem) = serve(part, &place, orders, voice).await {
            let _ = last_words.send((Instant::now(), Word::Failed(with_causes(problem.as_ref()))));
        }
    });
    Player { orders: Box::new(move |next| order.send(next).map_err(io::Error::other)), words }
}

/// The story's lines without their times.
fn told(name: &str) -> String {
    let runtime = Runtime::new().expect("threads can be had");
    let stage = stage(name);
    let players = [0, 1].map(|i| player(&runtime, &PARTS[i], stage.place()));
    let mut out = Vec::new();
    let end = tell(&stage, players, (Instant::now(), LIMIT), &mut out);
    let out = String::from_utf8(out).expect("only text is told");
    end.unwrap_or_else(|problem| panic!("{problem}:\n{out}"));
    let lines = out.replace(&stage.place().schema, "(schema)");
    lines
        .lines()
        .map(|line| line.split_once(" ms ").map_or(line, |(_, rest)| rest).to_owned() + "\n")
        .collect()
}

/// Whether a schema is there still.
fn is_left(schema: &str) -> bool {
    let count = format!("SELECT count(*) FROM pg_namespace WHERE nspname = '{schema}'");
    Runtime::new().expect("threads can be had").block_on(World::of(schema).number(&count)) > 0
}

/// How fast the servers are and when they hear of each other makes no difference.
#[test]
fn the_story_is_told_the_same_twice() {
    let lines = told("first");
    assert_eq!(lines, told("second"));
    for line in lines.lines() {
        assert!(line.chars().count() <= 110, "{line}");
    }
    for expected in [
        "the loop is interrupted",
        "is refused: STALE_EPOCH",
        "| +We leave at nine, from the station.",
        "ok    both servers show r6-",
    ] {
        assert!(lines.contains(expected), "{expected} is missing in\n{lines}");
    }
    assert!(!lines.contains("WRONG"), "{lines}");
}

#[test]
fn a_server_that_is_gone_ends_the_story() {
    let stage = stage("gone");
    let schema = stage.place().schema.clone();
    assert!(is_left(&schema));
    let gone = || Player { orders: Box::new(|_| Ok(())), words: channel().1 };
    let end = tell(&stage, [gone(), gone()], (Instant::now(), LIMIT), &mut Vec::new());
    assert_eq!(
        end.expect_err("nobody plays").to_string(),
        "server one has ended before Ready: look at what it wrote to its error output"
    );
    drop(stage);
    assert!(!is_left(&schema));
}

#[test]
fn a_server_that_cannot_play_says_why() {
    let stage = stage("failing");
    let (say, words) = channel();
    say.send((Instant::now(), Word::Failed("no network".to_owned()))).expect("it is heard");
    let failing = Player { orders: Box::new(|_| Ok(())), words };
    let other = Player { orders: Box::new(|_| Ok(())), words: channel().1 };
    let end = tell(&stage, [failing, other], (Instant::now(), LIMIT), &mut Vec::new());
    assert_eq!(end.expect_err("it has failed").to_string(), "server one has failed: no network");
}
