//! The windows: they connect, are told to go on by a line, and say what they have seen.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Stdin};
use tokio::process::ChildStdin;
use tokio::sync::Notify;

use crate::client::{Client, Frame};
use crate::report::percentiles;

/// Has the windows go on.
pub(crate) async fn go(input: &mut ChildStdin) -> Result<(), String> {
    input.write_all(b"go\n").await.map_err(|e| e.to_string())
}

/// What all windows have been sent.
#[derive(Debug, Default)]
struct Seen {
    frames: AtomicU64,
    boards: AtomicU64,
    more: Notify,
}

/// Runs the windows: port, warm ones, further ones, events, presses, whether each asks for the canvas.
pub(crate) async fn run(arguments: &[String]) -> Result<(), String> {
    let number = |at: usize| {
        arguments.get(at).and_then(|text| text.parse::<usize>().ok()).ok_or("a number is missing")
    };
    let port = u16::try_from(number(0)?).map_err(|e| e.to_string())?;
    let (warm, sockets, events, presses) = (number(1)?, number(2)?, number(3)?, number(4)?);
    let asks = arguments.get(5).is_some_and(|asks| asks == "true");
    let mut input = BufReader::new(tokio::io::stdin());
    let seen = Arc::new(Seen::default());
    let (mut hand, component) = pressing(port, "hand").await;
    let alone = to_second(port, "second", &mut hand, &component, presses).await;
    for name in 0..warm {
        open(port, name, asks, &seen).await;
    }
    say(&json!({"step": "warm"}));
    told(&mut input).await?;
    for name in warm..warm + sockets {
        open(port, name, asks, &seen).await;
    }
    say(&json!({"step": "connected"}));
    told(&mut input).await?;
    say(&to_all(&mut hand, &component, &seen, warm + sockets, events).await);
    told(&mut input).await?;
    let crowd = to_second(port, "third", &mut hand, &component, presses).await;
    say(&json!({"step": "presses", "alone": alone, "crowd": crowd}));
    Ok(())
}

/// A window that counts what it is sent.
async fn open(port: u16, name: usize, asks: bool, seen: &Arc<Seen>) {
    let mut client = Client::connect(port).await;
    client.ok("hello", json!({"clientId": format!("window-{name}")})).await;
    client.ok("canvas.open", json!({})).await;
    if asks {
        client.ok("canvas.get", json!({})).await;
    }
    let seen = Arc::clone(seen);
    tokio::spawn(async move {
        loop {
            match client.frame().await {
                Frame::Text(text) if text.contains("\"canvas.board.updated\"") => {
                    seen.frames.fetch_add(1, Ordering::Relaxed);
                    seen.boards.fetch_add(1, Ordering::Relaxed);
                    seen.more.notify_one();
                }
                Frame::Text(_) => drop(seen.frames.fetch_add(1, Ordering::Relaxed)),
                Frame::Ping | Frame::Pong => {}
                Frame::Close(_) | Frame::End => return,
            }
        }
    });
}

/// A window that presses, and a component to press.
async fn pressing(port: u16, name: &str) -> (Client, Value) {
    let mut client = Client::connect(port).await;
    client.ok("hello", json!({"clientId": name})).await;
    client.ok("canvas.open", json!({})).await;
    let canvas = client.ok("canvas.get", json!({})).await;
    (client, canvas["board"]["canvas"]["components"][0]["id"].clone())
}

async fn press(client: &mut Client, component: &Value, number: usize) {
    let action = json!({"type": "user.pin", "componentId": component, "pinned": number.is_multiple_of(2)});
    client.ok("board.action", json!({"action": action})).await;
    client.events.clear();
}

/// How long it takes until an event is at all windows.
async fn to_all(hand: &mut Client, component: &Value, seen: &Seen, windows: usize, events: usize) -> Value {
    // What was sent at the beginning does not count.
    seen.frames.store(0, Ordering::Relaxed);
    seen.boards.store(0, Ordering::Relaxed);
    let mut times = Vec::new();
    for number in 0..events {
        let begun = Instant::now();
        press(hand, component, number).await;
        while seen.boards.load(Ordering::Relaxed) < ((number + 1) * windows) as u64 {
            // A notification may have come in between.
            drop(tokio::time::timeout(Duration::from_millis(5), seen.more.notified()).await);
        }
        times.push(begun.elapsed());
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    let received = seen.frames.load(Ordering::Relaxed);
    json!({"step": "events", "received": received, "to_all_ms": percentiles(times)})
}

/// How long it takes from a press to the event in a second window.
async fn to_second(port: u16, name: &str, hand: &mut Client, component: &Value, presses: usize) -> Value {
    let (mut second, _) = pressing(port, name).await;
    let mut times = Vec::new();
    for number in 0..presses {
        let begun = Instant::now();
        let action =
            json!({"type": "user.pin", "componentId": component, "pinned": number.is_multiple_of(2)});
        let id = format!("{name}-{number}");
        let request = json!({"type": "req", "id": id, "method": "board.action",
            "params": {"canvasId": "studio", "action": action}});
        hand.text(&request.to_string()).await;
        second.event("canvas.board.updated").await;
        times.push(begun.elapsed());
        hand.answer(&id).await;
        (hand.events, second.events) = (Vec::new(), Vec::new());
    }
    percentiles(times)
}

async fn told(input: &mut BufReader<Stdin>) -> Result<(), String> {
    let mut line = String::new();
    match input.read_line(&mut line).await {
        Ok(1..) => Ok(()),
        Ok(0) => Err("nobody says what is next".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

#[expect(clippy::print_stdout, reason = "it is how the other process is told")]
fn say(line: &Value) {
    println!("{line}");
}
