//! What all windows are sent, and what becomes of those that do not read.

use std::time::Duration;

use canvas_studio::options::Options;
use serde_json::json;
use tokio::time::timeout;

use crate::common::{PATIENCE, Studio, close};

#[tokio::test(flavor = "multi_thread")]
async fn an_event_is_written_once_for_all_windows() {
    let studio = Studio::start().await;
    // It shows the canvas before all others, so that it is sent whatever is written.
    let mut witness = studio.client("witness").await;
    let mut windows = Vec::new();
    for number in 0..20 {
        windows.push(studio.client(&format!("w{number}")).await);
    }
    let canvas = windows[0].ok("canvas.get", json!({})).await;
    let action = json!({"type": "user.pin", "componentId": canvas["board"]["canvas"]["components"][0]["id"], "pinned": true});
    windows[0].ok("board.action", json!({"action": action})).await;
    for window in &mut windows {
        let event = window.event("canvas.board.updated").await;
        assert_eq!(event["components"][0]["meta"]["pinned"], true);
        assert_eq!(event["canvasId"], "studio");
        let history = window.event("canvas.history.updated").await;
        assert_eq!(history["history"]["undo"].as_array().unwrap().len(), 1);
        assert_eq!(history["revision"], event["revision"]);
    }
    // If an event were written for each window, it would never have heard of as many.
    let heard_of_all = async {
        while witness.events.len() as u64 != studio.host.fan.written() {
            witness.ok("canvas.list", json!({})).await;
        }
    };
    timeout(PATIENCE, heard_of_all).await.expect("each event is written once");
    let count = |name| witness.events.iter().filter(|event| event["event"] == name).count();
    assert_eq!((count("canvas.board.updated"), count("canvas.history.updated")), (1, 1));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_does_not_read_is_told_that_it_missed_something_and_recovers() {
    // However slow the machine is, the slow one is not taken for gone.
    let patience = Duration::from_secs(3_600);
    let studio = Studio::with(Options { port: 0, patience, ..Options::default() }).await;
    let mut slow = studio.client("slow").await;
    let mut quick = studio.client("quick").await;
    // What waits for the slow one is more than the buffers of the system take.
    let large = "x".repeat(60_000);
    let mut last = 0;
    while studio.host.fan.resyncs() == 0 && last < 2_000 {
        last += 1;
        let patch = json!([{"op": "add", "path": "/large", "value": format!("{last} {large}")}]);
        quick.ok("canvas.patch", json!({"patch": patch})).await;
        // Each patch has an event of its own.
        quick.event("canvas.updated").await;
        quick.events.clear();
        if last > 300 {
            // The slow one reads a little, so that the next event is tried.
            slow.message().await;
        }
    }
    assert!(studio.host.fan.resyncs() > 0, "after {last} patches");
    slow.event("canvas.resync").await;
    let canvas = slow.ok("canvas.get", json!({})).await;
    assert_eq!(canvas["state"]["large"], format!("{last} {large}"));
    // It goes on with the others from there.
    quick.ok("canvas.patch", json!({"patch": [{"op": "replace", "path": "/large", "value": "short"}]})).await;
    loop {
        let event = slow.event("canvas.updated").await;
        if event["state"]["large"] == "short" {
            break assert_eq!(event["changedPaths"], json!(["/large"]));
        }
    }
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn views_end_with_their_last_connection() {
    let studio = Studio::start().await;
    let mut watcher = studio.client("watcher").await;
    let first = studio.client("window").await;
    // It connects anew before its old connection is known to be gone.
    let second = studio.client("window").await;
    close(first).await;
    let views = async |watcher: &mut crate::common::Client| {
        watcher.ok("canvas.get", json!({})).await["views"].clone()
    };
    assert_eq!(views(&mut watcher).await, json!(["watcher", "window"]));
    close(second).await;
    assert_eq!(views(&mut watcher).await, json!(["watcher"]));
    studio.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_canvas_that_is_closed_sends_nothing_and_a_deleted_one_says_so() {
    let studio = Studio::start().await;
    let (mut one, mut other) = (studio.client("one").await, studio.client("other").await);
    other.ok("canvas.close", json!({})).await;
    let patch = json!([{"op": "replace", "path": "/version", "value": "2"}]);
    one.ok("canvas.patch", json!({"patch": patch})).await;
    one.event("canvas.updated").await;
    other.events.clear();
    other.ok("canvas.list", json!({})).await;
    assert!(other.events.iter().all(|event| event["event"] != "canvas.updated"), "{:?}", other.events);
    one.ok("canvas.delete", json!({})).await;
    one.event("canvas.deleted").await;
    assert_eq!(one.code("canvas.get", json!({})).await, "CANVAS_NOT_FOUND");
    studio.end().await;
}
