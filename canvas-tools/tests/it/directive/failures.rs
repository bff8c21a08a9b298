//! The advice of a failure and what it tells the chat.

use canvas_core::lease::CheckOut;
use canvas_tools::Advice;
use serde_json::{Value, json};

use super::world::World;

#[test]
fn a_failure_has_its_advice() {
    let (moved, held) = (World::new("a\nb\n"), World::new("a\nb\n"));
    let old = moved.version();
    moved.edit("a\nc\n");
    held.model(CheckOut);
    let insert = |version: Value| {
        let place = json!([0, 0]);
        json!({"action": "insert", "content": "x", "target_range": place, "version": version})
    };
    for (world, directive, advice) in [
        (&moved, insert(json!(old)), Advice::Resync),
        (&moved, insert(json!("latest")), Advice::Correct),
        (&held, insert(json!(null)), Advice::Wait),
    ] {
        let failure = world.direct(&directive).unwrap_err();
        assert_eq!(failure.advice(), advice, "{directive}");
    }
}

/// Hunks that do not fit; those that the chat shows, and what it says of the others.
#[test]
fn the_chat_shows_three_conflicts_and_counts_the_rest() {
    let world = World::new("a\nb\n");
    for (hunks, shown, rest) in
        [(1, 1, None), (2, 2, None), (3, 3, None), (4, 3, Some("1")), (5, 3, Some("2")), (20, 3, Some("17"))]
    {
        let diff: String = (0..hunks).map(|hunk| format!("@@\n-nowhere {hunk}\n+x\n")).collect();
        let patch = json!({"action": "patch", "diff": diff, "version": world.version()});
        let failure = world.direct(&patch).unwrap_err();
        let chat = failure.chat_text();
        let reported = chat.lines().filter(|line| line.starts_with("hunk ")).count();
        let counted = chat.lines().find(|line| line.contains("more conflict"));
        let counted = counted.and_then(|line| line.split(' ').nth(1));
        assert_eq!((reported, counted), (shown, rest), "{chat}");
        // The model gets all.
        assert_eq!(failure.to_json()["conflicts"].as_array().map(Vec::len), Some(hunks));
    }
}
