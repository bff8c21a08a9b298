//! What a failure tells the user and the chat.

use canvas_core::lease::CheckOut;
use canvas_tools::directive::Advice;
use serde_json::{Value, json};

use super::world::World;

/// Directive, advice, notice.
#[test]
fn a_notice_says_what_may_be_done() {
    let (moved, held) = (World::new("a\nb\n"), World::new("a\nb\n"));
    let old = moved.version();
    moved.edit("a\nc\n");
    held.model(CheckOut);
    let insert = |version: Value| {
        let place = json!([0, 0]);
        json!({"action": "insert", "content": "x", "target_range": place, "version": version})
    };
    for (world, directive, advice, notice) in [
        (
            &moved,
            insert(json!(old)),
            Advice::Resync,
            "The document has moved on. Ask the assistant to re-sync.",
        ),
        (
            &moved,
            insert(json!("latest")),
            Advice::Correct,
            "The edit could not be read. Ask the assistant to try again.",
        ),
        (
            &held,
            insert(json!(null)),
            Advice::Wait,
            "The document is not free for edits now. Ask again in a moment.",
        ),
    ] {
        let failure = world.direct(&directive).unwrap_err();
        assert_eq!((failure.advice(), failure.advice().text()), (advice, notice), "{directive}");
    }
}

/// Hunks that do not fit; those that the chat shows, and what it says of the others.
#[test]
fn the_chat_shows_three_conflicts_and_counts_the_rest() {
    let world = World::new("a\nb\n");
    for (hunks, shown, rest) in [
        (1, 1, None),
        (2, 2, None),
        (3, 3, None),
        (4, 3, Some("and 1 more conflict")),
        (5, 3, Some("and 2 more conflicts")),
        (20, 3, Some("and 17 more conflicts")),
    ] {
        let diff: String = (0..hunks).map(|hunk| format!("@@\n-nowhere {hunk}\n+x\n")).collect();
        let patch = json!({"action": "patch", "diff": diff, "version": world.version()});
        let failure = world.direct(&patch).unwrap_err();
        let chat = failure.chat_text();
        let reported = chat.lines().filter(|line| line.starts_with("hunk ")).count();
        let counted = chat.lines().find(|line| line.contains("more conflict"));
        assert_eq!((reported, counted), (shown, rest), "{chat}");
        // The model gets all.
        assert_eq!(failure.to_json()["conflicts"].as_array().map(Vec::len), Some(hunks));
    }
}
