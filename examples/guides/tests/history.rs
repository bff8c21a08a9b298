//! The program of the guide `history.md`.

#[expect(dead_code, reason = "the test has a file of its own")]
#[path = "../examples/history.rs"]
mod program;

use canvas_core::testing::block_on;
use program::story;

#[test]
fn the_guide_shows_what_the_program_prints() {
    let mut printed = Vec::new();
    let text = block_on(story(&mut printed)).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let guide = include_str!("../history.md");
    assert!(guide.contains(&format!("````text\n{printed}````\n")), "copy into history.md:\n{printed}");
    assert_eq!(text, "- write the note\n- book the room\n");
}
