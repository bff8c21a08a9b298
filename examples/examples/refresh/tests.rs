//! The story tells what it says.

use super::tell;

#[test]
fn the_story_is_the_same_twice_and_tells_of_the_stale_component() {
    let run = || {
        let mut out = Vec::new();
        tell(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let story = run();
    assert_eq!(run(), story);
    for expected in ["2026-04-23", "no revision was made", "stale  ", "CONTRACT_CHANGED", "then 1.0, now 2.0"]
    {
        assert!(story.contains(expected), "{expected} is not in:\n{story}");
    }
    assert_eq!(story.matches("the same bytes").count(), 4, "{story}");
}
