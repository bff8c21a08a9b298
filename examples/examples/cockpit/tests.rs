//! The story is what it says.

use super::tell;

#[test]
fn a_hostile_version_stays_one_word_and_undo_goes_below_a_poll() {
    let mut out = Vec::new();
    tell(&mut out).unwrap();
    let story = String::from_utf8(out).unwrap();
    for expected in [
        "CONFIRMATION_REQUIRED  [./deploy] [api] [1.2.7]",
        "\"api 1.2.7 is live\"; saved",
        "CONFIRMATION_REQUIRED  [./deploy] [api] [1.2.8; rm -rf .]",
        "TOOL_FAILED",
        "deploy: 1.2.8; rm -rf . is no version",
        "deploy journal journalctl",
        "\"the disk is at 82 %\"",
        "\"1.2.8; rm -rf .\"",
    ] {
        assert!(story.contains(expected), "{expected:?} is not in\n{story}");
    }
}
