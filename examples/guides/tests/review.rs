//! The program of the guide `review.md`.

#[expect(dead_code, reason = "the test has a file of its own")]
#[path = "../examples/review.rs"]
mod program;

use canvas_core::testing::block_on;
use program::story;

#[test]
fn the_guide_shows_what_the_program_prints() {
    let mut printed = Vec::new();
    let text = block_on(story(&mut printed)).unwrap();
    let printed = String::from_utf8(printed).unwrap();
    let guide = include_str!("../review.md");
    assert!(guide.contains(&format!("````text\n{printed}````\n")), "copy into review.md:\n{printed}");
    assert_eq!(text, "# Launch\n\nThe launch is on Friday.\n\n- write the note\n- call the press\n");
}
